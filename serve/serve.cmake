# SPDX-License-Identifier: Apache-2.0
# `semblance serve`: part of the program, where libmicrohttpd is (cmake/SblDependencies.cmake).
set(serve ${PROJECT_SOURCE_DIR}/serve)
target_sources(sbl_commands PRIVATE
  ${serve}/serve.c ${serve}/http.c ${serve}/listen.c ${serve}/send.c ${serve}/watch.c ${serve}/connections.c ${serve}/admit.c ${serve}/served_folder.c ${serve}/folder_walk.c ${serve}/jobs.c ${serve}/runs.c ${serve}/run_command.c ${serve}/run_child.c ${serve}/routes.c ${serve}/request_query.c
  ${serve}/dataset.c ${serve}/request_package.c ${serve}/api_data.c ${serve}/api_tables.c ${serve}/api_images.c ${serve}/api_results.c ${serve}/comparison.c ${serve}/api_compare.c
  ${serve}/api_open.c ${serve}/api_columns.c ${serve}/api_package.c ${serve}/api_histograms.c ${serve}/api_dialect.c ${serve}/api_budget.c ${serve}/api_runs.c ${serve}/api_sample.c ${serve}/demo.c ${serve}/page.c)
target_compile_definitions(sbl_commands PRIVATE SBL_HAVE_MICROHTTPD)
target_link_libraries(sbl_commands PRIVATE PkgConfig::MICROHTTPD PkgConfig::JANSSON Threads::Threads)
set(SBL_SERVE_LIBRARIES PkgConfig::MICROHTTPD PkgConfig::JANSSON Threads::Threads)

# The page, byte for byte.
file(GLOB page_files CONFIGURE_DEPENDS ${serve}/page/*)
set_source_files_properties(${serve}/page.c PROPERTIES
  COMPILE_DEFINITIONS "SBL_PAGE=\"${serve}/page\"" OBJECT_DEPENDS "${page_files}")

# The demo's table is what examples/make_clinic prints, where it can run.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  set(demo_csv ${PROJECT_BINARY_DIR}/demo-clinic.csv)
  set(demo_schema ${PROJECT_SOURCE_DIR}/examples/clinic.json)
  add_custom_command(OUTPUT ${demo_csv}
    COMMAND make_clinic 4000 > ${demo_csv}
    DEPENDS make_clinic
    COMMENT "Making the demo's table"
    VERBATIM)
  set_source_files_properties(${serve}/demo.c PROPERTIES
    COMPILE_DEFINITIONS "SBL_DEMO_CSV=\"${demo_csv}\";SBL_DEMO_SCHEMA=\"${demo_schema}\""
    OBJECT_DEPENDS "${demo_csv};${demo_schema}")
endif()
