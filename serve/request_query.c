/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a request's address. */
#include <microhttpd.h>
#include <string.h>

#include "server.h"

const char *sbl_serve_request_query(const sbl_serve_request *request, const char *name)
{
    const char *value = NULL;
    size_t length = 0;
    if (MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value,
                                      &length) != MHD_YES ||
        value == NULL || strlen(value) != length)
        return NULL;
    return value;
}
