/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to questions, from the bytes of a release. */
#include "core.h"
#include "semblance/ask.h"
#include "semblance/memory.h"

/* answers_text(release, table): JSON, or the table for people. */
static PyObject *answers_text(PyObject *module, PyObject *arguments)
{
    PyObject *bytes;
    int table;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Sp", &bytes, &table)) return NULL;
    const sbl_status status =
        sbl_answers_text(&text, (const uint8_t *)PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes),
                         table != 0 ? SBL_ANSWERS_TABLE : SBL_ANSWERS_JSON, &err);
    return status == SBL_OK ? core_text(text) : core_fail(&err, status, "");
}

/* answers_check(release, finding): the verdict as JSON. */
static PyObject *answers_check(PyObject *module, PyObject *arguments)
{
    PyObject *bytes;
    const char *finding;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Ss", &bytes, &finding)) return NULL;
    const sbl_status status = sbl_answers_check(&text, (const uint8_t *)PyBytes_AsString(bytes),
                                                (size_t)PyBytes_Size(bytes), finding, &err);
    return status == SBL_OK ? core_text(text) : core_fail(&err, status, "");
}

PyMethodDef core_ask_methods[] = {
    {"answers_text", answers_text, METH_VARARGS, NULL},
    {"answers_check", answers_check, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
