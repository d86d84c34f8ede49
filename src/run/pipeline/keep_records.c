/* SPDX-License-Identifier: Apache-2.0 */
/* Public sizes and options alone decide. */
#include "run/pipeline/keep_records.h"

#include "public/options/option_values.h"
#include "records/source/kept_source.h"
#include "run/methods/pairs_setup.h"

size_t sbl_keep_most(const sbl_rounds *rounds, double records, const sbl_synth_options *options)
{
    const sbl_option *option = &sbl_option_keep_records;
    if (rounds->most < 2 || rounds->facts->kind != SBL_DATA_TABLE ||
        !sbl_option_is_used(option, rounds->method->name, SBL_TABLES))
        return 0;
    const size_t most = (size_t)sbl_setting_whole(options, option, SBL_TABLES) << 20;
    return records * (double)sbl_source_kept_bytes(rounds->facts) <= (double)most ? most : 0;
}
