/* SPDX-License-Identifier: Apache-2.0 */
/* The whole public interface of Semblance: synthetic data under differential privacy.
 *
 * A program needs little of it. Most read a table, fit, and draw from what was fitted:
 *
 *     sbl_data_new, sbl_data_append        private rows, from buffers or an Arrow stream   data.h
 *     sbl_schema_from_file                 what is publicly known of the columns           schema.h
 *     sbl_synth_options_init               epsilon, delta, method, ...                     options.h
 *     sbl_synthesizer_fit                  releases are charged to a ledger and made       synthesizer.h
 *     sbl_synthesizer_sample               any number of synthetic rows, at no further cost
 *
 * Each header can also be included by itself. */
#ifndef SEMBLANCE_H
#define SEMBLANCE_H

#include "semblance/account.h"
#include "semblance/arrow.h"
#include "semblance/ask.h"
#include "semblance/audit.h"
#include "semblance/certificate.h"
#include "semblance/combine.h"
#include "semblance/data.h"
#include "semblance/estimate.h"
#include "semblance/evaluate.h"
#include "semblance/export.h"
#include "semblance/files.h"
#include "semblance/ledger.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/register.h"
#include "semblance/report.h"
#include "semblance/schema.h"
#include "semblance/shards.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"
#include "semblance/version.h"

#endif
