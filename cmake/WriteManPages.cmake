# SPDX-License-Identifier: Apache-2.0
# The man pages of the program, as it lists them itself, so that no command can be left out:
#   cmake -DPROGRAM=semblance -DFOLDER=man -P WriteManPages.cmake
file(REMOVE_RECURSE ${FOLDER}) # pages of commands that are gone
file(MAKE_DIRECTORY ${FOLDER})

function(ask output)
  execute_process(COMMAND ${PROGRAM} manual ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PROGRAM} manual ${ARGN} failed: ${failed}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

ask(list --list)
string(REGEX MATCHALL "[^\n]+" pages "${list}")
foreach(page IN LISTS pages)
  string(REGEX REPLACE "^semblance-?" "" words ${page})
  string(REPLACE "-" ";" words "${words}")
  ask(text ${words})
  file(WRITE ${FOLDER}/${page}.1 "${text}")
endforeach()
