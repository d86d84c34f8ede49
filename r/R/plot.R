# SPDX-License-Identifier: Apache-2.0
# Pictures of synthetic rows, which may be published, and of intervals.

plot.semblance <- function(x, columns = NULL, n = 1000, seed = 0, ...) {
    frame <- sample(x, n = n, seed = seed)
    if (is.null(columns)) columns <- utils::head(names(frame), 9)
    old <- par(mfrow = n2mfrow(length(columns)), mar = c(3, 3, 2, 1))
    on.exit(par(old))
    for (name in columns) {
        values <- frame[[name]]
        if (is.numeric(values) || inherits(values, "Date"))
            hist(as.numeric(values), main = name, xlab = "", ylab = "", ...)
        else if (inherits(values, "POSIXct"))
            hist(as.numeric(values), main = name, xlab = "", ylab = "", ...)
        else
            barplot(table(values, useNA = "ifany"), main = name, ...)
    }
    invisible(frame)
}

plot.semblance_estimates <- function(x, ...) {
    places <- seq_len(nrow(x))
    plot(places, x$estimate, ylim = range(x$low, x$high, finite = TRUE), xaxt = "n", xlab = "", ylab = "estimate", pch = 19, ...)
    segments(places, x$low, places, x$high)
    axis(1, places, row.names(x))
    invisible(x)
}
