/* Rejects options that do not apply to the given kind of data, naming the option. */
#include "records/source/data_option_check.h"

sbl_status sbl_data_refuse_writing(const sbl_data_options *options, const char *what, sbl_error *err)
{
    const char *const given[][2] = {{"delimiter", options->delimiter}, {"quote", options->quote},
                                    {"decimal", options->decimal},     {"thousands", options->thousands},
                                    {"encoding", options->encoding},   {"header", options->header},
                                    {"comment", options->comment}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i][1] != NULL)
            return sbl_fail(err, SBL_EARG, "%s is not an option for %s", given[i][0], what);
    return SBL_OK;
}

sbl_status sbl_data_refuse_asking(const sbl_data_options *options, const char *what, sbl_error *err)
{
    const char *const given[][2] = {
        {"table", options->table}, {"query", options->query}, {"adbc_driver", options->adbc_driver}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i][1] != NULL)
            return sbl_fail(err, SBL_EARG, "%s is not an option for %s, but for databases", given[i][0],
                            what);
    if (options->one_row_per_person)
        return sbl_fail(err, SBL_EARG, "one row per person is said of a query, and there is none");
    return SBL_OK;
}

sbl_status sbl_data_refuse_table(const sbl_data_options *options, const char *what, sbl_error *err)
{
    sbl_status status = sbl_data_refuse_writing(options, what, err);
    if (status == SBL_OK) status = sbl_data_refuse_asking(options, what, err);
    if (status == SBL_OK && options->columns != NULL)
        status = sbl_fail(err, SBL_EARG, "columns is not an option for %s, but for JSON", what);
    return status;
}
