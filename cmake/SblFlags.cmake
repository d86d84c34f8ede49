# SPDX-License-Identifier: Apache-2.0
# The compiler flags of every target, one per line with its reason.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(SBL_TEST_SHARED)
  set(CMAKE_LINK_DEPENDS_NO_SHARED ON) # a changed library is loaded, not linked anew
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold SBL_HAS_GOLD)
  if(SBL_HAS_GOLD) # two hundred links, each at a fifth of what ld takes; what ships is not linked so
    add_link_options(-fuse-ld=gold)
  endif()
else()
  set(CMAKE_C_VISIBILITY_PRESET hidden) # only what SBL_API marks leaves the library
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(sbl_flags INTERFACE)
target_compile_definitions(sbl_flags INTERFACE _GNU_SOURCE) # O_* and F_OFD_* flags, strerrordesc_np
target_compile_options(sbl_flags INTERFACE
  -Wall
  -Wextra
  -Wpedantic
  -Wconversion        # a silent narrowing is how a sensitivity breaks
  -Wshadow
  -Wstrict-prototypes
  -Wmissing-prototypes
  -Wundef
  -Wvla               # stack use must not depend on data
  -fno-common
  -fno-strict-aliasing
  -ffp-contract=off   # the same arithmetic on x86-64 and AArch64
  -fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sbl_flags INTERFACE -fexcess-precision=fast) # floats are floats, as on the others
endif()
if(SBL_WERROR)
  target_compile_options(sbl_flags INTERFACE -Werror)
endif()
if(NOT SBL_SANITIZE AND NOT SBL_COVERAGE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(sbl_flags INTERFACE _FORTIFY_SOURCE=2) # needs optimisation
endif()
if(SBL_SANITIZE)
  target_compile_options(sbl_flags INTERFACE -fsanitize=${SBL_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
  target_link_options(sbl_flags INTERFACE -fsanitize=${SBL_SANITIZE})
endif()
if(SBL_COVERAGE)
  target_compile_options(sbl_flags INTERFACE --coverage -O0 -fprofile-update=atomic) # threads do not lose each other's counts
  target_link_options(sbl_flags INTERFACE --coverage)
endif()

# No floating point: the compiler refuses to touch a floating-point or vector register. Coverage and
# sanitizer runtimes are called from the code under test, which is fine: they are not in it.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mgeneral-regs-only SBL_HAS_GENERAL_REGS_ONLY)
if(SBL_HAS_GENERAL_REGS_ONLY)
  set(SBL_INTEGER_ONLY_FLAGS -mgeneral-regs-only)
else() # s390x, where formats and sums are tested: no such register is used, but the compiler refuses nothing
  set(SBL_INTEGER_ONLY_FLAGS -msoft-float)
endif()
