/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing from a model: as an Arrow stream, a CSV file, or images in memory. */
#include "core.h"
#include "semblance/estimate.h"

void core_stream_release(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, CORE_STREAM);
    if (stream->release != NULL) stream->release(stream);
    PyMem_Free(stream);
}

/* The arguments that every way of drawing has. */
typedef struct drawing {
    sbl_synthesizer *synth;
    sbl_sample_options options;
} drawing;

static bool begin(drawing *d, PyObject *handle, unsigned long long rows, unsigned long long persons,
                  unsigned long long seed, const char *where, unsigned threads)
{
    d->synth = PyCapsule_GetPointer(handle, CORE_SYNTH);
    sbl_sample_options_init(&d->options);
    d->options.rows = rows;
    d->options.persons = persons;
    d->options.seed = seed;
    d->options.where = where;
    d->options.threads = core_threads(threads);
    return d->synth != NULL;
}

/* draw_stream(synth, rows, persons, seed, where or None, threads): capsule of a stream. */
static PyObject *draw_stream(PyObject *module, PyObject *arguments)
{
    PyObject *handle;
    unsigned long long rows, persons, seed;
    const char *where;
    unsigned threads;
    drawing d;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OKKKzI", &handle, &rows, &persons, &seed, &where, &threads))
        return NULL;
    if (!begin(&d, handle, rows, persons, seed, where, threads)) return NULL;
    struct ArrowArrayStream *stream = PyMem_Calloc(1, sizeof *stream);
    if (stream == NULL) return PyErr_NoMemory();
    d.options.stream = stream;
    const sbl_status status = sbl_synthesizer_sample(d.synth, &d.options, &err);
    PyObject *capsule = status == SBL_OK ? PyCapsule_New(stream, CORE_STREAM, core_stream_release)
                                         : core_fail(&err, status, "");
    if (capsule == NULL) {
        if (stream->release != NULL) stream->release(stream);
        PyMem_Free(stream);
    }
    return capsule;
}

/* The capsule of a stream, which is moved into it. */
static PyObject *as_capsule(struct ArrowArrayStream *from)
{
    struct ArrowArrayStream *stream = PyMem_Calloc(1, sizeof *stream);
    if (stream == NULL) return PyErr_NoMemory();
    *stream = *from;
    from->release = NULL;
    PyObject *capsule = PyCapsule_New(stream, CORE_STREAM, core_stream_release);
    if (capsule == NULL) {
        stream->release(stream);
        PyMem_Free(stream);
    }
    return capsule;
}

/* A list of them; those that are not in it are released. */
static PyObject *as_capsules(struct ArrowArrayStream *streams, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t t = 0; t < count; t++) {
        PyObject *capsule = list != NULL ? as_capsule(&streams[t]) : NULL;
        if (list != NULL && (capsule == NULL || PyList_Append(list, capsule) != 0)) Py_CLEAR(list);
        Py_XDECREF(capsule);
        if (streams[t].release != NULL) streams[t].release(&streams[t]);
    }
    return list;
}

/* draw_tables(synth, number of tables, persons, seed, where or None, threads, progress): list of capsules of streams. */
static PyObject *draw_tables(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *progress, *made = NULL;
    unsigned long long count, persons, seed;
    const char *where;
    unsigned threads;
    drawing d;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OKKKzIO", &handle, &count, &persons, &seed, &where, &threads,
                          &progress) ||
        !begin(&d, handle, 0, persons, seed, where, threads))
        return NULL;
    struct ArrowArrayStream *streams = PyMem_Calloc((size_t)count + 1, sizeof *streams);
    if (streams == NULL) return PyErr_NoMemory();
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    d.options.progress = core_progress;
    d.options.context = &call;
    d.options.streams = streams;
    d.options.stream_count = (size_t)count;
    Py_BEGIN_ALLOW_THREADS status = sbl_synthesizer_sample(d.synth, &d.options, &err);
    Py_END_ALLOW_THREADS PyObject *done = core_call_end(&call, status, &err, "");
    if (done != NULL) {
        made = as_capsules(streams, (size_t)count);
        Py_DECREF(done);
    }
    PyMem_Free(streams);
    return made;
}

/* draw_file(synth, path, overwrite, rows, persons, seed, where or None, threads, progress, path of DuckDB's library or
 * None). */
static PyObject *draw_file(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *progress;
    unsigned long long rows, persons, seed;
    const char *path, *where, *engine;
    int overwrite;
    unsigned threads;
    drawing d;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OspKKKzIOz", &handle, &path, &overwrite, &rows, &persons, &seed, &where,
                          &threads, &progress, &engine) ||
        !begin(&d, handle, rows, persons, seed, where, threads))
        return NULL;
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    d.options.progress = core_progress;
    d.options.context = &call;
    d.options.path = path;
    d.options.overwrite = overwrite != 0;
    d.options.duckdb = engine;
    Py_BEGIN_ALLOW_THREADS status = sbl_synthesizer_sample(d.synth, &d.options, &err);
    Py_END_ALLOW_THREADS return core_call_end(&call, status, &err, "");
}

/* draw_images(synth, rows, bytes of one image, seed, where or None, threads, progress): (pixels, labels) as
 * bytearrays of uint8 and uint32. */
static PyObject *draw_images(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *progress;
    unsigned long long rows, each, seed;
    const char *where;
    unsigned threads;
    drawing d;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = SBL_OK;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OKKKzIO", &handle, &rows, &each, &seed, &where, &threads, &progress) ||
        !begin(&d, handle, rows, 0, seed, where, threads))
        return NULL;
    if (rows > (unsigned long long)PY_SSIZE_T_MAX / 4 / (each + 1)) return PyErr_NoMemory();
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    d.options.progress = core_progress;
    d.options.context = &call;
    PyObject *pixels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * each));
    PyObject *labels = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * sizeof(uint32_t)));
    if (pixels != NULL && labels != NULL) {
        d.options.pixels = (uint8_t *)PyByteArray_AsString(pixels);
        d.options.labels = (uint32_t *)(void *)PyByteArray_AsString(labels);
        Py_BEGIN_ALLOW_THREADS status = sbl_synthesizer_sample(d.synth, &d.options, &err);
        Py_END_ALLOW_THREADS PyObject *done = core_call_end(&call, status, &err, "");
        if (done != NULL) {
            Py_DECREF(done);
            return Py_BuildValue("NN", pixels, labels);
        }
    }
    Py_XDECREF(pixels);
    Py_XDECREF(labels);
    return NULL;
}

/* ---- replicates ---- */

static void free_replicates(PyObject *capsule)
{
    sbl_replicates_free(PyCapsule_GetPointer(capsule, CORE_REPLICATES));
}

/* replicates_new(synth, path of a release or None, seed, threads, progress): capsule. */
static PyObject *replicates_new(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *progress;
    unsigned long long seed;
    const char *release;
    unsigned threads;
    drawing d;
    sbl_replicates *made = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OzKIO", &handle, &release, &seed, &threads, &progress) ||
        !begin(&d, handle, 0, 0, seed, NULL, threads))
        return NULL;
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    d.options.release = release;
    d.options.progress = core_progress;
    d.options.context = &call;
    Py_BEGIN_ALLOW_THREADS status = sbl_replicates_new(&made, d.synth, &d.options, &err);
    Py_END_ALLOW_THREADS PyObject *done = core_call_end(&call, status, &err, "");
    PyObject *capsule = done != NULL ? PyCapsule_New(made, CORE_REPLICATES, free_replicates) : NULL;
    if (capsule == NULL) sbl_replicates_free(made);
    Py_XDECREF(done);
    return capsule;
}

/* replicates_next(replicates, synth): the synth holds the next model. */
static PyObject *replicates_next(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *into;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &handle, &into)) return NULL;
    sbl_replicates *replicates = PyCapsule_GetPointer(handle, CORE_REPLICATES);
    sbl_synthesizer *synth = replicates != NULL ? PyCapsule_GetPointer(into, CORE_SYNTH) : NULL;
    if (synth == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = sbl_replicates_next(replicates, synth, &err);
    Py_END_ALLOW_THREADS if (status != SBL_OK) return core_fail(&err, status, "");
    Py_RETURN_NONE;
}

/* estimate(synth, release or None, table or None, count, mean or None, share or None, quantile or None, correlation or
 * None, by or None, difference or None, where or None, draws, level, seed, threads, progress): JSON. */
static PyObject *estimate(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *progress;
    sbl_estimate_options ask;
    unsigned long long draws, seed;
    int count;
    unsigned threads;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    sbl_estimate_options_init(&ask);
    if (!PyArg_ParseTuple(arguments, "OzzpzzzzzzzKdKIO", &handle, &ask.release, &ask.table, &count, &ask.mean,
                          &ask.share, &ask.quantile, &ask.correlation, &ask.by, &ask.difference, &ask.where,
                          &draws, &ask.level, &seed, &threads, &progress))
        return NULL;
    sbl_synthesizer *synth = PyCapsule_GetPointer(handle, CORE_SYNTH);
    if (synth == NULL) return NULL;
    core_call call = {.progress = progress == Py_None ? NULL : progress};
    ask.count = count != 0;
    ask.draws = draws;
    ask.seed = seed;
    ask.threads = core_threads(threads);
    ask.progress = core_progress;
    ask.context = &call;
    ask.form = SBL_ESTIMATE_JSON;
    Py_BEGIN_ALLOW_THREADS status = sbl_synthesizer_estimate(synth, &text, &ask, &err);
    Py_END_ALLOW_THREADS PyObject *ended = core_call_end(&call, status, &err, "");
    PyObject *answer = ended != NULL ? PyUnicode_FromString(text) : NULL;
    Py_XDECREF(ended);
    sbl_free(text);
    return answer;
}

PyMethodDef core_draw_methods[] = {
    {"estimate", estimate, METH_VARARGS, NULL},
    {"draw_stream", draw_stream, METH_VARARGS, NULL},
    {"draw_tables", draw_tables, METH_VARARGS, NULL},
    {"draw_file", draw_file, METH_VARARGS, NULL},
    {"draw_images", draw_images, METH_VARARGS, NULL},
    {"replicates_new", replicates_new, METH_VARARGS, NULL},
    {"replicates_next", replicates_next, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
