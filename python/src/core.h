/* SPDX-License-Identifier: Apache-2.0 */
/* The module semblance._core: the library's handles as capsules, its functions as functions.
 *
 * It decides nothing: names, defaults and what a user sees are in the Python files beside it. It keeps to
 * Python's limited API of 3.10, so that one build serves every later version. While the library works
 * the interpreter's lock is free; callbacks take it. */
#ifndef SBL_PYTHON_CORE_H
#define SBL_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "semblance/arrow.h"
#include "semblance/data.h"
#include "semblance/evaluate.h"
#include "semblance/options.h"
#include "semblance/report.h"
#include "semblance/schema.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#define CORE_SCHEMA "semblance.schema"
#define CORE_DATA "semblance.data"
#define CORE_SYNTH "semblance.synthesizer"
#define CORE_REPLICATES "semblance.replicates"
#define CORE_STREAM "arrow_array_stream" /* the name that the Arrow PyCapsule interface fixes */

/* ---- trouble.c: failures ---- */

/* An exception that a callback met while the library was working. Zero-initialise. */
typedef struct core_trouble {
    PyObject *type, *value, *trace;
} core_trouble;

/* Take the exception that is set now, unless there is one already. */
void core_trouble_keep(core_trouble *trouble);
/* Set it again; false when there is none. */
bool core_trouble_raise(core_trouble *trouble);
void core_trouble_clear(core_trouble *trouble);

/* Raise what semblance._errors makes of the failure. about: "schema", "ledger", "certificate" or "".
 * Returns NULL, to be returned on. */
PyObject *core_fail(const sbl_error *err, sbl_status status, const char *about);

/* A text of the library as str, and freed; None for NULL. */
PyObject *core_text(char *text);
/* None for NULL; borrowed texts of the library. */
PyObject *core_borrowed_text(const char *text);

/* ---- call.c: options and callbacks of one call ---- */

typedef struct core_call {
    PyObject *progress; /* callable(what, step, steps), or NULL; borrowed */
    PyObject *notice;   /* callable(kind, line), or NULL; borrowed */
    core_trouble trouble;
    sbl_synth_options options;
    sbl_data_options reading; /* of a file */
    char user[201];           /* who releases, unless an option says so */
} core_call;

/* pairs: a list of (name, text or None); borrowed until the call is over. False: an exception is set. */
bool core_call_begin(core_call *call, PyObject *pairs, PyObject *progress, PyObject *notice);
/* What the library answered: None, or the exception of a callback, or one of the failure. */
PyObject *core_call_end(core_call *call, sbl_status status, const sbl_error *err, const char *about);
/* As sbl_progress; hears signals, too. */
int core_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
/* The number of threads that a call may use, 0 for all: 1 in a process that was forked after the
 * module was loaded, because OpenMP's threads stay in the parent. */
unsigned core_threads(unsigned wanted);
/* Part of loading the module. Returns -1 with an exception set. */
int core_watch_forks(PyObject *module);

/* ---- py_data.c, chain.c ---- */

/* Records and the Python objects that they stand in. */
typedef struct core_data {
    sbl_data *data;
    PyObject *source; /* gives streams; NULL of images */
    PyObject *pixels; /* bytes */
    PyObject *labels; /* bytes of uint32, or NULL */
    PyObject *tables; /* a list of such data, of linked tables; else NULL */
    core_trouble trouble;
} core_data;

core_data *core_data_of(PyObject *capsule);
/* After a call that read data: true when its source, or that of one of its tables, raised an exception, which is set
 * again. */
bool core_data_raise(core_data *data);

/* The stream of an object that has __arrow_c_stream__, or one out of the streams of everything that it
 * iterates. False: an exception is set; those of later batches go to trouble. */
bool core_stream_open(struct ArrowArrayStream *stream, PyObject *source, core_trouble *trouble);
/* Of such an iterated stream, as sbl_resume_stream: goes on after batches of other types. */
int core_stream_resume(void *context, struct ArrowArrayStream *stream);

/* ---- py_draw.c ---- */

/* What frees the capsule of a stream. */
void core_stream_release(PyObject *capsule);

/* ---- the module's functions, by file ---- */

extern PyMethodDef core_data_methods[];
extern PyMethodDef core_schema_methods[];
extern PyMethodDef core_synth_methods[];
extern PyMethodDef core_draw_methods[];
extern PyMethodDef core_columns_methods[];
extern PyMethodDef core_evaluate_methods[];
extern PyMethodDef core_ledger_methods[];
extern PyMethodDef core_facts_methods[];
extern PyMethodDef core_parts_methods[];
extern PyMethodDef core_ask_methods[];

#endif
