/* SPDX-License-Identifier: Apache-2.0 */
/* JSON in C as it is written in a file: JSON({"name": "age"}) is the string "{\"name\": \"age\"}". A line break
 * becomes a space. Backslashes do not belong in it. */
#ifndef SBL_TESTS_SUPPORT_JSON_TEXT_H
#define SBL_TESTS_SUPPORT_JSON_TEXT_H

#define JSON(...) #__VA_ARGS__

#endif
