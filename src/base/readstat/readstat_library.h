/* SPDX-License-Identifier: Apache-2.0 */
/* ReadStat, the library that reads and writes files of SPSS, Stata and SAS. It is opened with the first such file,
 * never linked. Its types are those of its own header, which a build needs; its messages may quote cells, and are
 * never asked for. */
#ifndef SBL_BASE_READSTAT_LIBRARY_H
#define SBL_BASE_READSTAT_LIBRARY_H

#include <readstat.h>

#include "base/error.h"

/* X(name), for readstat_name. */
#define SBL_READSTAT_CALLS(X)            \
    X(parser_init)                       \
    X(parser_free)                       \
    X(set_metadata_handler)              \
    X(set_variable_handler)              \
    X(set_value_handler)                 \
    X(set_value_label_handler)           \
    X(set_file_character_encoding)       \
    X(set_handler_character_encoding)    \
    X(parse_dta)                         \
    X(parse_sav)                         \
    X(parse_sas7bdat)                    \
    X(parse_xport)                       \
    X(get_file_encoding)                 \
    X(get_file_format_version)           \
    X(value_type_class)                  \
    X(value_is_system_missing)           \
    X(value_is_tagged_missing)           \
    X(value_tag)                         \
    X(double_value)                      \
    X(string_value)                      \
    X(variable_get_index)                \
    X(variable_get_name)                 \
    X(variable_get_label)                \
    X(variable_get_format)               \
    X(variable_get_type_class)           \
    X(variable_get_missing_ranges_count) \
    X(variable_get_missing_range_lo)     \
    X(variable_get_missing_range_hi)     \
    X(writer_init)                       \
    X(writer_free)                       \
    X(set_data_writer)                   \
    X(writer_set_file_timestamp)         \
    X(writer_set_file_format_version)    \
    X(add_label_set)                     \
    X(label_double_value)                \
    X(label_int32_value)                 \
    X(label_tagged_value)                \
    X(add_variable)                      \
    X(variable_set_label)                \
    X(variable_set_format)               \
    X(variable_set_label_set)            \
    X(variable_add_missing_double_value) \
    X(variable_add_missing_double_range) \
    X(get_variable)                      \
    X(begin_writing_dta)                 \
    X(begin_writing_sav)                 \
    X(validate_variable)                 \
    X(begin_row)                         \
    X(insert_double_value)               \
    X(insert_int32_value)                \
    X(insert_string_value)               \
    X(insert_missing_value)              \
    X(insert_tagged_missing_value)       \
    X(end_row)                           \
    X(end_writing)

typedef struct sbl_readstat {
#define SBL_READSTAT_POINTER(name) __typeof__(readstat_##name) *name;
    SBL_READSTAT_CALLS(SBL_READSTAT_POINTER)
#undef SBL_READSTAT_POINTER
} sbl_readstat;

/* name: of the file, for the message.   Returns: SBL_OK; SBL_EINPUT: the library is not there, or another version */
sbl_status sbl_readstat_open(sbl_readstat *calls, const char *name, sbl_error *err);

#endif
