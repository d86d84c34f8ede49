# SPDX-License-Identifier: Apache-2.0
"""Planted bugs that a proof must refuse. by: the proof (list_of_proofs.py); edits: file -> list of (text that is there once, what it
becomes). The limits of time are those under which the proof holds without the bug."""

ENFORCE = "src/records/accumulate/enforce.c"
FACTOR = "src/records/accumulate/shrink_factor.c"
QUANTISE = "src/records/accumulate/quantise.c"
INT128 = "src/base/int128.c"
SUM = "src/records/accumulate/sum.c"
LOAD = "src/records/accumulate/sum_load.c"
LAYOUT = "src/records/accumulate/layout.c"
STATE = "src/records/accumulate/sum_state.c"
SPARSE = "src/records/accumulate/sum_sparse.c"
ONES = "src/records/accumulate/sum_ones.c"
CHARGE = "src/public/account/charge.c"
KEYSTREAM = "src/door/noise/keystream.c"
FLOW = "src/door/noise/constant_flow.h"
NOISE = "src/door/noise/noise.c"
BOOK = "src/door/ledger/ledger_book.c"
LINE = "src/door/ledger/ledger_line.c"
CDT = "src/door/noise/cdt_table.c"
SURVIVAL = "src/public/account/survival.c"
PRIVATISE = "src/door/privatise/privatise.c"
LEVELS = "src/records/accumulate/levels.c"
CLIP = "accumulate/enforce/"


def mutant(name, by, path, old, new):
    return {"name": name, "by": by, "edits": {path: [(old, new)]}}


MUTANTS = [
    mutant("the clip compares with < in place of <=", CLIP + "squares_within", ENFORCE, "halves[0] <= bound2 && halves[1] <=", "halves[0] < bound2 && halves[1] <="),
    mutant("the second bound is not enforced", CLIP + "sbl_enforce", ENFORCE, "if (!squares_within(halves, bound2)) shrink", "if (false) shrink"),
    mutant("the first bound is enforced from twice its size on", CLIP + "sbl_enforce", ENFORCE, "if (sum > bound1) shrink", "if (sum / 2 > bound1) shrink"),
    mutant("one coordinate is not shrunk", CLIP + "shrink", ENFORCE, "for (size_t i = 0; i < width; i++) q[i] = shrunk", "for (size_t i = 1; i < width; i++) q[i] = shrunk"),
    mutant("the last coordinate is not squared", CLIP + "sum_of_squares", ENFORCE, "i < width; i++) {\n        const uint64_t product", "i + 1 < width; i++) {\n        const uint64_t product"),
    mutant("squares are summed in 64 bits", CLIP + "sum_of_squares", ENFORCE, "        low += product % HALF;\n        high += product / HALF;", "        low += product;"),
    mutant("a record is added from its second coordinate on", CLIP + "add_record", ENFORCE, "for (size_t i = 0; i < width; i++) sums[i] += q[i];", "for (size_t i = 1; i < width; i++) sums[i] += q[i];"),
    mutant("a pair's room is that of the last pair", CLIP + "pairs_within", ENFORCE, "room = either(room, left_of_pair(q[2 * i], q[2 * i + 1], bound2))", "room = left_of_pair(q[2 * i], q[2 * i + 1], bound2)"),
    mutant("a square in 32 bits", CLIP + "squared", ENFORCE, "(uint64_t)magnitude(q) * magnitude(q)", "magnitude(q) * magnitude(q)"),
    mutant("a shrunk coordinate is rounded down, not toward zero", CLIP + "shrunk", ENFORCE, "(int32_t)(q * factor / (INT64_C(1) << SBL_SHRINK_BITS))", "(int32_t)(q * factor / (INT64_C(1) << SBL_SHRINK_BITS) - (q < 0))"),
    mutant("the second square of a pair is forgotten", CLIP + "left_of_pair", ENFORCE, "(a * a + b * b)", "(a * a)"),
    mutant("the sign of a magnitude is lost", "accumulate/enforce/magnitude", ENFORCE, "q < 0 ? -(uint32_t)q : (uint32_t)q", "(uint32_t)q"),
    mutant("room is left if one of two has it", "accumulate/enforce/either", ENFORCE, "return a | b;", "return a & b;"),
    mutant("the factor is rounded up", "accumulate/shrink_factor/sbl_shrink_factor_magnitudes", FACTOR, "<< SBL_SHRINK_BITS) / size", "<< SBL_SHRINK_BITS) / size + 1"),
    mutant("the factor of squares is taken of the low half", "accumulate/shrink_factor/sbl_shrink_factor_squares", FACTOR, "((sbl_u128)halves[1] << 32) + halves[0]", "halves[0]"),
    mutant("NaN is not tested", "accumulate/quantise/to_grid", QUANTISE, "v = v == v ? v : 0;", ""),
    mutant("no upper end of the grid", "accumulate/quantise/to_grid", QUANTISE, "v = v < grid.high ? v : grid.high;", ""),
    mutant("the root's digit is taken one too early", "base/int128/sqrt_digit", INT128, "*remainder >= *root + bit", "*remainder + 1 >= *root + bit"),
    mutant("the root begins a digit too low", "base/int128/first_digit", INT128, "while (bit > value) bit >>= 2;", "while (bit >= value && bit != 0) bit >>= 2;"),
    mutant("a sum of 128 bits may wrap", "base/int128/sbl_u128_add", "src/base/int128.h", "if (b > SBL_U128_MAX - a) return false;", "if (b > SBL_U128_MAX) return false;"),
    mutant("a merge drops its last value", "accumulate/sum/sbl_sum_merge", SUM, "i < into->value_count; i++) into->values[i] +=", "i + 1 < into->value_count; i++) into->values[i] +="),
    mutant("a merge ignores the cap", "accumulate/sum/sbl_sum_merge", SUM, "from->rows > into->layout.rows_cap - into->rows", "from->rows > into->layout.rows_cap"),
    mutant("the cap is off by one", "accumulate/sum/sbl_sum_begin_unit_rows", SUM, "rows > sum->layout.rows_cap - sum->rows", "rows > sum->layout.rows_cap - sum->rows + 1"),
    mutant("a value of 2^62 + 1 is loaded", "accumulate/sum_load/is_out_of_range", LOAD, "value > (int64_t)SBL_SUM_LIMIT ||", "value > (int64_t)SBL_SUM_LIMIT + 1 ||"),
    mutant("a negative count is loaded", "accumulate/sum_load/counts_are_of", LOAD, "counts[c] < 0 ||", ""),
    mutant("the cap of a layout is off by one", "accumulate/layout/block_fault", LAYOUT, "rows_cap > SBL_SUM_LIMIT / bounds.largest)", "rows_cap > SBL_SUM_LIMIT / bounds.largest + 1)"),
    mutant("a block of persons may have any bound", "accumulate/layout/persons_fault", LAYOUT, "b->bound2 != 1 || b->bound1 != 1 ||", "b->bound1 != 1 ||"),
    mutant("a person stays in the bin it leaves", "accumulate/sum_state/count_row", STATE, "if (rows > 0) units[rows - 1]--;", ""),
    mutant("amounts are not held to the largest coordinate", "accumulate/sum_sparse/scatter_take", SPARSE, "(uint32_t)(total < largest ? total : largest)", "(uint32_t)total"),
    mutant("a place that comes twice is taken twice", "accumulate/sum_sparse/scatter_take", SPARSE, "        scratch[place] = 0;\n", ""),
    mutant("equal ones count as rising", "accumulate/sum_ones/is_plain", ONES, "next = inside ? entry + 1 : next;", "next = inside ? entry : next;"),
    mutant("one more 1 than the bounds allow", "accumulate/sum_ones/is_plain", ONES, "count <= row.most", "count <= row.most + 1"),
    mutant("repeats are not counted", "accumulate/sum_ones/count_repeats", ONES, "times[places - 1] += (uint64_t)times[places - 1] < largest;", "times[places - 1] = 1;"),
    mutant("a charge is rounded down", "account/charge/sbl_charge_from_joint", CHARGE, "(joint >> excess) + ((joint & below_one) != 0)", "(joint >> excess)"),
    mutant("a total forgets the draws", "account/charge/sbl_charge_add", CHARGE, "__builtin_add_overflow(total->draws, charge->draws, &sum.draws)", "__builtin_add_overflow(total->draws, 0, &sum.draws)"),
    mutant("a borrow is lost", "noise/constant_flow/sbl_borrow", FLOW, "(a - b - borrow)", "(a - b)"),
    mutant("the low halves are not compared", "noise/constant_flow/sbl_cdt_below", FLOW, "sbl_borrow(entry->low, low, 0)", "0"),
    mutant("the other half of the table is searched", "noise/constant_flow/sbl_cdt_lookup", FLOW, "high, low), length / 2);", "high, low), length - length / 2);"),
    mutant("the search looks one entry too far", "noise/constant_flow/sbl_cdt_lookup", FLOW, "sbl_cdt_table[first + length / 2 - 1]", "sbl_cdt_table[first + length / 2]"),
    mutant("one bit of a number that is taken or not is always taken", "noise/constant_flow/sbl_if", FLOW, "-one & number", "(-one | 1) & number"),
    mutant("a nonce serves twice as long as it may", "noise/keystream/sbl_keystream_refill", KEYSTREAM, "noise->refills >> REFILL_BITS", "noise->refills >> (REFILL_BITS + 1)"),
    mutant("a stretch serves again", "noise/keystream/sbl_keystream_refill", KEYSTREAM, "    noise->refills++;\n", ""),
    mutant("a spent token makes a key", "noise/noise/sbl_noise_open", NOISE, "if (!sbl_reserve_token_spend(token))", "if (!sbl_reserve_token_spend(token) && token == NULL)"),
    mutant("a token is never spent", "ledger/ledger_book/sbl_reserve_token_spend", BOOK, "__atomic_exchange_n(&token->spent, true,", "__atomic_exchange_n(&token->spent, false,"),
    mutant("the budget is not asked", "ledger/ledger_book/sbl_ledger_reserve", BOOK, "    SBL_TRY(check_budget(&file, entry->policy, err));\n", ""),
    mutant("a time is written past its field", "ledger/ledger_line/read_time", LINE, "memcpy(at, value, sizeof pattern);", "memcpy(at, value, sizeof pattern + 8);"),
    mutant("a hash is read past its end", "ledger/ledger_line/sbl_ledger_hash_parse", LINE, "length != 3 + sizeof hex - 1 || ", ""),
    mutant("a key is read past the end of the line", "ledger/ledger_line/next_is", LINE, "(size_t)(cursor->end - cursor->at) > length && ", ""),
    mutant("sums are added before the noise is drawn", "privatise/privatise/sbl_privatise", PRIVATISE, "    SBL_CHECK(draw_noise(*result, token, err));\n    add_scaled_sums(*result, sum);\n", "    add_scaled_sums(*result, sum);\n    SBL_CHECK(draw_noise(*result, token, err));\n"),
    mutant("a release goes on without a charge", "privatise/privatise/sbl_privatise", PRIVATISE, "    SBL_TRY(sbl_ledger_reserve(&token, request->ledger, &plan.entry, err));\n", "    (void)sbl_ledger_reserve(&token, request->ledger, &plan.entry, err);\n"),
    mutant("noisy numbers that nobody gets are not wiped", "privatise/privatise/sbl_privatise", PRIVATISE, "    if (result != NULL && result->values != NULL)\n        sbl_wipe(result->values, result->value_count * sizeof *result->values);\n", ""),
    mutant("a written release is made VOID", "privatise/privatise/sbl_privatise", PRIVATISE, "if (token != NULL && !written)", "if (token != NULL)"),
    mutant("the first number gets no noise", "privatise/privatise/draw_noise", PRIVATISE, "for (size_t i = 0; i < count; i++) release->values[i] = draws[i];", "for (size_t i = 1; i < count; i++) release->values[i] = draws[i];"),
    mutant("every number has the same draw", "privatise/privatise/draw_noise", PRIVATISE, "release->values[i] = draws[i]", "release->values[i] = draws[0]"),
    mutant("a sum stands in place of its noise", "privatise/privatise/add_scaled_sums", PRIVATISE, "values[v] += (sbl_i128)block->multiplier", "values[v] = (sbl_i128)block->multiplier"),
    mutant("a product is cut, not rounded to the nearest", "accumulate/levels/multiply_row", LEVELS, " + (int64_t)(UNIT / 2)) >> UNIT_BITS", ") >> UNIT_BITS"),
    mutant("one place of a product stays empty", "accumulate/levels/multiply_row_places", LEVELS, "for (size_t j = 0; j < width; j++)\n            to[", "for (size_t j = 1; j < width; j++)\n            to["),
    mutant("a histogram is multiplied out in 32 bits", "accumulate/levels/add_times", LEVELS, "sums[j] += (int64_t)times * row[j]", "sums[j] += times * row[j]"),
    mutant("a level past the end is looked up", "accumulate/levels/level_of", LEVELS, "row[coordinate] < l->level_counts", "row[coordinate] <= l->level_counts"),
    mutant("an entry of the table off by one in its last bit", "noise/cdt_table", CDT, "0x69b3fa368e0de78b", "0x69b3fa368e0de78a"),
    mutant("a threshold a little too low", "account/survival", SURVIVAL, "UINT64_C(223181757863075287)", "UINT64_C(223181757863075277)"),
]
