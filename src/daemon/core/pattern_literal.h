/* SPDX-License-Identifier: ISC */
/*
 * Facts about the matches of a pattern, read from its text: literal bytes that each match contains,
 * and whether a match depends on bytes around it. Knows the syntax of PCRE2 in part, and says
 * nothing of patterns with other syntax.
 */
#ifndef DAEMON_CORE_PATTERN_LITERAL_H
#define DAEMON_CORE_PATTERN_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#define PATTERN_LITERAL_MAX 64

/*
 * Whether each match in a line is also found in a block with that line: the pattern has no
 * assertions about the surrounding text, and no possessive or atomic parts. Anything unknown
 * counts as one of these.
 */
bool pattern_is_local(const char *text);

/*
 * The longest string that every match contains: literal bytes outside of all groups, if there
 * are no alternatives. Printable ASCII. Returns its length, 0 in doubt and for any pattern that
 * is not local.
 */
size_t pattern_literal(const char *text, char ret_literal[PATTERN_LITERAL_MAX]);

#endif
