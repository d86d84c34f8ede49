# SPDX-License-Identifier: Apache-2.0
# Numbers with intervals: from replicates, from the releases, from the private rows; and the comparison with real rows.

combine <- function(estimates, variances, level = 0.95, row_ratio = 1) {
    if (length(estimates) != length(variances)) stop("give one variance for each estimate", call. = FALSE)
    found <- .value(.Call(semblance_combine, as.double(estimates), as.double(variances), as.double(level),
                          as.double(row_ratio)))
    structure(as.data.frame(found), class = c("semblance_estimates", "data.frame"))
}

# What an analysis gives: c(estimate, variance), a list of both, a fitted model, or a matrix with a row per term.
.terms <- function(result) {
    if (is.list(result) && !is.null(result$estimate) && !is.null(result$variance))
        return(list(estimate = result$estimate, variance = result$variance))
    if (is.numeric(result) && length(result) == 2 && is.null(dim(result)))
        return(list(estimate = result[[1]], variance = result[[2]]))
    list(estimate = stats::coef(result), variance = diag(as.matrix(stats::vcov(result))))
}

analyse <- function(replicates, analysis, level = 0.95, ...) {
    if (!inherits(replicates, "semblance_replicates"))
        stop("analyse() takes the replicates that sample(fit, replicates = 20) gives", call. = FALSE)
    terms <- lapply(unclass(replicates), function(frame) .terms(analysis(frame, ...)))
    names <- names(terms[[1]]$estimate)
    estimates <- do.call(rbind, lapply(terms, function(one) as.double(one$estimate)))
    variances <- do.call(rbind, lapply(terms, function(one) as.double(one$variance)))
    rows <- attr(replicates, "rows")
    ratio <- if (rows > 0) nrow(replicates[[1]]) / rows else 1
    found <- lapply(seq_len(ncol(estimates)), function(i) combine(estimates[, i], variances[, i], level, ratio))
    made <- do.call(rbind, found)
    if (!is.null(names)) row.names(made) <- names
    structure(made, class = c("semblance_estimates", "data.frame"))
}

.table <- function(text) {
    structure(read.csv(text = text, check.names = FALSE, stringsAsFactors = FALSE),
              class = c("semblance_estimates", "data.frame"))
}

estimate <- function(fit, mean = NULL, share = NULL, quantile = NULL, correlation = NULL, count = FALSE, by = NULL,
                     difference = NULL, where = NULL, draws = 0, level = 0, seed = 0) {
    asked <- list(count, .text(mean), .text(share, "\n"), .text(quantile, "\n"), .text(correlation, "\n"), .text(by),
                  .text(difference), .text(where, "\n"), as.double(draws), as.double(level), as.double(seed))
    .table(.value(.Call(semblance_estimate, fit$handle, asked, .threads())))
}

ask <- function(data, schema, epsilon = 1, count = NULL, sum = NULL, mean = NULL, by = NULL, regress = NULL, weight = NULL,
                ledger = NULL, ...) {
    asked <- list(.text(count, "\n"), .text(sum), .text(mean), .text(by), .text(regress, "\n"), .text(.number(weight)))
    if (is.null(weight)) asked[6] <- list(NULL)
    handle <- .value(.Call(semblance_new))
    .table(.value(.Call(semblance_ask, handle, .columns(data), .as_schema(schema)$handle, asked,
                        .options(epsilon = epsilon, ledger = ledger, ...))))
}

evaluate <- function(real, synthetic, schema, train = NULL, models = NULL, seed = 0, ...) {
    if (inherits(schema, "semblance")) schema <- schema$schema
    columns <- function(data) if (is.null(data)) NULL else .columns(data)
    found <- .value(.Call(semblance_evaluate, columns(real), columns(synthetic), columns(train),
                          .as_schema(schema)$handle, .text(models), as.double(seed), .options(...)))
    structure(list(text = found[1], json = found[2]), class = "semblance_evaluation")
}

print.semblance_evaluation <- function(x, ...) {
    cat(x$text)
    invisible(x)
}
