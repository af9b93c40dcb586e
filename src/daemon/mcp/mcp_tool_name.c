/* SPDX-License-Identifier: ISC */
/* Names of tools as agents spell them. */
#include "daemon/mcp/mcp_tool_name.h"

#include <string.h>

#define NAME_MAX_LEN 128
#define SEPARATORS "-./:_"

/* The part of a name behind its last "muxbus" that stands between separators; else all of it. */
static const char *skip_prefix(const char *name)
{
	static const char server[] = "muxbus";
	const char *rest = name;
	for (const char *at = strstr(name, server); at != NULL; at = strstr(at + 1, server)) {
		const char *behind = at + sizeof server - 1;
		size_t separators = strspn(behind, SEPARATORS);
		if (separators > 0 && (at == name || strchr(SEPARATORS, at[-1]) != NULL))
			rest = behind + separators;
	}
	return rest;
}

const struct method *mcp_tool_named(const char *name)
{
	char plain[NAME_MAX_LEN];
	const char *rest;
	if (method_find(name) != NULL)
		return method_find(name);
	rest = skip_prefix(name);
	if (strlen(rest) >= sizeof plain)
		return NULL;
	strcpy(plain, rest);
	for (char *p = plain; *p != '\0'; p++)
		if (*p == '-' || *p == '.')
			*p = '_';
	return method_find(plain);
}

const char *mcp_tool_nearest(const char *name)
{
	const char *rest = skip_prefix(name);
	for (const char *p = name; *p != '\0'; p++)
		if (p > name && strchr(SEPARATORS, p[-1]) != NULL && method_find(p) != NULL)
			return method_find(p)->name;
	return method_nearest(rest);
}
