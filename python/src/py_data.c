/* SPDX-License-Identifier: Apache-2.0 */
/* Private records: a table behind Arrow streams, or images as bytes. */
#include "core.h"
#include "semblance/version.h"

core_data *core_data_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, CORE_DATA); }

bool core_data_raise(core_data *data)
{
    if (data == NULL || core_trouble_raise(&data->trouble)) return data != NULL;
    const Py_ssize_t count = data->tables != NULL ? PyList_Size(data->tables) : 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (core_data_raise(core_data_of(PyList_GetItem(data->tables, i)))) return true;
    return false;
}

static void release_data(PyObject *capsule)
{
    core_data *data = core_data_of(capsule);
    sbl_data_free(data->data);
    core_trouble_clear(&data->trouble);
    Py_CLEAR(data->source);
    Py_CLEAR(data->pixels);
    Py_CLEAR(data->labels);
    Py_CLEAR(data->tables);
    PyMem_Free(data);
}

static core_data *new_data(void)
{
    core_data *data = PyMem_Calloc(1, sizeof *data);
    if (data == NULL) (void)PyErr_NoMemory();
    return data;
}

/* The capsule, or the failure. */
static PyObject *finish(core_data *data, sbl_status status, const sbl_error *err)
{
    PyObject *capsule = PyCapsule_New(data, CORE_DATA, NULL);
    if (capsule == NULL) {
        sbl_data_free(data->data);
        PyMem_Free(data);
        return NULL;
    }
    (void)PyCapsule_SetDestructor(capsule, release_data);
    if (status == SBL_OK) return capsule;
    if (!core_data_raise(data)) (void)core_fail(err, status, "");
    Py_DECREF(capsule);
    return NULL;
}

/* ---- tables ---- */

static int open_again(void *context, struct ArrowArrayStream *stream)
{
    core_data *data = context;
    const PyGILState_STATE lock = PyGILState_Ensure();
    const bool good = core_stream_open(stream, data->source, &data->trouble);
    if (!good) core_trouble_keep(&data->trouble);
    PyGILState_Release(lock);
    return good ? 0 : -1;
}

/* data_arrow(source, once, keep, name): source gives a stream each time that it is asked, or can be iterated each
 * time; with once it does so once, now, and keep holds what it gives. */
static PyObject *data_arrow(PyObject *module, PyObject *arguments)
{
    PyObject *source;
    int once, keep;
    const char *name;
    struct ArrowArrayStream stream = {0};
    sbl_arrow_source from;
    sbl_error err = {.status = SBL_OK};
    sbl_status status = SBL_OK;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oppz", &source, &once, &keep, &name)) return NULL;
    core_data *data = new_data();
    if (data == NULL) return NULL;
    Py_INCREF(source);
    data->source = source;
    sbl_arrow_source_init(&from);
    from.open = once ? NULL : open_again;
    from.resume = PyObject_HasAttrString(source, "__arrow_c_stream__") ? NULL : core_stream_resume;
    from.context = data;
    from.stream = once ? &stream : NULL;
    from.keep = keep != 0;
    if (once && !core_stream_open(&stream, data->source, &data->trouble)) {
        core_trouble_keep(&data->trouble);
        return finish(data, SBL_EIO, &err);
    }
    Py_BEGIN_ALLOW_THREADS status = sbl_data_from_arrow(&data->data, &from, name, &err);
    Py_END_ALLOW_THREADS return finish(data, status, &err);
}

/* ---- linked tables ---- */

/* data_package(path, allow_outside): the tables that a package names. */
static PyObject *data_package(PyObject *module, PyObject *arguments)
{
    const char *path;
    int outside = 0;
    sbl_data_options files;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    sbl_data_options_init(&files);
    files.package = true;
    if (!PyArg_ParseTuple(arguments, "sp", &path, &outside)) return NULL;
    files.allow_outside = outside != 0;
    core_data *data = new_data();
    if (data == NULL) return NULL;
    return finish(data, sbl_data_open(&data->data, path, &files, &err), &err);
}

/* The handles and names of two lists of one length. */
static bool list_tables(sbl_data **tables, const char **names, PyObject *data, PyObject *texts)
{
    for (Py_ssize_t i = 0; i < PyList_Size(data); i++) {
        const core_data *table = core_data_of(PyList_GetItem(data, i));
        names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(texts, i), NULL);
        if (table == NULL || names[i] == NULL) return false;
        tables[i] = table->data;
    }
    return true;
}

/* data_link(list of data, list of names): one of all of them. */
static PyObject *data_link(PyObject *module, PyObject *arguments)
{
    PyObject *list, *texts, *made = NULL;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &list, &texts)) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    if (count < 0 || PyList_Size(texts) != count)
        return PyErr_Format(PyExc_ValueError, "every table needs a name");
    sbl_data **tables = PyMem_Calloc((size_t)count + 1, sizeof *tables);
    const char **names = PyMem_Calloc((size_t)count + 1, sizeof *names);
    if (tables == NULL || names == NULL) {
        (void)PyErr_NoMemory();
    } else if (list_tables(tables, names, list, texts)) {
        core_data *data = new_data();
        if (data != NULL) {
            Py_INCREF(list);
            data->tables = list;
            made = finish(data, sbl_data_link(&data->data, tables, names, (size_t)count, NULL, &err), &err);
        }
    }
    PyMem_Free(tables);
    PyMem_Free(names);
    return made;
}

/* ---- images ---- */

static bool names_of(const char ***names, PyObject *list, uint64_t classes)
{
    *names = NULL;
    if (list == Py_None) return true;
    if (PyList_Size(list) != (Py_ssize_t)classes) {
        PyErr_SetString(PyExc_ValueError, "class_names must have one name for each class");
        return false;
    }
    *names = PyMem_Calloc(classes, sizeof **names);
    if (*names == NULL) return PyErr_NoMemory() != NULL;
    for (uint64_t c = 0; c < classes; c++) {
        (*names)[c] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, (Py_ssize_t)c), NULL);
        if ((*names)[c] == NULL) return false;
    }
    return true;
}

/* Do the bytes hold what the shape says? */
static bool sizes_agree(const sbl_pixels *images, PyObject *pixels, PyObject *labels)
{
    const uint64_t each = images->height * images->width * images->channels;
    const bool good =
        each > 0 && images->height <= 65536 && images->width <= 65536 &&
        (uint64_t)PyBytes_Size(pixels) % each == 0 &&
        (uint64_t)PyBytes_Size(pixels) / each == images->count &&
        (labels == Py_None || (uint64_t)PyBytes_Size(labels) / sizeof(uint32_t) == images->count);
    if (!good) PyErr_SetString(PyExc_ValueError, "images, labels and shape do not match in size");
    return good;
}

/* data_file(path[, path of DuckDB's library]): a table. */
static PyObject *data_file(PyObject *module, PyObject *arguments)
{
    const char *path;
    sbl_data_options files;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    sbl_data_options_init(&files);
    if (!PyArg_ParseTuple(arguments, "s|z", &path, &files.duckdb)) return NULL;
    core_data *data = new_data();
    if (data == NULL) return NULL;
    return finish(data, sbl_data_open(&data->data, path, &files, &err), &err);
}

/* data_stream(source, path): a table in files, of which source gives a stream each time that it is asked. */
static PyObject *data_stream(PyObject *module, PyObject *arguments)
{
    PyObject *source;
    sbl_arrow_source from;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    sbl_arrow_source_init(&from);
    if (!PyArg_ParseTuple(arguments, "Os", &source, &from.path)) return NULL;
    core_data *data = new_data();
    if (data == NULL) return NULL;
    Py_INCREF(source);
    data->source = source;
    from.open = open_again;
    from.context = data;
    return finish(data, sbl_data_from_arrow(&data->data, &from, NULL, &err), &err);
}

/* engine_works(path of DuckDB's library or None): can Parquet be read with it? */
static PyObject *engine_works(PyObject *module, PyObject *arguments)
{
    const char *path;
    char *text = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "z", &path)) return NULL;
    if (sbl_build_describe(&text, path != NULL ? path : "", NULL) != SBL_OK) Py_RETURN_FALSE;
    const bool works = strstr(text, "\nDuckDB\tthere\n") != NULL;
    sbl_free(text);
    return PyBool_FromLong(works);
}

/* data_tables(path, path of DuckDB's library or None, path of a driver or None): JSON. */
static PyObject *data_tables(PyObject *module, PyObject *arguments)
{
    const char *path;
    char *tables = NULL;
    sbl_data_options options;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    sbl_data_options_init(&options);
    if (!PyArg_ParseTuple(arguments, "szz", &path, &options.duckdb, &options.adbc_driver)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = sbl_data_tables(&tables, path, &options, &err);
    Py_END_ALLOW_THREADS return status == SBL_OK ? core_text(tables) : core_fail(&err, status, "");
}

/* data_image_files(images, labels or None, classes (0: as the files say), grey, height, width (0: as the files say),
 * resize). */
static PyObject *data_image_files(PyObject *module, PyObject *arguments)
{
    unsigned long long classes, height, width;
    int grey, resize;
    const char *path;
    sbl_data_options files;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    sbl_data_options_init(&files);
    if (!PyArg_ParseTuple(arguments, "szKpKKp", &path, &files.labels, &classes, &grey, &height, &width,
                          &resize))
        return NULL;
    files.images = true;
    files.classes = classes;
    files.grey = grey != 0;
    files.height = height;
    files.width = width;
    files.resize = resize != 0;
    core_data *data = new_data();
    if (data == NULL) return NULL;
    return finish(data, sbl_data_open(&data->data, path, &files, &err), &err);
}

/* data_images(pixels, labels, count, height, width, channels, classes, class_names, balanced, name):
 * bytes of uint8 and of uint32 (or None), which are kept. */
static PyObject *data_images(PyObject *module, PyObject *arguments)
{
    PyObject *pixels, *labels, *names, *made = NULL;
    unsigned long long count, height, width, channels, classes;
    const char **texts = NULL;
    const char *name;
    int balanced;
    sbl_pixels images;
    sbl_error err = {.status = SBL_OK};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "SOKKKKKOpz", &pixels, &labels, &count, &height, &width, &channels,
                          &classes, &names, &balanced, &name))
        return NULL;
    if (labels != Py_None && !PyBytes_Check(labels))
        return PyErr_Format(PyExc_TypeError, "labels must be bytes");
    sbl_pixels_init(&images);
    images.count = count;
    images.height = height;
    images.width = width;
    images.channels = channels;
    images.classes = classes;
    images.balanced = balanced != 0;
    images.pixels = (const uint8_t *)PyBytes_AsString(pixels);
    images.labels = labels == Py_None ? NULL : (const uint32_t *)(void *)PyBytes_AsString(labels);
    if (!sizes_agree(&images, pixels, labels)) return NULL;
    core_data *data = names_of(&texts, names, classes) ? new_data() : NULL;
    if (data != NULL) {
        images.class_names = texts;
        Py_INCREF(pixels);
        data->pixels = pixels;
        if (labels != Py_None) {
            Py_INCREF(labels);
            data->labels = labels;
        }
        made = finish(data, sbl_data_from_pixels(&data->data, &images, name, &err), &err);
    }
    PyMem_Free(texts);
    return made;
}

/* ---- for the owner's eyes ---- */

/* data_inspect(data): (schema JSON, notes or None). */
static PyObject *data_inspect(PyObject *module, PyObject *capsule)
{
    core_data *data = core_data_of(capsule);
    char *json = NULL, *notes = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (data == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = sbl_schema_inspect(&json, &notes, data->data, NULL, false, &err);
    Py_END_ALLOW_THREADS if (core_data_raise(data)) return NULL;
    if (status != SBL_OK) return core_fail(&err, status, "");
    PyObject *first = core_text(json), *second = core_text(notes);
    return Py_BuildValue("NN", first, second);
}

/* data_check(data, schema): text. */
static PyObject *data_check(PyObject *module, PyObject *arguments)
{
    PyObject *first, *second;
    char *text = NULL;
    sbl_error err = {.status = SBL_OK};
    sbl_status status;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &first, &second)) return NULL;
    core_data *data = core_data_of(first);
    const sbl_schema *schema = PyCapsule_GetPointer(second, CORE_SCHEMA);
    if (data == NULL || schema == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = sbl_schema_check(&text, schema, data->data, &err);
    Py_END_ALLOW_THREADS if (core_data_raise(data)) return NULL;
    return status == SBL_OK ? core_text(text) : core_fail(&err, status, "schema");
}

PyMethodDef core_data_methods[] = {
    {"data_arrow", data_arrow, METH_VARARGS, NULL},
    {"data_images", data_images, METH_VARARGS, NULL},
    {"data_file", data_file, METH_VARARGS, NULL},
    {"data_stream", data_stream, METH_VARARGS, NULL},
    {"engine_works", engine_works, METH_VARARGS, NULL},
    {"data_tables", data_tables, METH_VARARGS, NULL},
    {"data_package", data_package, METH_VARARGS, NULL},
    {"data_link", data_link, METH_VARARGS, NULL},
    {"data_image_files", data_image_files, METH_VARARGS, NULL},
    {"data_inspect", data_inspect, METH_O, NULL},
    {"data_check", data_check, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
