/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of the library as exceptions, and exceptions of callbacks kept until the library is back. */
#include "core.h"
#include "semblance/memory.h"

void core_trouble_keep(core_trouble *trouble)
{
    if (trouble->type != NULL)
        PyErr_Clear();
    else
        PyErr_Fetch(&trouble->type, &trouble->value, &trouble->trace);
}

bool core_trouble_raise(core_trouble *trouble)
{
    if (trouble->type == NULL) return false;
    PyErr_Restore(trouble->type, trouble->value, trouble->trace);
    *trouble = (core_trouble){0};
    return true;
}

void core_trouble_clear(core_trouble *trouble)
{
    Py_CLEAR(trouble->type);
    Py_CLEAR(trouble->value);
    Py_CLEAR(trouble->trace);
}

/* By which Python knows them. */
#define HINT(name) [SBL_HINT_##name] = #name
static const char *const hints[] = {
    HINT(OVERWRITE),
    HINT(LEDGER_SHARE),
    HINT(LEDGER_MAKE),
    HINT(TRAIN),
    HINT(HEALTH),
    HINT(RESUME),
    HINT(WHERE),
    HINT(ROWS),
    HINT(CLASSES),
    HINT(REAL_LABELS),
    HINT(SYNTHETIC_LABELS),
    HINT(TRAIN_LABELS),
    HINT(NO_MODELS),
    HINT(TRAIN_SET),
    HINT(SCHEMA),
    HINT(FILES),
    HINT(DELTA),
    HINT(DELIMITER),
    HINT(TAKE),
    HINT(LEDGER_UNIT),
    HINT(ROWS_PER_PERSON),
    HINT(PERSONS),
    HINT(DUCKDB),
    HINT(COLUMNS),
    HINT(ONE_SITE),
    HINT(ADBC_DRIVER),
    HINT(TABLE),
    HINT(ADD_REMOVE),
    HINT(ONE_ROW),
    HINT(LEDGER),
    HINT(DEVICE),
    HINT(OUTSIDE),
    HINT(DECIMAL),
    HINT(COMMAS),
};

PyObject *core_fail(const sbl_error *err, sbl_status status, const char *about)
{
    const char *message = err->message[0] != '\0' ? err->message : sbl_status_text(status);
    const size_t place = (size_t)err->hint;
    const char *hint = place < sizeof hints / sizeof hints[0] ? hints[place] : NULL;
    PyObject *errors = PyImport_ImportModule("semblance._errors");
    if (errors == NULL) return NULL;
    PyObject *made =
        PyObject_CallMethod(errors, "make", "iszss", (int)status, message, hint, err->file, about);
    Py_DECREF(errors);
    if (made == NULL) return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    Py_DECREF(made);
    return NULL;
}

PyObject *core_borrowed_text(const char *text)
{
    if (text == NULL) Py_RETURN_NONE;
    return PyUnicode_FromString(text);
}

PyObject *core_text(char *text)
{
    PyObject *made = core_borrowed_text(text);
    sbl_free(text);
    return made;
}
