/* SPDX-License-Identifier: Apache-2.0 */
/* What the library is: its version, build, methods and options; and privacy arithmetic. */
#include "core.h"
#include "semblance/account.h"
#include "semblance/combine.h"
#include "semblance/evaluate.h"
#include "semblance/version.h"

static PyObject *version(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyUnicode_FromString(sbl_version());
}

/* What both libraries say of themselves. */
static PyObject *build(PyObject *module, PyObject *nothing)
{
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module, (void)nothing;
    sbl_status status = sbl_build_describe(&text, NULL, &err);
    if (status != SBL_OK) return core_fail(&err, status, "");
    PyObject *core = core_text(text);
    status = sbl_evaluate_describe_build(&text, &err);
    if (status != SBL_OK) {
        Py_XDECREF(core);
        return core_fail(&err, status, "");
    }
    PyObject *evaluate = core_text(text);
    PyObject *both = core != NULL && evaluate != NULL ? PyUnicode_Concat(core, evaluate) : NULL;
    Py_XDECREF(core);
    Py_XDECREF(evaluate);
    return both;
}

static bool append(PyObject **list, PyObject *item)
{
    if (item == NULL || PyList_Append(*list, item) != 0) Py_CLEAR(*list);
    Py_XDECREF(item);
    return *list != NULL;
}

/* methods(): list of (name, summary, tables, images). */
static PyObject *methods(PyObject *module, PyObject *nothing)
{
    PyObject *list = PyList_New(0);
    (void)module, (void)nothing;
    for (size_t i = 0; list != NULL && sbl_method_at(i) != NULL; i++) {
        const sbl_method_facts *method = sbl_method_at(i);
        PyObject *tables = PyBool_FromLong((method->kinds & SBL_TABLES) != 0);
        PyObject *images = PyBool_FromLong((method->kinds & SBL_IMAGES) != 0);
        if (!append(&list, Py_BuildValue("ssNN", method->name, method->summary, tables, images))) return NULL;
    }
    return list;
}

static PyObject *texts(const char *const *list)
{
    if (list == NULL) Py_RETURN_NONE;
    PyObject *made = PyList_New(0);
    for (; made != NULL && *list != NULL; list++)
        if (!append(&made, PyUnicode_FromString(*list))) return NULL;
    return made;
}

/* The names of the methods that use an option; None: all do. */
static PyObject *users(const sbl_option *option)
{
    if (option->common || option->forms != 0) Py_RETURN_NONE;
    PyObject *made = PyList_New(0);
    for (size_t i = 1; made != NULL && sbl_method_at(i) != NULL; i++) { /* 0: auto */
        const char *name = sbl_method_at(i)->name;
        if (!sbl_option_is_used(option, name, SBL_TABLES) && !sbl_option_is_used(option, name, SBL_IMAGES))
            continue;
        if (!append(&made, PyUnicode_FromString(name))) return NULL;
    }
    return made;
}

/* The forms of data that an option applies to; None: it is not one of data. */
static PyObject *forms(const sbl_option *option)
{
    static const char *const names[] = {"csv", "json", "parquet", "database", "images", "package"};
    const char *list[sizeof names / sizeof names[0] + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((option->forms & 1U << i) != 0) list[count++] = names[i];
    return texts(count > 0 ? list : NULL);
}

/* options(): list of (name, is a flag, help, default or None, choices or None, methods or None, range or None, forms of
 * data or None). */
static PyObject *options(PyObject *module, PyObject *nothing)
{
    PyObject *list = PyList_New(0);
    (void)module, (void)nothing;
    for (size_t i = 0; list != NULL && sbl_option_at(i) != NULL; i++) {
        const sbl_option *option = sbl_option_at(i);
        PyObject *flag = PyBool_FromLong(option->type == SBL_OPTION_FLAG);
        PyObject *choices = texts(option->choices), *used = users(option);
        const char *range = option->range != NULL ? option->range->words : NULL;
        if (!append(&list, Py_BuildValue("sNszNNzN", option->name, flag, option->help, option->standard,
                                         choices, used, range, forms(option))))
            return NULL;
    }
    return list;
}

static PyObject *number_or(sbl_status status, double number, const sbl_error *err)
{
    return status == SBL_OK ? PyFloat_FromDouble(number) : core_fail(err, status, "");
}

/* epsilon_of(mu, delta), mu_of(epsilon, delta). */
static PyObject *epsilon_of(PyObject *module, PyObject *arguments)
{
    double mu, delta, epsilon = 0;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "dd", &mu, &delta)) return NULL;
    const sbl_status status = sbl_mixed_epsilon(&epsilon, mu, 0, 0, delta, &err);
    return number_or(status, epsilon, &err);
}

static PyObject *mu_of(PyObject *module, PyObject *arguments)
{
    double epsilon, delta, mu = 0;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "dd", &epsilon, &delta)) return NULL;
    const sbl_status status = sbl_gdp_mu(&mu, epsilon, delta, &err);
    return number_or(status, mu, &err);
}

/* The numbers of a sequence; PyMem_Free(). NULL: an exception is set. */
static double *numbers_of(PyObject *sequence, Py_ssize_t count)
{
    double *numbers = PyMem_Malloc(((size_t)count + 1) * sizeof *numbers);
    if (numbers == NULL) PyErr_NoMemory();
    for (Py_ssize_t i = 0; numbers != NULL && i < count; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        numbers[i] = item != NULL ? PyFloat_AsDouble(item) : -1.0;
        Py_XDECREF(item);
        if (PyErr_Occurred() == NULL) continue;
        PyMem_Free(numbers);
        numbers = NULL;
    }
    return numbers;
}

/* combine(estimates, variances, level, row_ratio): two sequences of the same length. */
static PyObject *combine(PyObject *module, PyObject *arguments)
{
    PyObject *estimates, *variances, *answer = NULL;
    sbl_combine_options how;
    sbl_combined c = {.struct_size = sizeof c};
    sbl_error err = {.status = SBL_OK};
    (void)module;
    sbl_combine_options_init(&how);
    if (!PyArg_ParseTuple(arguments, "OOdd", &estimates, &variances, &how.level, &how.row_ratio)) return NULL;
    const Py_ssize_t count = PySequence_Size(estimates);
    if (count < 0) return NULL;
    double *first = numbers_of(estimates, count),
           *second = first != NULL ? numbers_of(variances, count) : NULL;
    if (second != NULL) {
        const sbl_status status = sbl_combine(&c, first, second, (size_t)count, &how, &err);
        answer = status == SBL_OK ? Py_BuildValue("dddddd", c.estimate, c.low, c.high, c.standard_error,
                                                  c.degrees_of_freedom, c.privacy_share)
                                  : core_fail(&err, status, "");
    }
    PyMem_Free(first);
    PyMem_Free(second);
    return answer;
}

PyMethodDef core_facts_methods[] = {
    {"combine", combine, METH_VARARGS, NULL}, {"version", version, METH_NOARGS, NULL},
    {"build", build, METH_NOARGS, NULL},      {"methods", methods, METH_NOARGS, NULL},
    {"options", options, METH_NOARGS, NULL},  {"epsilon_of", epsilon_of, METH_VARARGS, NULL},
    {"mu_of", mu_of, METH_VARARGS, NULL},     {NULL, NULL, 0, NULL},
};
