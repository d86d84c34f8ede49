/* Real against synthetic: NOT PRIVATE. */
#include "core.h"
#include "semblance/evaluate.h"
#include "semblance/memory.h"
#include "semblance/report.h"

static void fill(sbl_evaluate_options *options, core_call *call, const char *models,
                 unsigned long long seed, unsigned threads, PyObject *progress)
{
    sbl_evaluate_options_init(options);
    *call = (core_call){.progress = progress == Py_None ? NULL : progress};
    options->models = models;
    options->seed = seed;
    options->threads = core_threads(threads);
    options->progress = core_progress;
    options->context = call;
}

static PyObject *three(core_call *call, sbl_status status, const sbl_error *err, char *const *texts)
{
    PyObject *done = core_call_end(call, status, err, "");
    if (done == NULL) {
        for (size_t i = 0; i < 3; i++) sbl_free(texts[i]);
        return NULL;
    }
    Py_DECREF(done);
    PyObject *json = core_text(texts[0]), *text = core_text(texts[1]), *page = core_text(texts[2]);
    return Py_BuildValue("NNN", json, text, page);
}

static bool optional_data(core_data **data, PyObject *capsule)
{
    *data = capsule == Py_None ? NULL : core_data_of(capsule);
    return *data != NULL || PyErr_Occurred() == NULL;
}

/* evaluate_data(real, synthetic, train or None, schema or None (images), certificate or None, models or None, seed,
 * threads, title or None, progress): (json, text, html). */
static PyObject *evaluate_data(PyObject *module, PyObject *arguments)
{
    PyObject *first, *second, *third, *facts, *progress;
    const char *certificate, *models, *title;
    const sbl_schema *schema = NULL;
    unsigned long long seed;
    unsigned threads;
    core_call call;
    core_data *real, *synthetic, *train;
    sbl_evaluate_options options;
    char *texts[3] = {NULL, NULL, NULL};
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOzzKIzO", &first, &second, &third, &facts, &certificate,
                          &models, &seed, &threads, &title, &progress))
        return NULL;
    if (facts != Py_None) schema = PyCapsule_GetPointer(facts, CORE_SCHEMA);
    if (facts != Py_None && schema == NULL) return NULL;
    real = core_data_of(first);
    synthetic = real != NULL ? core_data_of(second) : NULL;
    if (synthetic == NULL || !optional_data(&train, third)) return NULL;
    fill(&options, &call, models, seed, threads, progress);
    options.title = title;
    Py_BEGIN_ALLOW_THREADS
    status = sbl_evaluate(&texts[0], &texts[1], &texts[2], real->data,
                               synthetic->data, train != NULL ? train->data : NULL, schema,
                               certificate, &options, &err);
    Py_END_ALLOW_THREADS
    if (status != SBL_OK && call.trouble.type == NULL &&
        (core_data_raise(real) || core_data_raise(synthetic) || core_data_raise(train)))
        return NULL;
    return three(&call, status, &err, texts);
}

/* report_texts(certificate or None, evaluation or None, title or None): HTML. */
static PyObject *report_texts(PyObject *module, PyObject *arguments)
{
    const char *certificate, *evaluation, *title;
    char *html = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "zzz", &certificate, &evaluation, &title)) return NULL;
    const sbl_status status = sbl_report_texts(&html, certificate, evaluation, title, &err);
    return status == SBL_OK ? core_text(html) : core_fail(&err, status, "certificate");
}

PyMethodDef core_evaluate_methods[] = {
    {"evaluate_data", evaluate_data, METH_VARARGS, NULL},
    {"report_texts", report_texts, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
