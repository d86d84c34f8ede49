# SPDX-License-Identifier: Apache-2.0
# What the package does, by itself: classes of columns, failures as conditions, replicates, and what is kept.
library(semblance)

set.seed(1)
n <- 3000
people <- data.frame(
    age = base::sample(18:90, n, TRUE), sex = factor(base::sample(c("f", "m", NA), n, TRUE), levels = c("m", "f")),
    day = as.Date("2020-01-01") + base::sample(0:999, n, TRUE), cost = round(rexp(n, 1 / 100), 2),
    smokes = base::sample(c(TRUE, FALSE, NA), n, TRUE), town = base::sample(c("Ayr", "B\u00e4th", ""), n, TRUE),
    stringsAsFactors = FALSE)
people$at <- as.POSIXct("2021-03-01", tz = "UTC") + base::sample(0:99999, n, TRUE)
facts <- frame_schema(people, bounds = list(age = c(18, 90), day = c("2020-01-01", "2022-12-31"), cost = c(0, 2000),
                                            at = c("2021-03-01", "2021-03-03")),
                      categories = list(town = c("Ayr", "B\u00e4th")))

fails <- function(class, expr) {
    found <- tryCatch({ expr; NULL }, semblance_error = identity)
    stopifnot(inherits(found, class), !grepl("\n", conditionMessage(found)))
}
quiet <- function(expr) suppressWarnings(expr, classes = "semblance_warning")

# classes, levels and names come back; nothing is lost
fit <- quiet(synthesize(people, epsilon = 2, schema = facts))
drawn <- sample(fit, 500, seed = 3)
stopifnot(nrow(drawn) == 500, identical(names(drawn), names(people)), is.integer(drawn$age), is.factor(drawn$sex),
          identical(levels(drawn$sex), c("m", "f")), inherits(drawn$day, "Date"), inherits(drawn$at, "POSIXct"),
          is.logical(drawn$smokes), anyNA(drawn$smokes), is.character(drawn$town), all(drawn$age >= 18 & drawn$age <= 90),
          identical(drawn, sample(fit, 500, seed = 3)), nrow(sample(fit)) == n,
          all(sample(fit, 50, where = "age > 60")$age > 60))

# a fit where a table is wanted
stopifnot(identical(as.data.frame(fit, seed = 3), sample(fit, seed = 3)),
          identical(head(fit, 4, seed = 3), head(sample(fit, seed = 3), 4)))

# base::sample() still works
stopifnot(length(sample(10, 3)) == 3)

# the guarantee
print(fit)
stopifnot(grepl("GUARANTEE", certificate(fit)$statement), nrow(ledger(fit)) >= 1)
verify(certificate(fit))

# the model as a file
path <- tempfile(fileext = ".safetensors")
write_model(fit, path)
again <- read_model(path)
stopifnot(identical(as.character(sample(again, 20, seed = 5)$sex), as.character(sample(fit, 20, seed = 5)$sex)))
fails("semblance_file_error", write_model(fit, path))

# replicates and intervals
many <- sample(fit, replicates = 5, n = 1000)
found <- analyse(many, function(frame) c(mean(frame$age), var(frame$age) / nrow(frame)))
stopifnot(length(many) == 5, found$low < found$estimate, found$estimate < found$high, found$standard_error > 0)
lines <- analyse(many, function(frame) stats::lm(cost ~ age, frame))
stopifnot(identical(row.names(lines), c("(Intercept)", "age")))
stopifnot(all.equal(combine(c(1, 2, 3), c(1, 1, 1))$estimate, 2))
known <- estimate(fit, mean = "age", by = "sex")
stopifnot(nrow(known) >= 2, all(known$low <= known$estimate))

# paid answers
answers <- quiet(ask(people, facts, epsilon = 1, mean = "age", by = "sex"))
stopifnot(nrow(answers) >= 2)

# ledgers in files: charged, and refused beyond the budget, with nothing charged
book <- tempfile(fileext = ".ledger")
ledger_init(book, epsilon = 1)
quiet(synthesize(people, epsilon = 1, schema = facts, ledger = book, method = "marginals"))
before <- nrow(ledger(book))
fails("semblance_budget_error", synthesize(people, epsilon = 1, schema = facts, ledger = book, method = "marginals"))
stopifnot(nrow(ledger(book)) == before)
print(ledger(book))

# failures are one line, by their kind
fails("semblance_option_error", synthesize(people, epsilon = -1, schema = facts))
fails("semblance_option_error", synthesize(people, epsilon = 1, schema = facts, nonsense = 3))
fails("semblance_input_error", schema("{\"fields\": []}"))
fails("semblance_input_error", synthesize(people["age"], epsilon = 1, schema = facts))
stopifnot(inherits(try(synthesize(data.frame(a = I(list(1, 2))), schema = facts), silent = TRUE), "try-error"))

# what is shown to the owner
draft <- quiet(inspect(people))
stopifnot(grepl("NOT PRIVATE", draft$json))
seen <- quiet(evaluate(people, drawn, facts, models = "none"))
stopifnot(grepl("NOT PRIVATE", seen$text))
print(plan(facts, epsilon = 1, n = n, no_estimate = TRUE))

# tibbles and 64-bit integers, if their packages are there
if (requireNamespace("tibble", quietly = TRUE)) {
    made <- quiet(synthesize(tibble::as_tibble(people), 1, facts, method = "marginals"))
    stopifnot(tibble::is_tibble(sample(made, 5)))
}
if (requireNamespace("bit64", quietly = TRUE)) {
    large <- data.frame(id = bit64::as.integer64(base::sample(1:100, n, TRUE)))
    made <- quiet(synthesize(large, 1, frame_schema(large, bounds = list(id = c(1, 100))), method = "marginals"))
    stopifnot(inherits(sample(made, 5)$id, "integer64"))
}
grDevices::pdf(NULL)
plot(fit)
plot(found)
