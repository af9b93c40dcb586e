/* SPDX-License-Identifier: ISC */
/* Facts about the matches of a pattern, read from its text. */
#include "daemon/core/pattern_literal.h"

#include <ctype.h>
#include <string.h>

/*
 * Whether a pattern with this escape can be searched in blocks: its match does not depend
 * on bytes outside the line, or the line is matched alone anyway.
 */
static bool is_local_escape(char c)
{
	return ispunct((unsigned char)c) || (c != '\0' && strchr("dDwWsSbBhHvVtrfnea", c));
}

/* Group openings that still allow block search: "(", "(?:", "(?i)", "(?<name>". */
static bool is_local_group(const char *after)
{
	if (*after == '*')
		return false;
	if (*after != '?')
		return true;
	return strncmp(after, "?:", 2) == 0 || strncmp(after, "?i)", 3) == 0 ||
	    (strncmp(after, "?<", 2) == 0 && isalpha((unsigned char)after[2]));
}

bool pattern_is_local(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\') {
			if (!is_local_escape(*++c))
				return false;
		} else if (*c == '(') {
			if (!is_local_group(c + 1))
				return false;
		} else if (strchr("*+?}", *c) && c[1] == '+') {
			return false;
		}
	}
	return true;
}

/* The end of a class: "[^]a\\]b]". NULL if it is not simple. */
static const char *skip_class(const char *c)
{
	c += c[1] == '^' ? 2 : 1;
	if (*c == ']')
		c++;
	for (; *c && *c != ']'; c++) {
		if (*c == '[')
			return NULL; /* perhaps [:alpha:]; it ends elsewhere */
		if (*c == '\\' && *++c == '\0')
			return NULL;
	}
	return *c ? c + 1 : NULL;
}

/* The end of a group. NULL if it is not simple. */
static const char *skip_group(const char *c)
{
	unsigned depth = 0;
	while (c != NULL && *c) {
		if (*c == '\\') {
			c += c[1] ? 2 : 1;
		} else if (*c == '[') {
			c = skip_class(c);
		} else if (*c++ == '(') {
			depth++;
		} else if (c[-1] == ')' && --depth == 0) {
			return c;
		}
	}
	return NULL;
}

/* The literal byte at c and its end; '\0' if there is none. */
static char plain_byte(const char *c, const char **ret_after)
{
	if (*c == '\\' && ispunct((unsigned char)c[1])) {
		*ret_after = c + 2;
		return c[1];
	}
	*ret_after = c + 1;
	return (unsigned char)*c < 0x80 && isprint((unsigned char)*c) &&
		!strchr("\\^$.[]|()?*+{}", *c)
	    ? *c
	    : '\0';
}

/* The end of an item that is not literal; NULL if it is unknown. */
static const char *skip_other(const char *c)
{
	if (*c == '[')
		return skip_class(c);
	if (*c == '(')
		return skip_group(c);
	if (*c == '{') {
		c += 1 + strspn(c + 1, "0123456789,");
		return *c == '}' ? c + 1 : NULL; /* else it is no quantifier */
	}
	if (*c == '|' || *c == ')')
		return NULL;
	return c + (*c == '\\' && c[1] ? 2 : 1);
}

size_t pattern_literal(const char *text, char ret_literal[PATTERN_LITERAL_MAX])
{
	char run[PATTERN_LITERAL_MAX];
	size_t len = 0, best = 0;
	if (!pattern_is_local(text) || strstr(text, "(?i"))
		return 0;
	for (const char *c = text, *after; *c; c = after) {
		char byte = plain_byte(c, &after);
		bool is_optional = byte && *after && strchr("*?{", *after);
		if (byte && !is_optional && len < PATTERN_LITERAL_MAX)
			run[len++] = byte;
		if (len > best)
			memcpy(ret_literal, run, best = len);
		if (!byte || is_optional || *after == '+' || len == PATTERN_LITERAL_MAX)
			len = 0;
		if (!byte && (after = skip_other(c)) == NULL)
			return 0;
	}
	return best;
}
