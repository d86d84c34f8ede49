/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers and certificates. */
#include <string.h>

#include "core.h"
#include "semblance/certificate.h"
#include "semblance/ledger.h"
#include "semblance/memory.h"

static PyObject *none_or(sbl_status status, const sbl_error *err, const char *about)
{
    if (status != SBL_OK) return core_fail(err, status, about);
    Py_RETURN_NONE;
}

static bool budget(sbl_ledger_options *options, const char **path, PyObject *arguments)
{
    const char *neighbours, *delta;
    int pure;
    unsigned long long rows = 0;
    sbl_ledger_options_init(options);
    if (!PyArg_ParseTuple(arguments, "sszzp|K", path, &neighbours, &options->epsilon, &delta, &pure,
                          &rows))
        return false;
    options->rows_per_unit = rows;
    if (delta != NULL) options->delta = delta;
    options->pure = pure != 0;
    if (strcmp(neighbours, sbl_neighbours_name(SBL_ADD_REMOVE)) == 0)
        options->neighbours = SBL_ADD_REMOVE;
    return true;
}

/* ledger_init(path, neighbours, epsilon or None, delta or None, pure[, rows of a person that count,
 * 0: a ledger of rows]); epsilon and delta as texts. */
static PyObject *ledger_init(PyObject *module, PyObject *arguments)
{
    const char *path;
    sbl_ledger_options options;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!budget(&options, &path, arguments)) return NULL;
    return none_or(sbl_ledger_init(path, &options, &err), &err, "ledger");
}

/* ledger_limit(...): as above; neighbours do not matter. */
static PyObject *ledger_limit(PyObject *module, PyObject *arguments)
{
    const char *path;
    sbl_ledger_options options;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!budget(&options, &path, arguments)) return NULL;
    return none_or(sbl_ledger_limit(path, &options, &err), &err, "ledger");
}

static PyObject *ledger_describe(PyObject *module, PyObject *arguments)
{
    const char *path;
    char *json = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    const sbl_status status = sbl_ledger_describe(&json, path, &err);
    return status == SBL_OK ? core_text(json) : core_fail(&err, status, "ledger");
}

/* certificate_read(text): (dict of facts, statement). */
static PyObject *certificate_read(PyObject *module, PyObject *arguments)
{
    const char *text;
    Py_ssize_t length;
    char *statement = NULL;
    sbl_guarantee facts = {.struct_size = sizeof facts};
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s#", &text, &length)) return NULL;
    const sbl_status status = sbl_certificate_read(&facts, &statement, text, (size_t)length, &err);
    if (status != SBL_OK) return core_fail(&err, status, "certificate");
    PyObject *words = core_text(statement);
    return Py_BuildValue(
        "{s:N,s:d,s:d,s:d,s:d,s:s,s:K,s:K,s:K,s:N,s:N,s:s,s:s}N", "holds",
        PyBool_FromLong(facts.holds), "epsilon", facts.epsilon, "delta", facts.delta, "mu",
        facts.mu, "epsilon_of_run", facts.epsilon_of_run, "neighbours",
        sbl_neighbours_name(facts.neighbours), "n", (unsigned long long)facts.n, "releases",
        (unsigned long long)facts.releases, "others", (unsigned long long)facts.others, "run_only",
        PyBool_FromLong(facts.run_only), "images", PyBool_FromLong(facts.images), "method",
        facts.method, "trained_on", facts.trained_on, words);
}

/* certificate_verify(path, ledger, model, output, schema, key, signature), all but the first may be None:
 * statement. */
static PyObject *certificate_verify(PyObject *module, PyObject *arguments)
{
    const char *path, *output;
    char *statement = NULL;
    sbl_certificate_files files;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    sbl_certificate_files_init(&files);
    if (!PyArg_ParseTuple(arguments, "szzzzzz", &path, &files.ledger, &files.model, &output,
                          &files.schema, &files.key, &files.signature))
        return NULL;
    files.outputs = &output;
    files.output_count = output != NULL ? 1 : 0;
    Py_BEGIN_ALLOW_THREADS status = sbl_certificate_verify(&statement, path, &files, &err);
    Py_END_ALLOW_THREADS return status == SBL_OK ? core_text(statement)
                                                 : core_fail(&err, status, "certificate");
}

/* certificate_sign(path, key, signature): writes the signature, which must not be there. */
static PyObject *certificate_sign(PyObject *module, PyObject *arguments)
{
    const char *path, *key, *signature;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sss", &path, &key, &signature)) return NULL;
    return none_or(sbl_certificate_sign(path, key, signature, false, &err), &err, "certificate");
}

PyMethodDef core_ledger_methods[] = {
    {"ledger_init", ledger_init, METH_VARARGS, NULL},
    {"ledger_limit", ledger_limit, METH_VARARGS, NULL},
    {"ledger_describe", ledger_describe, METH_VARARGS, NULL},
    {"certificate_read", certificate_read, METH_VARARGS, NULL},
    {"certificate_verify", certificate_verify, METH_VARARGS, NULL},
    {"certificate_sign", certificate_sign, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
