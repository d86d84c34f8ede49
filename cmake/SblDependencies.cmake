# What the library stands on; all of it is in Debian 12. Installed beside semblanceConfig.cmake, so that who links
# the static library finds the same.
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# CBLAS: the OpenMP build of OpenBLAS where there is one (its pthread build fights OpenMP for the
# cores), else whatever the system offers.
find_path(SBL_BLAS_INCLUDE cblas.h PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp openblas-openmp openblas)
find_library(SBL_BLAS_LIBRARY NAMES openblas blas PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp openblas-openmp)
if(NOT SBL_BLAS_INCLUDE OR NOT SBL_BLAS_LIBRARY)
  message(FATAL_ERROR "OpenBLAS is missing: install libopenblas-openmp-dev")
endif()
if(NOT TARGET SBL::blas)
  add_library(SBL::blas INTERFACE IMPORTED)
  set_target_properties(SBL::blas PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${SBL_BLAS_INCLUDE}"
                                             INTERFACE_LINK_LIBRARIES "${SBL_BLAS_LIBRARY}")
endif()

# Threads of the dense kernels; without OpenMP they run on one.
find_package(OpenMP COMPONENTS C)
if(NOT TARGET SBL::openmp)
  add_library(SBL::openmp INTERFACE IMPORTED)
endif()
if(OpenMP_C_FOUND)
  set_target_properties(SBL::openmp PROPERTIES INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_C)
endif()
