# SPDX-License-Identifier: Apache-2.0
# What the library stands on; all of it is in Debian 12.
if(SBL_STATIC_PROGRAM)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
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

# Files of SPSS, Stata and SAS. The header of libreadstat is needed to build what reads them; the library itself is opened
# with the first such file, by the name that it has here (src/base/readstat).
option(SBL_WITH_READSTAT "Read and write files of SPSS, Stata and SAS where libreadstat is installed" ON)
set(SBL_READSTAT_NAME "")
if(SBL_WITH_READSTAT)
  find_library(SBL_READSTAT_LIBRARY NAMES libreadstat.so readstat)
  find_path(SBL_READSTAT_INCLUDE NAMES readstat.h)
  if(SBL_READSTAT_LIBRARY AND SBL_READSTAT_INCLUDE)
    execute_process(COMMAND ${CMAKE_READELF} -d ${SBL_READSTAT_LIBRARY} OUTPUT_VARIABLE dynamic)
    if(dynamic MATCHES "SONAME[^[]*\\[([^]/]+)\\]")
      set(SBL_READSTAT_NAME ${CMAKE_MATCH_1})
    endif()
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
if(SBL_STATIC_PROGRAM) # LIBLINEAR, and the LAPACK of Netlib: OpenBLAS takes memory for every thread as soon as a program starts
  find_library(SBL_LIBLINEAR_LIBRARY NAMES linear REQUIRED)
  find_library(SBL_LAPACK_LIBRARY NAMES lapack PATH_SUFFIXES lapack NO_CACHE REQUIRED)
  find_library(SBL_BLAS_LIBRARY NAMES blas PATH_SUFFIXES blas NO_CACHE REQUIRED)
  find_path(SBL_LIBLINEAR_INCLUDE NAMES linear.h REQUIRED)
  set_target_properties(SBL::learners PROPERTIES
    INTERFACE_COMPILE_DEFINITIONS "SBL_HAVE_LIBLINEAR;SBL_LIBLINEAR_NAME=\"liblinear\""
    INTERFACE_INCLUDE_DIRECTORIES ${SBL_LIBLINEAR_INCLUDE}
    INTERFACE_LINK_LIBRARIES "${SBL_LIBLINEAR_LIBRARY};${SBL_LAPACK_LIBRARY};${SBL_BLAS_LIBRARY};gfortran;quadmath;stdc++;m")
elseif(SBL_WITH_LEARNERS)
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
