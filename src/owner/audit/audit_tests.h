/* SPDX-License-Identifier: Apache-2.0 */
/* All tests of an audit over all that is audited, as one JSON document (docs/AUDIT.md). */
#ifndef SBL_AUDIT_AUDIT_TESTS_H
#define SBL_AUDIT_AUDIT_TESTS_H

#include "base/error.h"
#include "base/json.h"
#include "semblance/audit.h"

/* options: with every default filled in. document: the caller's (json_decref). */
sbl_status sbl_audit_document(json_t **document, const sbl_audit_options *options, sbl_error *err);

/* The words for a verdict in a document, by sbl_audit_verdict. */
extern const char *const sbl_audit_verdicts[];

/* The document for people; NULL when out of memory; sbl_free. */
char *sbl_audit_text(const json_t *document);
char *sbl_audit_markdown(const json_t *document);
char *sbl_audit_html(const json_t *document);

#endif
