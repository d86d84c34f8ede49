# SPDX-License-Identifier: Apache-2.0
# Fits, what they hold, and what is drawn from them.

synthesize <- function(data, epsilon = 1, schema = NULL, ledger = NULL, ...) {
    facts <- if (is.null(schema)) NULL else .as_schema(schema)
    handle <- .value(.Call(semblance_new))
    .value(.Call(semblance_fit, handle, .columns(data), facts$handle,
                 .options(epsilon = epsilon, ledger = ledger, ...)))
    .fit(handle, .template(data))
}

.fit <- function(handle, template) {
    json <- .value(.Call(semblance_schema_of_fit, handle))
    facts <- .value(.Call(semblance_facts, handle))
    columns <- .Call(semblance_schema_columns, .value(.Call(semblance_schema_new, json)))
    structure(list(handle = handle, template = template, schema = json, method = facts$method, rows = facts$rows,
                   categories = columns), class = "semblance")
}

sample <- function(x, ...) UseMethod("sample")

sample.default <- function(x, ...) base::sample(x, ...)

sample.semblance <- function(x, n = 0, seed = 0, where = NULL, replicates = NULL, ...) {
    if (...length() > 0) stop("sample() of a fit takes n, seed, where and replicates", call. = FALSE)
    if (!is.null(replicates)) return(.replicates(x, replicates, n, seed, where))
    .draw(x, x$handle, n, seed, where)
}

# A fit where R expects a table: draws one.
as.data.frame.semblance <- function(x, row.names = NULL, optional = FALSE, ...) {
    frame <- sample(x, ...)
    if (!is.null(row.names)) rownames(frame) <- row.names
    frame
}

head.semblance <- function(x, n = 6L, ...) head(sample(x, ...), n)

.draw <- function(fit, handle, n, seed, where) {
    drawn <- .value(.Call(semblance_draw, handle, as.double(n), as.double(seed), .text(where, "\n"), .threads()))
    .as_frame(drawn, fit$template, fit$categories)
}

.replicates <- function(fit, count, n, seed, where) {
    if (!is.numeric(count) || length(count) != 1 || is.na(count) || count < 2 || count > 1000)
        stop("replicates must be a number from 2 to 1000", call. = FALSE)
    models <- .value(.Call(semblance_replicates_new, fit$handle, as.double(seed), .threads()))
    into <- .value(.Call(semblance_new))
    frames <- lapply(seq_len(count), function(i) {
        .value(.Call(semblance_replicates_next, models, into))
        .draw(fit, into, n, seed + i, where)
    })
    structure(frames, class = "semblance_replicates", rows = fit$rows)
}

print.semblance_replicates <- function(x, ...) {
    cat(length(x), "replicates of", nrow(x[[1]]), "rows; analyse() runs an analysis of each and combines the results\n")
    invisible(x)
}

print.semblance <- function(x, ...) {
    cat("A model of", length(x$categories), "columns by method", x$method, "\n")
    cat(.Call(semblance_item, x$handle, 3L), "\n")
    invisible(x)
}

write_model <- function(fit, path, overwrite = FALSE) {
    .value(.Call(semblance_write_model, fit$handle, path.expand(enc2utf8(path)), overwrite))
    invisible(path)
}

read_model <- function(path) {
    handle <- .value(.Call(semblance_new))
    .value(.Call(semblance_read_model, handle, path.expand(enc2utf8(path))))
    .fit(handle, NULL)
}

write_table <- function(fit, path, n = 0, seed = 0, where = NULL, overwrite = FALSE) {
    .value(.Call(semblance_draw_file, fit$handle, as.double(n), as.double(seed), .text(where, "\n"),
                 path.expand(enc2utf8(path)), overwrite))
    invisible(path)
}

plan <- function(schema, epsilon = 1, n = 0, ...) {
    text <- .value(.Call(semblance_plan, .as_schema(schema)$handle, as.double(n), .options(epsilon = epsilon, ...)))
    structure(text, class = "semblance_plan")
}

print.semblance_plan <- function(x, ...) {
    cat(unclass(x))
    invisible(x)
}

# ---- the account ----

certificate <- function(fit) {
    structure(list(json = .Call(semblance_item, fit$handle, 0L), statement = .Call(semblance_item, fit$handle, 1L)),
              class = "semblance_certificate")
}

print.semblance_certificate <- function(x, ...) {
    cat(x$statement, "\n", sep = "")
    invisible(x)
}

verify <- function(certificate, ledger = NULL, output = NULL) {
    path <- certificate
    if (inherits(certificate, "semblance_certificate")) {
        path <- tempfile(fileext = ".json")
        on.exit(unlink(path))
        writeLines(enc2utf8(certificate$json), path, useBytes = TRUE)
    }
    cat(.value(.Call(semblance_verify, path.expand(path), ledger, output)))
    invisible(TRUE)
}

ledger <- function(source) {
    path <- source
    if (inherits(source, "semblance")) {
        text <- .Call(semblance_item, source$handle, 2L)
        if (is.na(text)) stop("this fit was charged to a ledger in a file: name the file", call. = FALSE)
        path <- tempfile(fileext = ".ledger")
        on.exit(unlink(path))
        writeLines(sub("\n$", "", text), path)
    }
    found <- .value(.Call(semblance_ledger_lines, path.expand(path)))
    lines <- do.call(rbind, lapply(found[[1]], as.data.frame))
    structure(if (is.null(lines)) data.frame() else lines, class = c("semblance_ledger", "data.frame"), budget = found[[2]],
              delta = found[[3]], spent = found[[4]], releases = found[[5]])
}

print.semblance_ledger <- function(x, ...) {
    cat(attr(x, "releases"), "releases cost epsilon", format(attr(x, "spent"), digits = 4), "together; the budget is",
        attr(x, "budget"), "at delta", attr(x, "delta"), "\n")
    print(structure(x, class = "data.frame"), ...)
    invisible(x)
}

ledger_init <- function(path, epsilon = NULL, delta = NULL, neighbours = c("replace-one", "add-remove")) {
    .value(.Call(semblance_ledger_init, path.expand(path), .text(epsilon), .text(delta),
                 match.arg(neighbours) == "add-remove"))
    invisible(path)
}
