# SPDX-License-Identifier: Apache-2.0
# Sums of one table as a data frame in several classes, and as a file, for sums.py to compare. They are SECRET elsewhere.
library(semblance)
set.seed(7)
n <- 500
pick <- function(values) base::sample(values, n, TRUE)
frame <- data.frame(
    whole = pick(c(0:95, NA)), number = pick(c(round(rnorm(50, 100, 90), 3), NA, Inf, 1e-9)), coded = pick(c(1, 2, 3, 4, NA)),
    ward = pick(c("north", "s\u00fcd", "west", NA)), text = pick(c("a", "b c", "", "c", NA)),
    day = as.Date("2019-12-01") + pick(c(0:1200, NA)), at = as.POSIXct("2020-01-01", tz = "UTC") + pick(c(0:100000, NA)),
    yes = pick(c(TRUE, FALSE, NA)), large = pick(c(5, 3e9, 1e10, NA)), stringsAsFactors = FALSE)
text <- frame
text$at <- format(frame$at, "%Y-%m-%dT%H:%M:%S")
text$yes <- tolower(as.character(frame$yes))
text$number <- ifelse(is.na(frame$number), NA, ifelse(is.infinite(frame$number), "inf", sprintf("%.17g", frame$number)))
text$large <- ifelse(is.na(frame$large), NA, sprintf("%.0f", frame$large))
write.csv(text, "table.csv", row.names = FALSE, na = "", fileEncoding = "UTF-8")

sum_of <- function(data, output)
    semblance:::.value(.Call(semblance:::semblance_sum, semblance:::.columns(data), "plan", output, semblance:::.options()))
sum_of("table.csv", "1csv.part")
sum_of(frame, "2frame.part")
factors <- frame
for (name in c("ward", "text")) factors[[name]] <- factor(frame[[name]], levels = rev(unique(frame[[name]])))
factors$coded <- factor(frame$coded)
factors$whole <- as.double(frame$whole)
sum_of(factors, "3factors.part")
odd <- frame
odd$at <- as.POSIXlt(frame$at, tz = "Asia/Tokyo")
odd$coded <- as.integer(frame$coded)
if (requireNamespace("tibble", quietly = TRUE)) odd <- tibble::as_tibble(odd)
if (requireNamespace("bit64", quietly = TRUE)) odd$large <- bit64::as.integer64(frame$large)
sum_of(odd, "4odd.part")
# one record changes no other: the sums differ by its own only, whatever it holds
sum_of(frame[-1, ], "5less.part")
sum_of(frame[1, ], "6one.part")
