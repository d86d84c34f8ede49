# What the library stands on; all of it is in Debian 12.
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Threads of the dense kernels; without OpenMP they run on one.
find_package(OpenMP COMPONENTS C)
if(NOT TARGET SBL::openmp)
  add_library(SBL::openmp INTERFACE IMPORTED)
endif()
if(OpenMP_C_FOUND)
  set_target_properties(SBL::openmp PROPERTIES INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_C)
endif()

find_package(PNG REQUIRED)

# JPEG files of folders of images. libjpeg-turbo may be absent: a folder that holds such is then refused.
option(SBL_WITH_JPEG "Read JPEG files where libjpeg-turbo is installed" ON)
if(NOT TARGET SBL::jpeg)
  add_library(SBL::jpeg INTERFACE IMPORTED)
endif()
if(SBL_WITH_JPEG)
  find_package(JPEG)
  if(JPEG_FOUND)
    set_target_properties(SBL::jpeg PROPERTIES INTERFACE_LINK_LIBRARIES JPEG::JPEG)
  endif()
endif()

# The page of `serve`. libmicrohttpd may be absent: serve then says so.
option(SBL_WITH_SERVE "Build 'semblance serve' where libmicrohttpd is installed" ON)
if(SBL_WITH_SERVE)
  pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.71)
endif()

# Linear models of `evaluate`. Its header is needed to build them; LIBLINEAR itself is opened when `evaluate` runs, by the
# name that it has here, and so are XGBoost and OpenBLAS (src/owner/learners, src/base/compute/lapack.c).
option(SBL_WITH_LEARNERS "Use LIBLINEAR in evaluate where it is installed" ON)
if(NOT TARGET SBL::learners)
  add_library(SBL::learners INTERFACE IMPORTED)
endif()
if(SBL_WITH_LEARNERS)
  find_library(SBL_LIBLINEAR_LIBRARY NAMES linear)
  find_path(SBL_LIBLINEAR_INCLUDE NAMES linear.h)
  if(SBL_LIBLINEAR_LIBRARY AND SBL_LIBLINEAR_INCLUDE)
    execute_process(COMMAND ${CMAKE_READELF} -d ${SBL_LIBLINEAR_LIBRARY} OUTPUT_VARIABLE dynamic)
    if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]/]+)\\]")
      message(FATAL_ERROR "${SBL_LIBLINEAR_LIBRARY} is not a shared library; -DSBL_WITH_LEARNERS=OFF builds without it")
    endif()
    set_property(TARGET SBL::learners APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS SBL_HAVE_LIBLINEAR
                 SBL_LIBLINEAR_NAME="${CMAKE_MATCH_1}")
    set_property(TARGET SBL::learners APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${SBL_LIBLINEAR_INCLUDE})
  endif()
endif()
