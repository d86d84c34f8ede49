/* SPDX-License-Identifier: Apache-2.0 */
/* The module itself: the lists of functions of the other files, put together. */
#include "core.h"

static PyMethodDef *const lists[] = {
    core_schema_methods,   core_data_methods,   core_synth_methods, core_draw_methods,  core_columns_methods,
    core_evaluate_methods, core_ledger_methods, core_facts_methods, core_parts_methods, core_ask_methods,
};

static int add_functions(PyObject *module)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (PyModule_AddFunctions(module, lists[i]) != 0) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, add_functions},
    {Py_mod_exec, core_watch_forks},
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "semblance._core",
    .m_doc = "libsemblance, function by function. Use the package semblance instead.",
    .m_size = 0,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void); /* the name that Python looks for */
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
