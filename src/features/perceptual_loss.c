/* The loss separates over classes: a class at a time goes through the encoder, into the Fourier loss
 * of its points (features/orthogonal_loss.h), and back; so the activations of one class are all that
 * is in memory. */
#include <string.h>

#include "base/floats.h"
#include "base/memory.h"
#include "features/orthogonal_loss.h"
#include "features/perceptual.h"

/* A class as the Fourier loss sees it: points in place of pixels, and no other class. */
typedef struct class_part {
    sbl_facts facts; /* classes = 1, and nothing else */
    size_t starts[2];
    double share, weight;
    sbl_generated generated;
    void *loss; /* NULL: the class has no rows */
} class_part;

typedef struct perceptual_loss {
    const sbl_perceptual *made;
    sbl_encoder_room *workspace;
    float *points, *d_points; /* (rows of the largest class, P) */
    float *lengths;           /* (rows, activations taken) */
    float *d_taken[SBL_ENCODED_MOST_LAYERS];
    const float *d_all[SBL_ENCODED_MOST_LAYERS]; /* by the encoder's activations; NULL: not taken */
    class_part *classes;
    size_t class_count;
} perceptual_loss;

void sbl_perceptual_loss_free(void *loss)
{
    perceptual_loss *l = loss;
    if (l == NULL) return;
    for (size_t c = 0; l->classes != NULL && c < l->class_count; c++)
        sbl_orthogonal_loss_free(l->classes[c].loss);
    for (size_t i = 0; i < l->made->encoded.layer_count; i++) sbl_free(l->d_taken[i]);
    sbl_free(l->classes);
    sbl_free(l->points);
    sbl_free(l->d_points);
    sbl_free(l->lengths);
    sbl_encoder_room_free(l->workspace);
    sbl_free(l);
}

static sbl_status begin_class(perceptual_loss *l, size_t c, const sbl_target *target,
                              const sbl_generated *generated, sbl_error *err)
{
    class_part *part = &l->classes[c];
    const size_t rows = sbl_generated_seen(generated, target->part, c);
    const size_t width = 2 * l->made->frequencies.frequencies;
    const sbl_target own = {.means = target->means + c * width,
                            .deviation = target->deviation,
                            .weight = target->weight,
                            .memory = target->memory};
    part->facts.classes = 1;
    part->starts[1] = rows;
    part->share = generated->shares[c];
    part->weight = generated->weights[c];
    part->generated = (sbl_generated){.facts = &part->facts,
                                      .rows = rows,
                                      .starts = part->starts,
                                      .shares = &part->share,
                                      .weights = &part->weight,
                                      .pixels = l->points,
                                      .d_pixels = l->d_points};
    return rows > 0 ? sbl_orthogonal_loss_new(&part->loss, &l->made->frequencies, &own,
                                              &part->generated, err)
                    : SBL_OK;
}

static sbl_status allocate(perceptual_loss *l, size_t rows, sbl_error *err)
{
    const sbl_encoded *e = &l->made->encoded;
    bool failed = false;
    l->points = sbl_floats(rows, l->made->width, &failed);
    l->d_points = sbl_floats(rows, l->made->width, &failed);
    l->lengths = sbl_floats(rows, e->layer_count, &failed);
    for (size_t i = 0; i < e->layer_count; i++) {
        l->d_taken[i] = sbl_floats(rows, sbl_volume_size(sbl_encoded_layer(e, i)->volume), &failed);
        l->d_all[e->layers[i]] = l->d_taken[i];
    }
    l->classes = sbl_alloc_array(l->class_count, sizeof *l->classes);
    return failed || l->classes == NULL ? sbl_fail(err, SBL_EMEM, "out of memory for training")
                                        : SBL_OK;
}

sbl_status sbl_perceptual_loss_new(void **loss, const void *made, const sbl_target *target,
                                   const sbl_generated *generated, sbl_error *err)
{
    const size_t rows = sbl_generated_most_seen(generated, target->part);
    sbl_status status = SBL_OK;
    perceptual_loss *l = sbl_alloc_array(1, sizeof *l);
    *loss = NULL;
    if (l == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    l->made = made;
    l->class_count = generated->facts->classes;
    SBL_TRY(allocate(l, rows, err));
    SBL_TRY(sbl_encoded_workspace(&l->workspace, &l->made->encoded, rows, true, err));
    for (size_t c = 0; c < l->class_count; c++) SBL_TRY(begin_class(l, c, target, generated, err));
    *loss = l;
    l = NULL;
done:
    sbl_perceptual_loss_free(l);
    return status;
}

double sbl_perceptual_loss_step(void *loss, sbl_generated *generated)
{
    perceptual_loss *l = loss;
    const size_t size = generated->facts->shape.numeric;
    double sum = 0;
    for (size_t c = 0; c < l->class_count; c++) {
        class_part *part = &l->classes[c];
        const size_t rows = part->generated.rows, first = generated->starts[c] * size;
        if (rows == 0) continue;
        sbl_encoder_forward(l->workspace, generated->pixels + first, rows);
        sbl_perceptual_points(l->made, l->points, l->lengths, l->workspace, rows);
        memset(l->d_points, 0, rows * l->made->width * sizeof *l->d_points);
        sum += sbl_orthogonal_loss_step(part->loss, &part->generated);
        sbl_perceptual_back(l->made, l->d_taken, l->d_points, l->points, l->lengths, rows);
        sbl_encoder_backward(l->workspace, generated->d_pixels + first, l->d_all);
    }
    return sum;
}

/* Of the i-th class that has rows. */
sbl_running *sbl_perceptual_loss_memory(void *loss, size_t i)
{
    const perceptual_loss *l = loss;
    for (size_t c = 0; c < l->class_count; c++)
        if (l->classes[c].loss != NULL && i-- == 0)
            return sbl_orthogonal_loss_memory(l->classes[c].loss, 0);
    return NULL;
}
