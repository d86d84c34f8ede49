/* SPDX-License-Identifier: Apache-2.0 */
/* A run in parts, in memory: plans, keys and sums are bytes that a driver and its workers hand each other
 * (semblance/shards.h). Only a release has files. */
#include "semblance/shards.h"

#include "core.h"
#include "semblance/memory.h"

/* What a step makes in memory. */
typedef struct made {
    uint8_t *bytes;
    size_t size;
    char *key;
} made;

static void begin(sbl_shards *parts, sbl_shards_step step, made *result)
{
    sbl_shards_init(parts);
    parts->step = step;
    parts->made = &result->bytes;
    parts->made_size = &result->size;
    parts->made_key = &result->key;
}

/* The bytes, and freed. */
static PyObject *bytes_of(made *result)
{
    PyObject *bytes =
        PyBytes_FromStringAndSize((const char *)result->bytes, (Py_ssize_t)result->size);
    sbl_free(result->bytes);
    return bytes;
}

/* (plan, key), and freed; None where there is no plan. */
static PyObject *plan_of(made *result)
{
    if (result->bytes == NULL) Py_RETURN_NONE;
    PyObject *plan = bytes_of(result);
    PyObject *both = Py_BuildValue("Ny", plan, result->key);
    sbl_free(result->key);
    return both;
}

/* One step without the interpreter's lock. False: an exception is set, and nothing is made.
 * data: what it reads; NULL: nothing. */
static bool run(core_call *call, char **text, made *result, const sbl_shards *parts, core_data *data)
{
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    Py_BEGIN_ALLOW_THREADS status = sbl_shards_run(text, parts, &call->options, &err);
    Py_END_ALLOW_THREADS if (status != SBL_OK && call->trouble.type == NULL &&
                             core_data_raise(data)) return false;
    PyObject *done = core_call_end(call, status, &err, "");
    if (done == NULL) { /* also where a notice raised */
        sbl_free(result->bytes);
        sbl_free(result->key);
        if (text != NULL) sbl_free(*text);
    }
    Py_XDECREF(done);
    return done != NULL;
}

/* parts_plan(schema or None, rows, options, images=None): (plan, key) of round 1, of a table or of images. */
static PyObject *parts_plan(PyObject *module, PyObject *arguments)
{
    PyObject *schema, *pairs, *images = Py_None;
    unsigned long long rows;
    core_call call;
    sbl_shards parts;
    made result = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OKO|O", &schema, &rows, &pairs, &images)) return NULL;
    begin(&parts, SBL_SHARDS_PLAN, &result);
    core_data *data = images != Py_None ? core_data_of(images) : NULL;
    parts.schema = schema != Py_None ? PyCapsule_GetPointer(schema, CORE_SCHEMA) : NULL;
    parts.data = data != NULL ? data->data : NULL;
    parts.rows = rows;
    if (PyErr_Occurred() != NULL || !core_call_begin(&call, pairs, Py_None, Py_None)) return NULL;
    return run(&call, NULL, &result, &parts, data) ? plan_of(&result) : NULL;
}

/* parts_next(plan, key, release, options): (plan, key) of the round after the releases that begin with this file; None:
 * the run is complete. */
static PyObject *parts_next(PyObject *module, PyObject *arguments)
{
    PyObject *pairs;
    core_call call;
    sbl_shards parts;
    made result = {0};
    (void)module;
    begin(&parts, SBL_SHARDS_PLAN, &result);
    if (!PyArg_ParseTuple(arguments, "yysO", &parts.plan_text, &parts.key_text, &parts.release,
                          &pairs) ||
        !core_call_begin(&call, pairs, Py_None, Py_None))
        return NULL;
    return run(&call, NULL, &result, &parts, NULL) ? plan_of(&result) : NULL;
}

/* parts_share(data, plan, key, shares): of every row, which part it is in; bytes of uint32. */
static PyObject *parts_share(PyObject *module, PyObject *arguments)
{
    PyObject *records, *pairs = NULL;
    unsigned long long shares;
    core_call call;
    sbl_shards parts;
    made result = {0};
    bool good;
    (void)module;
    begin(&parts, SBL_SHARDS_SHARE, &result);
    if (!PyArg_ParseTuple(arguments, "OyyK", &records, &parts.plan_text, &parts.key_text, &shares))
        return NULL;
    core_data *data = core_data_of(records);
    if (data == NULL || (pairs = PyList_New(0)) == NULL) return NULL;
    parts.data = data->data;
    parts.shares = shares;
    good =
        core_call_begin(&call, pairs, Py_None, Py_None) && run(&call, NULL, &result, &parts, data);
    Py_DECREF(pairs);
    return good ? bytes_of(&result) : NULL;
}

/* parts_sum(data, plan, key, part, attempt, options): one sealed part. */
static PyObject *parts_sum(PyObject *module, PyObject *arguments)
{
    PyObject *records, *pairs;
    unsigned long long attempt;
    core_call call;
    sbl_shards parts;
    made result = {0};
    (void)module;
    begin(&parts, SBL_SHARDS_SUM, &result);
    if (!PyArg_ParseTuple(arguments, "OyysKO", &records, &parts.plan_text, &parts.key_text,
                          &parts.part, &attempt, &pairs))
        return NULL;
    core_data *data = core_data_of(records);
    if (data == NULL || !core_call_begin(&call, pairs, Py_None, Py_None)) return NULL;
    parts.data = data->data;
    parts.attempt = attempt;
    return run(&call, NULL, &result, &parts, data) ? bytes_of(&result) : NULL;
}

/* The sums of a list of bytes, which holds them. False: an exception is set. */
static bool list_sums(sbl_sum_bytes *sums, PyObject *list, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        char *bytes;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &bytes, &size) != 0) return false;
        sums[i] = (sbl_sum_bytes){(const uint8_t *)bytes, (size_t)size};
    }
    return true;
}

/* parts_merge(list of bytes, plan, key): one sum of all. */
static PyObject *parts_merge(PyObject *module, PyObject *arguments)
{
    PyObject *list, *pairs = PyList_New(0);
    core_call call;
    sbl_shards parts;
    made result = {0};
    sbl_sum_bytes *sums = NULL;
    bool good = false;
    (void)module;
    begin(&parts, SBL_SHARDS_MERGE, &result);
    if (pairs != NULL && PyArg_ParseTuple(arguments, "O!yy", &PyList_Type, &list, &parts.plan_text,
                                          &parts.key_text)) {
        const Py_ssize_t count = PyList_Size(list);
        sums = PyMem_Calloc((size_t)count + 1, sizeof *sums);
        if (sums == NULL) (void)PyErr_NoMemory();
        parts.sum_bytes = sums;
        parts.sum_count = (size_t)count;
        good = sums != NULL && list_sums(sums, list, count) &&
               core_call_begin(&call, pairs, Py_None, Py_None) &&
               run(&call, NULL, &result, &parts, NULL);
    }
    PyMem_Free(sums);
    Py_XDECREF(pairs);
    return good ? bytes_of(&result) : NULL;
}

/* parts_release(sum, plan, key, output, options, notice): the guarantee in words. Charges, and draws noise. */
static PyObject *parts_release(PyObject *module, PyObject *arguments)
{
    PyObject *sum, *pairs, *notice;
    core_call call;
    sbl_shards parts;
    made result = {0};
    char *text = NULL;
    (void)module;
    sbl_shards_init(&parts);
    parts.step = SBL_SHARDS_RELEASE;
    if (!PyArg_ParseTuple(arguments, "SyysOO", &sum, &parts.plan_text, &parts.key_text,
                          &parts.output, &pairs, &notice) ||
        !core_call_begin(&call, pairs, Py_None, notice))
        return NULL;
    const sbl_sum_bytes bytes = {(const uint8_t *)PyBytes_AsString(sum), (size_t)PyBytes_Size(sum)};
    parts.sum_bytes = &bytes;
    parts.sum_count = 1;
    return run(&call, &text, &result, &parts, NULL) ? core_text(text) : NULL;
}

PyMethodDef core_parts_methods[] = {
    {"parts_plan", parts_plan, METH_VARARGS, NULL},
    {"parts_next", parts_next, METH_VARARGS, NULL},
    {"parts_share", parts_share, METH_VARARGS, NULL},
    {"parts_sum", parts_sum, METH_VARARGS, NULL},
    {"parts_merge", parts_merge, METH_VARARGS, NULL},
    {"parts_release", parts_release, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
