# What the library stands on; all of it is in Debian 12. Installed beside semblanceConfig.cmake, so that who links
# the static library finds the same.
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
