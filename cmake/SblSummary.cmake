# SPDX-License-Identifier: Apache-2.0
message(STATUS "semblance ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, "
               "sanitizers '${SBL_SANITIZE}', coverage ${SBL_COVERAGE}, tests ${SBL_BUILD_TESTS}, "
               "bench ${SBL_BUILD_BENCH}, fuzzers ${SBL_BUILD_FUZZERS}")
