"""The planted bugs. edits: file -> list of (text that stands there once, what it becomes); killers: the
tests that ought to notice, the likeliest first."""

DOOR = "src/privatise/privatise.c"
SENSITIVITY = "src/privatise/sensitivity.c"
SUM = "src/accumulate/sum.c"
ENFORCE = "src/accumulate/enforce.c"
LEDGER = "src/account/ledger.c"
GATHER = "src/pipeline/gather.c"

MUTANTS = [
    {"name": "noise of half the scale",
     "edits": {DOOR: [("release->values[i] = draws[i];", "release->values[i] = draws[i] / 2;")]},
     "killers": ["test_replay"]},
    {"name": "noise of half the scale, black box",
     "edits": {DOOR: [("release->values[i] = draws[i];", "release->values[i] = draws[i] / 2;")]},
     "killers": ["test_distinguish"]},
    {"name": "counts without noise",
     "edits": {DOOR: [("release->values[i] = draws[i];",
                       "release->values[i] = release->counts && i + release->classes >= count ? 0 : draws[i];")]},
     "killers": ["test_replay"]},
    {"name": "counts without noise, black box",
     "edits": {DOOR: [("release->values[i] = draws[i];",
                       "release->values[i] = release->counts && i + release->classes >= count ? 0 : draws[i];")]},
     "killers": ["test_distinguish"]},
    {"name": "sensitivity sqrt 2 instead of 2",
     "edits": {SENSITIVITY: [("(block->nonnegative ? 2 : 4)", "(block->nonnegative ? 2 : 2)")]},
     "killers": ["test_replay"]},
    {"name": "sensitivity sqrt 2 instead of 2, black box",
     "edits": {SENSITIVITY: [("(block->nonnegative ? 2 : 4)", "(block->nonnegative ? 2 : 2)")]},
     "killers": ["test_distinguish"]},
    {"name": "sensitivity 1 of a non-negative block",
     "edits": {SENSITIVITY: [("(block->nonnegative ? 2 : 4)", "(block->nonnegative ? 1 : 4)"),
                             ("block->per_class ? 2 * block->bound2", "block->per_class ? 1 * block->bound2")]},
     "killers": ["test_replay"]},
    {"name": "label change costs nothing for counts",
     "edits": {SENSITIVITY: [(".label_change = 2, .one_record = 1", ".label_change = 0, .one_record = 1")]},
     "killers": ["test_replay"]},
    {"name": "clip removed",
     "edits": {ENFORCE: [("if (squares > bound2)", "if (0)")]},
     "killers": ["test_replay"]},
    {"name": "L1 clip removed",
     "edits": {ENFORCE: [("if (magnitudes > bound1)", "if (0)")]},
     "killers": ["test_replay"]},
    {"name": "fixed key",
     "edits": {"src/noise/key_system.c": [("return sbl_os_random(key, SBL_CHACHA20_KEY_SIZE, err);",
                                           "(void)err; for (int i = 0; i < SBL_CHACHA20_KEY_SIZE; i++) key[i] = 7; return SBL_OK;")]},
     "killers": ["test_system_key"]},
    {"name": "charge after noise",
     "edits": {LEDGER: [("    bool spent;\n", "    bool spent;\n    bool late;\n    sbl_ledger_entry entry;\n"),
                        ("    SBL_TRY(check_budget(&file, err));\n    SBL_TRY(sbl_ledger_file_append(&file, &text, err));\n",
                         "    SBL_TRY(check_budget(&file, err));\n    token->entry = *entry;\n"
                         "    if (token->late) SBL_TRY(sbl_ledger_file_append(&file, &text, err));\n"
                         "    token->late = true;\n"),
                        ("    memcpy(line->rid, token->rid, sizeof line->rid);\n    SBL_TRY(sbl_ledger_file_open",
                         "    memcpy(line->rid, token->rid, sizeof line->rid);\n"
                         "    if (charge((sbl_reserve_token *)token, &((sbl_reserve_token *)token)->entry, err)) return SBL_EIO;\n"
                         "    SBL_TRY(sbl_ledger_file_open")]},
     "killers": ["test_crash_matrix"]},
    {"name": "budget not asked",
     "edits": {LEDGER: [("    SBL_TRY(check_budget(&file, err));\n", "")]},
     "killers": ["test_ledger_protocol"]},
    {"name": "noise reused across classes",
     "edits": {DOOR: [("release->values[i] = draws[i];", "release->values[i] = draws[i % release->blocks[0].width];")]},
     "killers": ["test_replay"]},
    {"name": "int32 accumulator wraps",
     "edits": {ENFORCE: [("sums[i] += q[i];", "sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)q[i]);")]},
     "killers": ["test_sum"]},
    {"name": "NaN row dropped",
     "edits": {SUM: [("    const sbl_run_bounds bounds = state->bounds;\n",
                      "    const sbl_run_bounds bounds = state->bounds;\n"
                      "    if (view.f64 != NULL && view.f64[start] != view.f64[start]) { ((sbl_sum *)sum)->counts[0]--; ((sbl_sum *)sum)->rows--; return; }\n")]},
     "killers": ["test_replay", "test_sum"]},
    {"name": "the paper's Laplace covariance",
     # 2 sqrt(p) where the enforced bound gives 2 p: at p = 16, a quarter.
     "edits": {SENSITIVITY: [(".same_label = 2 * block->bound1,", ".same_label = block->bound1 / 2,"),
                             (".label_change = 2 * block->bound1,", ".label_change = block->bound1 / 2,")]},
     "killers": ["test_replay"]},
    {"name": "kernel width from the data",
     # The numbers of a slice are divided by its first row's first number: a width that a record chooses.
     "edits": {GATHER: [("(float)batch->numeric[first * heads->numeric_count + i];",
                         "(float)(batch->numeric[first * heads->numeric_count + i] / (0.5 + batch->numeric[first * heads->numeric_count]));")]},
     "killers": ["test_synth"]},
    {"name": "exact class counts in the release",
     "edits": {DOOR: [("    add_scaled_sums(result, *sum);\n",
                       "    add_scaled_sums(result, *sum);\n    result->n = (uint64_t)sbl_sum_counts(*sum)[0];\n")]},
     "killers": ["test_synth"]},
    {"name": "row with an unreadable cell dropped",
     "edits": {GATHER: [("        rows.rows = batch->rows;\n",
                         "        rows.rows = batch->rows - (batch->columns[1].missing[batch->rows - 1] != 0);\n")]},
     "killers": ["test_synth"]},
    {"name": "noise reused across classes, whole program",
     "edits": {DOOR: [("release->values[i] = draws[i];", "release->values[i] = draws[i % release->blocks[0].width];")]},
     "killers": ["test_replay"]},
]
