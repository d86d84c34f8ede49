# SPDX-License-Identifier: Apache-2.0
"""What is proved, by which tool. name: as it is printed, FILE/FUNCTION; quick: False leaves it out of the part that `make test` runs.

CBMC: file and entry of a harness in proofs/cbmc; unwind: more than any loop of it turns (a loop that turns more often is an open
goal). WP: a source file and a function of it, or all; meanings: with those of proofs/wp/fractions.h. z3: a file of proofs/smt.
mpmath: a program of proofs/tables."""


def cbmc(source, harness, entry, **more):
    return {"name": f"{source}/{entry.removeprefix('prove_')}", "file": harness + ".c", "entry": entry, **more}


def wp(source, path, function, **more):
    return {"name": f"{source}/{function}", "file": path, "function": function, "quick": False, **more}


ENFORCE = "src/records/accumulate/enforce.c"
LOOPS = ["sum_of_squares", "squares_within", "sum_of_magnitudes", "shrink", "sbl_enforce", "add_record", "add_squares",
         "sum_of_small_squares", "pairs_within", "sbl_sum_of_squares", "sbl_add_record", "sbl_add_squares",
         "sbl_sum_of_small_squares", "sbl_pairs_within"]
LEAVES = ["squared", "shrunk", "small_square", "left_of_pair"]

CBMC = [
    cbmc("accumulate/quantise", "quantise", "prove_to_grid", options=["--conversion-check", "--nan-check", "--slice-formula"], quick=False),
    cbmc("accumulate/enforce", "enforce_leaves", "prove_magnitude"),
    cbmc("accumulate/enforce", "enforce_leaves", "prove_either"),
    cbmc("accumulate/shrink_factor", "shrink_factor", "prove_sbl_shrink_factor_squares", options=["--z3"]),
    cbmc("accumulate/shrink_factor", "shrink_factor", "prove_sbl_shrink_factor_magnitudes", options=["--z3"]),
    cbmc("base/int128", "int128", "prove_sqrt_digit", quick=False),
    cbmc("base/int128", "int128", "prove_first_digit", unwind=66),
    cbmc("base/int128", "int128", "prove_sbl_u128_add"),
    cbmc("accumulate/sum", "sums", "prove_sbl_sum_merge", unwind=40, quick=False),
    cbmc("accumulate/sum", "sums", "prove_sbl_sum_begin_unit_rows"),
    cbmc("accumulate/sum_load", "sums", "prove_is_out_of_range"),
    cbmc("accumulate/sum_load", "sums", "prove_counts_are_of", unwind=5),
    cbmc("accumulate/layout", "layout", "prove_block_fault", options=["--z3"], quick=False),
    cbmc("accumulate/layout", "layout", "prove_persons_fault", unwind=40),
    cbmc("accumulate/sum_state", "persons", "prove_count_row", unwind=10),
    cbmc("accumulate/sum_state", "persons", "prove_count_row_step"),
    cbmc("accumulate/sum_sparse", "sparse", "prove_scatter_take", unwind=5, quick=False),
    cbmc("accumulate/sum_ones", "sparse", "prove_is_plain", unwind=5),
    cbmc("accumulate/sum_ones", "sparse", "prove_count_repeats", unwind=5),
    cbmc("account/charge", "charge", "prove_sbl_charge_from_joint"),
    cbmc("account/charge", "charge", "prove_sbl_charge_add"),
    cbmc("noise/constant_flow", "constant_flow", "prove_sbl_borrow"),
    cbmc("noise/constant_flow", "constant_flow", "prove_sbl_cdt_below"),
    cbmc("noise/constant_flow", "constant_flow", "prove_sbl_if"),
    cbmc("noise/keystream", "keystream", "prove_sbl_keystream_refill", unwind=20),
    cbmc("noise/noise", "token", "prove_sbl_noise_open"),
    cbmc("ledger/ledger_book", "token", "prove_sbl_reserve_token_spend"),
    cbmc("ledger/ledger_book", "token", "prove_sbl_ledger_reserve", unwind=40),
    cbmc("privatise/privatise", "privatise", "prove_sbl_privatise", unwind=34, options=[
        "--unwindset", "draw_noise.2:4,add_scaled_sums.0:3,add_scaled_sums.1:3", "--no-standard-checks", "--slice-formula"]),
    cbmc("privatise/privatise", "privatise", "prove_draw_noise"),
    cbmc("privatise/privatise", "privatise", "prove_add_scaled_sums"),
    cbmc("accumulate/levels", "levels", "prove_multiply_row"),
    cbmc("accumulate/levels", "levels", "prove_multiply_row_places", unwind=6),
    cbmc("accumulate/levels", "levels", "prove_add_times", options=["--z3"]),
    cbmc("accumulate/levels", "levels", "prove_level_of"),
    cbmc("ledger/ledger_line", "ledger_values", "prove_read_time", unwind=1600),
    cbmc("ledger/ledger_line", "ledger_values", "prove_read_id", unwind=1600),
    cbmc("ledger/ledger_line", "ledger_values", "prove_sbl_ledger_hash_parse", unwind=140),
    cbmc("ledger/ledger_line", "ledger_values", "prove_next_is", unwind=90),
]
WP = [wp("accumulate/enforce", ENFORCE, name) for name in LOOPS]
WP += [wp("accumulate/enforce", ENFORCE, name, meanings=True) for name in LEAVES]
WP += [wp("noise/constant_flow", "proofs/wp/lookup.c", "sbl_cdt_lookup")]
WP += [{"name": "proofs/fractions/lemmas", "file": "proofs/wp/fractions.c", "quick": False}]
SMT = [{"name": "proofs/products", "file": "products.smt2"}]
TABLES = [{"name": "noise/cdt_table", "file": "cdt.py"}, {"name": "account/survival", "file": "survival.py"}]
