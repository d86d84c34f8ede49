/* Options are copied into a struct of this version and checked before anything else happens;
 * threads are set for the calling thread and given back at the end. */
#include "api/entry.h"

#include "base/caller_struct.h"
#include "compute/threads.h"
#include "image/image_set.h"

int sbl_threads_borrow(unsigned threads)
{
    const int before = sbl_thread_limit();
    if (threads == 0) return 0;
    sbl_thread_set((int)threads);
    return before;
}

void sbl_threads_restore(int before)
{
    if (before != 0) sbl_thread_set(before);
}

static sbl_status take(sbl_entry *entry, const sbl_synth_options *options, unsigned steps,
                       sbl_error *err)
{
    const sbl_status status = sbl_synth_options_take(&entry->options, options, err);
    return status == SBL_OK ? sbl_options_check_values(&entry->options, steps, err) : status;
}

sbl_status sbl_entry_begin(sbl_entry *entry, const sbl_synth_options *options, unsigned steps,
                           sbl_error *err)
{
    const sbl_status status = take(entry, options, steps, err);
    if (status == SBL_OK) entry->threads = sbl_threads_borrow(entry->options.threads);
    return status;
}

sbl_status sbl_entry_begin_fit(sbl_entry *entry, const sbl_synth_options *options,
                               sbl_data_kinds kind, unsigned steps, sbl_error *err)
{
    sbl_status status = take(entry, options, steps, err);
    if (status == SBL_OK)
        status = sbl_options_check_method(&entry->options, entry->options.method, kind, steps, err);
    if (status == SBL_OK) entry->threads = sbl_threads_borrow(entry->options.threads);
    return status;
}

void sbl_entry_end(const sbl_entry *entry) { sbl_threads_restore(entry->threads); }

sbl_status sbl_entry_open_table(sbl_data **data, const char *path, const sbl_synth_options *options,
                                sbl_error *err)
{
    const sbl_data_options reading = {.struct_size = sizeof reading,
                                      .delimiter = options->delimiter,
                                      .quote = options->quote,
                                      .comment = options->comment,
                                      .header = options->header,
                                      .encoding = options->encoding,
                                      .decimal = options->decimal,
                                      .thousands = options->thousands};
    return sbl_data_open(data, path, &reading, err);
}

/* ---- images ---- */

sbl_status sbl_entry_open_images(sbl_data **data, const sbl_image_input *input, sbl_error *err)
{
    const sbl_data_options reading = {.struct_size = sizeof reading,
                                      .images = true,
                                      .labels = input->labels,
                                      .classes = input->classes,
                                      .balanced = input->balanced,
                                      .grey = input->grey,
                                      .height = input->height,
                                      .width = input->width};
    return sbl_data_open(data, input->images, &reading, err);
}

void sbl_image_input_init_sized(sbl_image_input *input, size_t size)
{
    const sbl_image_input ours = {.struct_size = sizeof ours};
    sbl_struct_set_up(input, size, &ours, sizeof ours);
}

void sbl_image_output_init_sized(sbl_image_output *output, size_t size)
{
    const sbl_image_output ours = {.struct_size = sizeof ours};
    sbl_struct_set_up(output, size, &ours, sizeof ours);
}

sbl_status sbl_image_input_take(sbl_image_input *input, const sbl_image_input *theirs,
                                const char *what, sbl_error *err)
{
    *input = (sbl_image_input){.struct_size = sizeof *input};
    const sbl_status status = sbl_struct_take(input, sizeof *input, theirs, what, err);
    if (status != SBL_OK) return status;
    if (input->images == NULL)
        return sbl_fail(err, SBL_EARG, "the images of '%s' must be named", what);
    if (input->classes > SBL_IMAGE_CLASS_LIMIT)
        return sbl_fail(err, SBL_EARG, "there can be at most %zu classes", SBL_IMAGE_CLASS_LIMIT);
    return SBL_OK;
}

sbl_status sbl_image_output_take(sbl_image_output *output, const sbl_image_output *theirs,
                                 sbl_error *err)
{
    *output = (sbl_image_output){.struct_size = sizeof *output};
    const sbl_status status = sbl_struct_take(output, sizeof *output, theirs, "output", err);
    if (status != SBL_OK) return status;
    if (output->folder == NULL)
        return sbl_fail(err, SBL_EARG, "the folder of synthetic images must be named");
    if (output->format != SBL_IMAGES_IDX && output->format != SBL_IMAGES_PNG)
        return sbl_fail(err, SBL_EARG, "the format of synthetic images must be IDX or PNG");
    return SBL_OK;
}
