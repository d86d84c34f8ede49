/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a stream that the library drew as Python values, for those who have no Arrow library at
 * hand. Only the types that it draws: int64, double, date32, timestamp[s], bool, utf8. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

static bool is_valid(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->buffers[0];
    return bits == NULL || (bits[row / 8] >> (row % 8) & 1) != 0;
}

/* A date as days, a datetime as seconds: whole numbers. */
static PyObject *value_at(const char *format, const struct ArrowArray *array, int64_t row)
{
    const int64_t i = row + array->offset;
    const void *values = array->buffers[1];
    if (!is_valid(array, i)) Py_RETURN_NONE;
    if (strcmp(format, "l") == 0 || strncmp(format, "tss:", 4) == 0)
        return PyLong_FromLongLong(((const int64_t *)values)[i]);
    if (strcmp(format, "g") == 0) return PyFloat_FromDouble(((const double *)values)[i]);
    if (strcmp(format, "tdD") == 0) return PyLong_FromLong(((const int32_t *)values)[i]);
    if (strcmp(format, "b") == 0)
        return PyBool_FromLong(((const uint8_t *)values)[i / 8] >> (i % 8) & 1);
    if (strcmp(format, "u") == 0) {
        const int32_t *ends = values;
        return PyUnicode_FromStringAndSize((const char *)array->buffers[2] + ends[i],
                                           ends[i + 1] - ends[i]);
    }
    return PyErr_Format(PyExc_TypeError, "a column has the unsupported Arrow type '%s'", format);
}

static bool add_rows(PyObject *columns, const struct ArrowSchema *schema,
                     const struct ArrowArray *batch)
{
    for (int64_t c = 0; c < schema->n_children; c++) {
        PyObject *list = PyTuple_GetItem(PyList_GetItem(columns, (Py_ssize_t)c), 2);
        for (int64_t row = 0; row < batch->length; row++) {
            PyObject *value = value_at(schema->children[c]->format, batch->children[c],
                                       row + batch->offset);
            if (value == NULL || PyList_Append(list, value) != 0) {
                Py_XDECREF(value);
                return false;
            }
            Py_DECREF(value);
        }
    }
    return true;
}

/* What the library said when its stream failed, as it says it elsewhere. */
static bool stream_failed(struct ArrowArrayStream *stream, int code)
{
    const char *said = stream->get_last_error(stream);
    sbl_error err = {.status = code == EINVAL ? SBL_EARG : code == ENOMEM ? SBL_EMEM : SBL_EIO};
    (void)snprintf(err.message, sizeof err.message, "%s", said != NULL ? said : "the stream failed");
    (void)core_fail(&err, err.status, "");
    return false;
}

static bool read_batches(PyObject *columns, struct ArrowArrayStream *stream,
                         const struct ArrowSchema *schema, int64_t most)
{
    for (int64_t rows = 0; rows < most;) {
        struct ArrowArray batch = {0};
        int code;
        Py_BEGIN_ALLOW_THREADS
        code = stream->get_next(stream, &batch);
        Py_END_ALLOW_THREADS
        if (code != 0) return stream_failed(stream, code);
        if (batch.release == NULL) return true;
        rows += batch.length;
        const bool good = add_rows(columns, schema, &batch) && PyErr_CheckSignals() == 0;
        batch.release(&batch);
        if (!good) return false;
    }
    return true;
}

/* stream_columns(capsule, most): list of (name, format, values); read to its end, or until there are `most`
 * rows. */
static PyObject *stream_columns(PyObject *module, PyObject *arguments)
{
    PyObject *capsule;
    long long most;
    struct ArrowSchema schema = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OL", &capsule, &most)) return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, CORE_STREAM);
    if (stream == NULL) return NULL;
    if (stream->get_schema(stream, &schema) != 0)
        return PyErr_Format(PyExc_RuntimeError, "the stream has no schema");
    PyObject *columns = PyList_New(0);
    for (int64_t c = 0; columns != NULL && c < schema.n_children; c++) {
        PyObject *column = Py_BuildValue("ss[]", schema.children[c]->name, schema.children[c]->format);
        if (column == NULL || PyList_Append(columns, column) != 0) Py_CLEAR(columns);
        Py_XDECREF(column);
    }
    if (columns != NULL && !read_batches(columns, stream, &schema, most)) Py_CLEAR(columns);
    schema.release(&schema);
    return columns;
}

PyMethodDef core_columns_methods[] = {
    {"stream_columns", stream_columns, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
