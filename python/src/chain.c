/* The Arrow stream of an object: its own, or one out of an iterator whose items have streams, batches that
 * come one after another. All must have the columns and types of the first, which is checked: who reads
 * the chain trusts its schema. */
#include <errno.h>
#include <string.h>

#include "core.h"

typedef struct chain {
    PyObject *iterator;
    core_trouble *trouble;         /* of who reads it, and outlives it */
    struct ArrowArrayStream first; /* kept for its schema */
    struct ArrowArrayStream now;   /* release NULL: the first is read */
    bool first_read;
    const char *error;
} chain;

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same_schema(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    if (!same_text(a->format, b->format) || !same_text(a->name, b->name)) return false;
    if (a->n_children != b->n_children || (a->dictionary == NULL) != (b->dictionary == NULL))
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_schema(a->children[i], b->children[i])) return false;
    return a->dictionary == NULL || same_schema(a->dictionary, b->dictionary);
}

static bool fits(chain *c, struct ArrowArrayStream *stream)
{
    struct ArrowSchema wanted = {0}, there = {0};
    bool good = false;
    if (c->first.get_schema(&c->first, &wanted) == 0 && stream->get_schema(stream, &there) == 0)
        good = same_schema(&wanted, &there);
    if (wanted.release != NULL) wanted.release(&wanted);
    if (there.release != NULL) there.release(&there);
    if (!good) PyErr_SetString(PyExc_TypeError, "the batches differ in their columns or types");
    return good;
}

static bool stream_of(struct ArrowArrayStream *stream, PyObject *object)
{
    if (!PyObject_HasAttrString(object, "__arrow_c_stream__")) {
        PyErr_SetString(PyExc_TypeError, "every batch must have __arrow_c_stream__");
        return false;
    }
    PyObject *capsule = PyObject_CallMethod(object, "__arrow_c_stream__", NULL);
    if (capsule == NULL) return false;
    struct ArrowArrayStream *theirs = PyCapsule_GetPointer(capsule, CORE_STREAM);
    if (theirs != NULL && theirs->release == NULL)
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was read already");
    const bool good = theirs != NULL && theirs->release != NULL;
    if (good) {
        *stream = *theirs;
        theirs->release = NULL; /* moved */
    }
    Py_DECREF(capsule);
    return good;
}

/* The stream of the next item. 1: there is one; 0: that was the last; -1: an exception is set. */
static int next_item(chain *c, struct ArrowArrayStream *stream)
{
    PyObject *item = PyIter_Next(c->iterator);
    if (item == NULL) return PyErr_Occurred() != NULL ? -1 : 0;
    const bool good = stream_of(stream, item);
    Py_DECREF(item);
    return good ? 1 : -1;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    if (stream->release != NULL) stream->release(stream);
    stream->release = NULL;
}

static int advance(chain *c)
{
    const PyGILState_STATE lock = PyGILState_Ensure();
    release_stream(&c->now);
    c->first_read = true;
    int found = next_item(c, &c->now);
    if (found == 1 && !fits(c, &c->now)) found = -1;
    if (found == -1) {
        core_trouble_keep(c->trouble);
        c->error = "the iterable of batches failed";
    }
    PyGILState_Release(lock);
    return found;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    chain *c = stream->private_data;
    return c->first.get_schema(&c->first, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    chain *c = stream->private_data;
    for (;;) {
        struct ArrowArrayStream *now = c->first_read ? &c->now : &c->first;
        if (now->release != NULL) {
            const int code = now->get_next(now, out);
            if (code != 0) c->error = now->get_last_error(now);
            if (code != 0 || out->release != NULL) return code;
        }
        const int found = advance(c);
        if (found == 1) continue;
        memset(out, 0, sizeof *out);
        return found == 0 ? 0 : EIO;
    }
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((const chain *)stream->private_data)->error;
}

static void release(struct ArrowArrayStream *stream)
{
    chain *c = stream->private_data;
    const PyGILState_STATE lock = PyGILState_Ensure();
    release_stream(&c->now);
    release_stream(&c->first);
    Py_CLEAR(c->iterator);
    PyMem_Free(c);
    PyGILState_Release(lock);
    stream->release = NULL;
}

static bool chain_items(struct ArrowArrayStream *stream, PyObject *iterator, core_trouble *trouble)
{
    chain *c = PyMem_Calloc(1, sizeof *c);
    if (c == NULL) return PyErr_NoMemory() != NULL;
    c->iterator = iterator;
    c->trouble = trouble;
    const int found = next_item(c, &c->first);
    if (found != 1) {
        if (found == 0) PyErr_SetString(PyExc_ValueError, "the iterable has no batches");
        PyMem_Free(c);
        return false;
    }
    Py_INCREF(iterator);
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = c};
    return true;
}

bool core_stream_open(struct ArrowArrayStream *stream, PyObject *source, core_trouble *trouble)
{
    if (PyObject_HasAttrString(source, "__arrow_c_stream__")) return stream_of(stream, source);
    PyObject *iterator = PyObject_GetIter(source);
    const bool good = iterator != NULL && chain_items(stream, iterator, trouble);
    Py_XDECREF(iterator);
    return good;
}
