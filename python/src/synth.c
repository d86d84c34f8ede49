/* SPDX-License-Identifier: Apache-2.0 */
/* A synthesizer: planning, fitting, and what it holds then. The caller sees to it that one handle is
 * one thread's at a time. */
#include "core.h"
#include "semblance/memory.h"

static sbl_synthesizer *synth_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CORE_SYNTH);
}

static void release_synth(PyObject *capsule) { sbl_synthesizer_free(synth_of(capsule)); }

static PyObject *synth_new(PyObject *module, PyObject *nothing)
{
    sbl_synthesizer *synth = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module, (void)nothing;
    const sbl_status status = sbl_synthesizer_new(&synth, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    return PyCapsule_New(synth, CORE_SYNTH, release_synth);
}

/* ---- work ---- */

/* synth_plan(schema or None, data of images or None, n, json, options): text. data False: the schema is of linked tables. */
static PyObject *synth_plan(PyObject *module, PyObject *arguments)
{
    PyObject *first, *second, *pairs;
    unsigned long long n;
    int json;
    core_call call;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOKpO", &first, &second, &n, &json, &pairs)) return NULL;
    const sbl_schema *schema = first == Py_None ? NULL : PyCapsule_GetPointer(first, CORE_SCHEMA);
    const bool linked = second == Py_False;
    core_data *data = second == Py_None || linked ? NULL : core_data_of(second);
    if (PyErr_Occurred() != NULL || !core_call_begin(&call, pairs, Py_None, Py_None)) return NULL;
    sbl_data *table = NULL; /* not opened: what counts is how it is written */
    status = data == NULL && !linked ? sbl_data_open(&table, "-", &call.reading, &err) : SBL_OK;
    sbl_data *records = data != NULL ? data->data : table;
    Py_BEGIN_ALLOW_THREADS if (status == SBL_OK) status =
        sbl_synthesizer_plan(&text, schema, records, n, json != 0, &call.options, &err);
    sbl_data_free(table);
    Py_END_ALLOW_THREADS PyObject *done = core_call_end(&call, status, &err, "");
    if (done == NULL) {
        sbl_free(text);
        return NULL;
    }
    Py_DECREF(done);
    return core_text(text);
}

/* synth_fit(synth, data or the path of a CSV file, schema or None, resume, options, progress, notice). */
static PyObject *synth_fit(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *records, *facts, *pairs, *progress, *notice;
    int resume;
    core_call call;
    sbl_data *file = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = SBL_OK;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOpOOO", &handle, &records, &facts, &resume, &pairs,
                          &progress, &notice))
        return NULL;
    sbl_synthesizer *synth = synth_of(handle);
    const char *path = PyUnicode_Check(records) ? PyUnicode_AsUTF8AndSize(records, NULL) : NULL;
    core_data *data = synth != NULL && path == NULL ? core_data_of(records) : NULL;
    if (data == NULL && path == NULL) return NULL;
    const sbl_schema *schema = facts == Py_None ? NULL : PyCapsule_GetPointer(facts, CORE_SCHEMA);
    if (PyErr_Occurred() != NULL || !core_call_begin(&call, pairs, progress, notice)) return NULL;
    if (path != NULL) status = sbl_data_open(&file, path, &call.reading, &err);
    sbl_data *from = path != NULL ? file : data->data;
    Py_BEGIN_ALLOW_THREADS if (status == SBL_OK) status =
        resume ? sbl_synthesizer_resume(synth, from, schema, &call.options, &err)
               : sbl_synthesizer_fit(synth, from, schema, &call.options, &err);
    sbl_data_free(file);
    Py_END_ALLOW_THREADS if (status != SBL_OK && data != NULL && call.trouble.type == NULL &&
                             core_data_raise(data)) return NULL;
    return core_call_end(&call, status, &err, "");
}

/* synth_train(synth, options, progress, notice): from the releases that it holds. */
static PyObject *synth_train(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *pairs, *progress, *notice;
    core_call call;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &handle, &pairs, &progress, &notice)) return NULL;
    sbl_synthesizer *synth = synth_of(handle);
    if (synth == NULL || !core_call_begin(&call, pairs, progress, notice)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = sbl_synthesizer_train(synth, &call.options, &err);
    Py_END_ALLOW_THREADS return core_call_end(&call, status, &err, "");
}

/* ---- what it holds ---- */

static PyObject *bytes_and_free(uint8_t *bytes, size_t size)
{
    PyObject *made = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    sbl_free(bytes);
    return made;
}

static PyObject *synth_save(PyObject *module, PyObject *handle)
{
    const sbl_synthesizer *synth = synth_of(handle);
    uint8_t *bytes = NULL;
    size_t size = 0;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (synth == NULL) return NULL;
    const sbl_status status = sbl_synthesizer_save(synth, &bytes, &size, NULL, false, &err);
    return status == SBL_OK ? bytes_and_free(bytes, size) : core_fail(&err, status, "");
}

/* synth_replace(synth, path): the same as a file, in place of one that may be there; never of a ledger. */
static PyObject *synth_replace(PyObject *module, PyObject *arguments)
{
    PyObject *handle;
    const char *path;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Os", &handle, &path)) return NULL;
    const sbl_synthesizer *synth = synth_of(handle);
    if (synth == NULL) return NULL;
    const sbl_status status = sbl_synthesizer_save(synth, NULL, NULL, path, true, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    Py_RETURN_NONE;
}

/* synth_load(synth, bytes). */
static PyObject *synth_load(PyObject *module, PyObject *arguments)
{
    PyObject *handle, *bytes;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OS", &handle, &bytes)) return NULL;
    sbl_synthesizer *synth = synth_of(handle);
    if (synth == NULL) return NULL;
    const sbl_status status = sbl_synthesizer_load(synth, (const uint8_t *)PyBytes_AsString(bytes),
                                                   (size_t)PyBytes_Size(bytes), NULL, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    Py_RETURN_NONE;
}

/* synth_texts(synth): (certificate, statement, ledger), each None where there is none. */
static PyObject *synth_texts(PyObject *module, PyObject *handle)
{
    const sbl_synthesizer *synth = synth_of(handle);
    (void)module;
    if (synth == NULL) return NULL;
    return Py_BuildValue("zzz", sbl_synthesizer_text(synth, SBL_TEXT_CERTIFICATE),
                         sbl_synthesizer_text(synth, SBL_TEXT_STATEMENT),
                         sbl_synthesizer_text(synth, SBL_TEXT_LEDGER));
}

/* synth_releases(synth): list of bytes. */
static PyObject *synth_releases(PyObject *module, PyObject *handle)
{
    sbl_synthesizer *synth = synth_of(handle);
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (synth == NULL) return NULL;
    sbl_status status = sbl_synthesizer_get_facts(synth, &facts, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < facts.releases; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        status = sbl_synthesizer_release(synth, &bytes, &size, i, &err);
        PyObject *item =
            status == SBL_OK ? bytes_and_free(bytes, size) : core_fail(&err, status, "");
        if (item == NULL || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* synth_facts(synth): dict, or None without a model. */
static PyObject *synth_facts(PyObject *module, PyObject *handle)
{
    sbl_synthesizer *synth = synth_of(handle);
    sbl_synthesizer_facts facts = {.struct_size = sizeof facts};
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (synth == NULL) return NULL;
    const sbl_status status = sbl_synthesizer_get_facts(synth, &facts, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    if (!facts.has_model) Py_RETURN_NONE;
    return Py_BuildValue(
        "{s:N,s:s,s:K,s:K,s:K,s:K,s:K,s:K}", "images", PyBool_FromLong(facts.images), "method",
        facts.method, "rows", (unsigned long long)facts.rows, "height",
        (unsigned long long)facts.height, "width", (unsigned long long)facts.width, "channels",
        (unsigned long long)facts.channels, "classes", (unsigned long long)facts.classes, "tables",
        (unsigned long long)facts.tables);
}

/* synth_schema(synth): JSON of what is drawn. */
static PyObject *synth_schema(PyObject *module, PyObject *handle)
{
    sbl_synthesizer *synth = synth_of(handle);
    sbl_schema *schema = NULL;
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (synth == NULL) return NULL;
    sbl_status status = sbl_synthesizer_schema(&schema, synth, &err);
    if (status == SBL_OK) status = sbl_schema_as_json(&json, schema, &err);
    sbl_schema_free(schema);
    return status == SBL_OK ? core_text(json) : core_fail(&err, status, "schema");
}

PyMethodDef core_synth_methods[] = {
    {"synth_new", synth_new, METH_NOARGS, NULL},
    {"synth_plan", synth_plan, METH_VARARGS, NULL},
    {"synth_fit", synth_fit, METH_VARARGS, NULL},
    {"synth_train", synth_train, METH_VARARGS, NULL},
    {"synth_save", synth_save, METH_O, NULL},
    {"synth_replace", synth_replace, METH_VARARGS, NULL},
    {"synth_load", synth_load, METH_VARARGS, NULL},
    {"synth_texts", synth_texts, METH_O, NULL},
    {"synth_releases", synth_releases, METH_O, NULL},
    {"synth_facts", synth_facts, METH_O, NULL},
    {"synth_schema", synth_schema, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
