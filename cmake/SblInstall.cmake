# SPDX-License-Identifier: Apache-2.0
# What `make install` puts in place beside the program and its man pages (cli/CMakeLists.txt): the libraries, the
# public headers, pkg-config files and the CMake package. The test library with its fixed key is never installed.
include(CMakePackageConfigHelpers)

list(GET SBL_INSTALLED_LIBRARIES 0 core)
list(GET SBL_INSTALLED_LIBRARIES 1 evaluate)
set_target_properties(${core} PROPERTIES EXPORT_NAME semblance)
set_target_properties(${evaluate} PROPERTIES EXPORT_NAME evaluate)
set_target_properties(${SBL_INSTALLED_LIBRARIES} PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # before 1.0 a minor version may break
# Who evaluates has handles of the core. It is a static library where nothing is shared, and has the core then anyway.
target_link_libraries(${evaluate} INTERFACE ${core})

install(TARGETS ${SBL_INSTALLED_LIBRARIES} EXPORT semblanceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# For a static program: `pkg-config --static --libs` says what else it needs.
if(SBL_INSTALLED_ARCHIVES)
  install(TARGETS ${SBL_INSTALLED_ARCHIVES} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
set(SBL_PC_PRIVATE "-ljansson -lcrypto -lpng -lz")
if(SBL_WITH_JPEG AND JPEG_FOUND)
  string(APPEND SBL_PC_PRIVATE " -ljpeg")
endif()
string(APPEND SBL_PC_PRIVATE " ${OpenMP_C_FLAGS} -lpthread -ldl -lm")
# A plug-in lies beside the library that opens it (src/base/device).
install(TARGETS semblance_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/semblance.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/semblance ${PROJECT_BINARY_DIR}/include/semblance
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# Where the prefix lies as seen from the folder of semblance.pc: the installed tree can be moved.
set(SBL_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SBL_PC_TO_PREFIX /prefix/${SBL_PKGCONFIG_DIR} /prefix)
string(REGEX REPLACE "/$" "" SBL_PC_TO_PREFIX "${SBL_PC_TO_PREFIX}")
foreach(name IN ITEMS semblance semblance-evaluate)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${SBL_PKGCONFIG_DIR})
endforeach()

set(SBL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/semblance)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/semblanceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/semblanceConfig.cmake INSTALL_DESTINATION ${SBL_CMAKE_DIR}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/semblanceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/semblanceConfig.cmake ${PROJECT_BINARY_DIR}/semblanceConfigVersion.cmake
  DESTINATION ${SBL_CMAKE_DIR})
install(EXPORT semblanceTargets NAMESPACE semblance:: DESTINATION ${SBL_CMAKE_DIR})

# The headers as man pages, where there is a Python to write them.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  file(GLOB SBL_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/semblance.h
       ${PROJECT_SOURCE_DIR}/include/semblance/*.h)
  list(APPEND SBL_HEADERS ${PROJECT_BINARY_DIR}/include/semblance/version.h)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man3.written
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/make_library_pages.py ${PROJECT_VERSION}
            ${PROJECT_BINARY_DIR}/man3 ${SBL_HEADERS}
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/man3.written
    DEPENDS ${SBL_HEADERS} ${PROJECT_SOURCE_DIR}/tools/make_library_pages.py
    COMMENT "Writing the library's man pages"
    VERBATIM)
  add_custom_target(sbl_library_man ALL DEPENDS ${PROJECT_BINARY_DIR}/man3.written)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()

# Everything that is installed, and nothing else: what `make` builds.
add_custom_target(sbl_install_files)
foreach(target IN LISTS SBL_INSTALLED_LIBRARIES SBL_INSTALLED_ARCHIVES ITEMS semblance_cuda sbl_cli sbl_man sbl_library_man)
  if(TARGET ${target})
    add_dependencies(sbl_install_files ${target})
  endif()
endforeach()
