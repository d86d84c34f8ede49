/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: what is publicly known of a table. */
#include "core.h"
#include "semblance/synthesizer.h"

static void release_schema(PyObject *capsule)
{
    sbl_schema_free(PyCapsule_GetPointer(capsule, CORE_SCHEMA));
}

/* schema_parse(json): schema. */
static PyObject *schema_parse(PyObject *module, PyObject *arguments)
{
    const char *json;
    Py_ssize_t length;
    sbl_schema *schema = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s#", &json, &length)) return NULL;
    const sbl_status status = sbl_schema_from_json(&schema, json, (size_t)length, NULL, &err);
    if (status != SBL_OK) return core_fail(&err, status, "schema");
    return PyCapsule_New(schema, CORE_SCHEMA, release_schema);
}

/* schema_read(path, allow_outside): JSON of what a file says; of a package with the keys of its public tables. */
static PyObject *schema_read(PyObject *module, PyObject *arguments)
{
    const char *path;
    int outside = 0;
    char *json = NULL;
    sbl_schema *schema = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sp", &path, &outside)) return NULL;
    sbl_status status = sbl_schema_from_file(&schema, path, outside != 0, &err);
    if (status == SBL_OK) status = sbl_schema_as_json(&json, schema, &err);
    sbl_schema_free(schema);
    return status == SBL_OK ? core_text(json) : core_fail(&err, status, "schema");
}

/* schema_json(schema): text of what it means. */
static PyObject *schema_json(PyObject *module, PyObject *capsule)
{
    const sbl_schema *schema = PyCapsule_GetPointer(capsule, CORE_SCHEMA);
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (schema == NULL) return NULL;
    const sbl_status status = sbl_schema_as_json(&json, schema, &err);
    return status == SBL_OK ? core_text(json) : core_fail(&err, status, "schema");
}

/* schema_accept_file(schema_path, take): JSON of the accepted schema. */
static PyObject *schema_accept_file(PyObject *module, PyObject *arguments)
{
    const char *path, *take;
    char *json = NULL, *words = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ss", &path, &take)) return NULL;
    const sbl_status status = sbl_schema_accept(&json, &words, path, take, NULL, false, &err);
    sbl_free(words);
    return status == SBL_OK ? core_text(json) : core_fail(&err, status, "take");
}

PyMethodDef core_schema_methods[] = {
    {"schema_parse", schema_parse, METH_VARARGS, NULL},
    {"schema_read", schema_read, METH_VARARGS, NULL},
    {"schema_json", schema_json, METH_O, NULL},
    {"schema_accept_file", schema_accept_file, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
