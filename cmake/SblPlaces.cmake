# SPDX-License-Identifier: Apache-2.0
# Where programs and libraries find each other, in the build tree and where they are installed.
#
# SBL_BIN_TO_LIB: the folder of libraries, seen from the folder of programs. A wheel has bin and lib.
set(SBL_BIN_TO_LIB ../lib)
if(NOT SKBUILD AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
  file(RELATIVE_PATH SBL_BIN_TO_LIB /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
endif()

# The program is in build/PRESET, and what it opens at run time lies beside it. Where it is linked with our shared library,
# the build tree has the two folders of the prefix.
set(SBL_PROGRAM_FOLDER ${PROJECT_BINARY_DIR})
set(SBL_PLUGIN_FOLDER ${PROJECT_BINARY_DIR})
if(BUILD_SHARED_LIBS)
  set(SBL_PROGRAM_FOLDER ${PROJECT_BINARY_DIR}/prefix/bin)
  get_filename_component(SBL_PLUGIN_FOLDER ${SBL_PROGRAM_FOLDER}/${SBL_BIN_TO_LIB} ABSOLUTE)
endif()

# sbl_installed(TARGET [FOLDER...]): what is built has the search path that it is installed with: these folders, and those
# outside of the system in which a dependency was found. Else CMake writes another path for the build tree, with a colon at
# its end: an empty element, for which the loader searches the working directory (tests/layout/search_paths_test.py).
function(sbl_installed target)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON
                                             INSTALL_RPATH "${ARGN}")
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${SBL_PLUGIN_FOLDER})
  endif()
endfunction()

# `make engines` fetches readers into build/engines, where the program of this tree finds them.
function(sbl_link_engines folder)
  file(MAKE_DIRECTORY ${folder})
  foreach(name IN ITEMS libduckdb.so libadbc_driver_postgresql.so)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/build/engines/${name} ${folder}/${name} SYMBOLIC)
  endforeach()
endfunction()
