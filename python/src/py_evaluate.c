/* SPDX-License-Identifier: Apache-2.0 */
/* Real against synthetic: NOT PRIVATE. */
#include "core.h"
#include "semblance/evaluate.h"
#include "semblance/memory.h"
#include "semblance/report.h"

static void fill(sbl_evaluate_options *options, core_call *call, const char *models, const char *encoder,
                 unsigned long long seed, unsigned threads, PyObject *progress)
{
    sbl_evaluate_options_init(options);
    *call = (core_call){.progress = progress == Py_None ? NULL : progress};
    options->models = models;
    options->encoder_path = encoder;
    options->seed = seed;
    options->threads = core_threads(threads);
    options->progress = core_progress;
    options->context = call;
}

static bool optional_data(core_data **data, PyObject *capsule)
{
    *data = capsule == Py_None ? NULL : core_data_of(capsule);
    return *data != NULL || PyErr_Occurred() == NULL;
}

/* evaluate_data(real, synthetic, train or None, schema or None (images), models or None, encoder or None, seed, threads,
 * progress): (json, text). */
static PyObject *evaluate_data(PyObject *module, PyObject *arguments)
{
    PyObject *first, *second, *third, *facts, *progress;
    const char *models, *encoder;
    const sbl_schema *schema = NULL;
    unsigned long long seed;
    unsigned threads;
    core_call call;
    core_data *real, *synthetic, *train;
    sbl_evaluate_options options;
    char *json = NULL, *text = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOzzKIO", &first, &second, &third, &facts, &models, &encoder, &seed,
                          &threads, &progress))
        return NULL;
    if (facts != Py_None) schema = PyCapsule_GetPointer(facts, CORE_SCHEMA);
    if (facts != Py_None && schema == NULL) return NULL;
    real = core_data_of(first);
    synthetic = real != NULL ? core_data_of(second) : NULL;
    if (synthetic == NULL || !optional_data(&train, third)) return NULL;
    fill(&options, &call, models, encoder, seed, threads, progress);
    Py_BEGIN_ALLOW_THREADS status = sbl_evaluate(&json, &text, real->data, synthetic->data,
                                                 train != NULL ? train->data : NULL, schema, &options, &err);
    Py_END_ALLOW_THREADS if (status != SBL_OK && call.trouble.type == NULL &&
                             (core_data_raise(real) || core_data_raise(synthetic) ||
                              core_data_raise(train))) return NULL;
    PyObject *done = core_call_end(&call, status, &err, "");
    if (done == NULL) return NULL;
    Py_DECREF(done);
    return Py_BuildValue("NN", core_text(json), core_text(text));
}

/* report(certificate or None, evaluation or None, synth or None, images that are shown or None, title or None, draws,
 * pictures or None): HTML. */
static PyObject *report(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *images;
    sbl_report_options options;
    core_data *shown;
    unsigned long long draws;
    char *html = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    sbl_report_options_init(&options);
    if (!PyArg_ParseTuple(arguments, "zzOOzKz", &options.certificate, &options.evaluation, &handle, &images,
                          &options.title, &draws, &options.pictures) ||
        !optional_data(&shown, images))
        return NULL;
    if (handle != Py_None) options.synth = PyCapsule_GetPointer(handle, CORE_SYNTH);
    if (PyErr_Occurred() != NULL) return NULL;
    options.synthetic = shown != NULL ? shown->data : NULL;
    options.draws = draws;
    Py_BEGIN_ALLOW_THREADS status = sbl_report(&html, &options, &err);
    Py_END_ALLOW_THREADS return status == SBL_OK ? core_text(html) : core_fail(&err, status, "certificate");
}

/* The capsule of what was projected; None where nothing went into the stream. */
static PyObject *as_capsule(struct ArrowArrayStream *stream)
{
    if (stream->release == NULL) {
        PyMem_Free(stream);
        Py_RETURN_NONE;
    }
    PyObject *capsule = PyCapsule_New(stream, CORE_STREAM, core_stream_release);
    if (capsule == NULL) {
        stream->release(stream);
        PyMem_Free(stream);
    }
    return capsule;
}

/* project(synth, table or None, path or None (a stream), matrix or None, overwrite, threads, progress): capsule of a stream, or
 * None. */
static PyObject *project(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *table, *progress;
    const char *path, *matrix;
    int overwrite;
    unsigned threads;
    core_data *data;
    sbl_project_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOzzpIO", &handle, &table, &path, &matrix, &overwrite, &threads,
                          &progress) ||
        !optional_data(&data, table))
        return NULL;
    sbl_synthesizer *synth = PyCapsule_GetPointer(handle, CORE_SYNTH);
    struct ArrowArrayStream *stream = synth != NULL ? PyMem_Calloc(1, sizeof *stream) : NULL;
    if (synth == NULL) return NULL;
    if (stream == NULL) return PyErr_NoMemory();
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    sbl_project_options_init(&options);
    options.path = path;
    if (data != NULL && path == NULL) options.stream = stream;
    options.matrix = matrix;
    options.overwrite = overwrite != 0;
    options.threads = core_threads(threads);
    options.progress = core_progress;
    options.context = &call;
    Py_BEGIN_ALLOW_THREADS status = sbl_project(synth, data != NULL ? data->data : NULL, &options, &err);
    Py_END_ALLOW_THREADS PyObject *done = NULL;
    if (status == SBL_OK || call.trouble.type != NULL || !core_data_raise(data))
        done = core_call_end(&call, status, &err, "");
    if (done == NULL) {
        if (stream->release != NULL) stream->release(stream);
        PyMem_Free(stream);
        return NULL;
    }
    Py_DECREF(done);
    return as_capsule(stream);
}

PyMethodDef core_evaluate_methods[] = {
    {"evaluate_data", evaluate_data, METH_VARARGS, NULL},
    {"report", report, METH_VARARGS, NULL},
    {"project", project, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
