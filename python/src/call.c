/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the library: options by name, progress and notices to Python, signals heard. */
#include <pthread.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "core.h"
#include "semblance/ask.h"

/* ---- threads after a fork ---- */

/* Was this process forked from one that had loaded the module? OpenMP's threads stay in the parent,
 * and the thread that called fork would wait for them forever. Other threads start their own. */
static bool forked;

static void after_fork(void)
{
    forked = true;
#ifdef _OPENMP
    omp_set_num_threads(1); /* also for calls without a thread count, and for streams opened before */
#endif
}

int core_watch_forks(PyObject *module)
{
    static bool watched;
    (void)module;
    if (!watched && pthread_atfork(NULL, NULL, after_fork) != 0) {
        PyErr_NoMemory();
        return -1;
    }
    watched = true;
    return 0;
}

unsigned core_threads(unsigned wanted) { return forked ? 1 : wanted; }

/* ---- callbacks ---- */

int core_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    core_call *call = context;
    const PyGILState_STATE lock = PyGILState_Ensure();
    /* What a notice raised (a signal may have met it) stops the work here: it is kept already. */
    const bool raised = call->trouble.type != NULL;
    bool stop = raised || PyErr_CheckSignals() != 0;
    if (!stop && call->progress != NULL) {
        PyObject *answer = PyObject_CallFunction(call->progress, "sKK", what, (unsigned long long)step,
                                                 (unsigned long long)steps);
        stop = answer == NULL;
        Py_XDECREF(answer);
    }
    if (stop && !raised) core_trouble_keep(&call->trouble);
    PyGILState_Release(lock);
    (void)loss;
    return stop;
}

static void tell(core_call *call, const char *kind, const char *line)
{
    if (call->notice == NULL) return;
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = PyObject_CallFunction(call->notice, "ss", kind, line);
    if (answer == NULL) core_trouble_keep(&call->trouble); /* the next progress stops the library */
    Py_XDECREF(answer);
    PyGILState_Release(lock);
}

static void on_notice(void *context, const char *line) { tell(context, "notice", line); }

static void on_advice(void *context, sbl_advice_kind kind, const char *line)
{
    tell(context,
         kind == SBL_ADVICE_SCHEMA      ? "schema"
         : kind == SBL_ADVICE_LEDGER    ? "ledger"
         : kind == SBL_ADVICE_INSPECTED ? "inspected"
         : kind == SBL_ADVICE_ESTIMATE  ? "estimate"
                                        : "plan",
         line);
}

/* ---- begin and end ---- */

static bool is_of_data(const char *name)
{
    const sbl_option *option;
    for (size_t i = 0; (option = sbl_option_at(i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return option->forms != 0;
    return false;
}

/* Questions as JSON, which the options then borrow from Python, as they do every text. */
static sbl_status set_questions(core_call *call, const char *text, sbl_error *err)
{
    char *made = NULL;
    sbl_questions asked;
    sbl_questions_init(&asked);
    asked.json = text;
    sbl_status status = sbl_options_ask(&call->options, &made, &asked, err);
    if (status == SBL_OK) status = sbl_options_set(&call->options, "questions", text, err);
    sbl_free(made);
    return status;
}

static bool set_pair(core_call *call, PyObject *pair)
{
    sbl_error err = {.status = SBL_OK};
    const char *name, *text;
    if (!PyArg_ParseTuple(pair, "sz", &name, &text)) return false;
    const sbl_status status = strcmp(name, "questions") == 0 ? set_questions(call, text, &err)
                              : is_of_data(name) ? sbl_data_options_set(&call->reading, name, text, &err)
                                                 : sbl_options_set(&call->options, name, text, &err);
    if (status != SBL_OK) (void)core_fail(&err, status, "");
    return status == SBL_OK;
}

/* The user name of the process, for the ledger and a policy, unless `who` says another. */
static void name_user(core_call *call)
{
    struct passwd entry, *user = NULL;
    char texts[4096];
    if (call->options.who != NULL || getpwuid_r(geteuid(), &entry, texts, sizeof texts, &user) != 0 ||
        user == NULL || user->pw_name[0] == '\0' || strlen(user->pw_name) >= sizeof call->user)
        return;
    memcpy(call->user, user->pw_name, strlen(user->pw_name) + 1);
    call->options.who = call->user;
}

bool core_call_begin(core_call *call, PyObject *pairs, PyObject *progress, PyObject *notice)
{
    *call = (core_call){.progress = progress == Py_None ? NULL : progress,
                        .notice = notice == Py_None ? NULL : notice};
    sbl_synth_options_init(&call->options);
    sbl_data_options_init(&call->reading);
    const Py_ssize_t count = PyList_Size(pairs);
    if (count < 0) return false;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!set_pair(call, PyList_GetItem(pairs, i))) return false;
    name_user(call);
    call->options.threads = core_threads(call->options.threads);
    call->options.progress = core_progress;
    call->options.notice = on_notice;
    call->options.advice = on_advice;
    call->options.context = call;
    return true;
}

PyObject *core_call_end(core_call *call, sbl_status status, const sbl_error *err, const char *about)
{
    if (core_trouble_raise(&call->trouble)) return NULL;
    if (status != SBL_OK) return core_fail(err, status, about);
    Py_RETURN_NONE;
}
