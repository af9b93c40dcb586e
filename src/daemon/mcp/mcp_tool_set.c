/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp_tool_set.h"

#include "daemon/methods/group.h"

#define WORD_MAX 64

static bool is_default(const struct method *method, const char *word UNUSED)
{
	return (method->flags & METHOD_TOOL) != 0;
}

static bool is_any(const struct method *method, const char *word UNUSED)
{
	return (method->flags & METHOD_NO_TOOL) == 0;
}

static bool is_of_group(const struct method *method, const char *word)
{
	const char *group = method_group(method);
	return is_any(method, word) && group != NULL && strcmp(group, word) == 0;
}

static bool is_named(const struct method *method, const char *word)
{
	return is_any(method, word) && strcmp(method->name, word) == 0;
}

static bool add(struct mcp_tool_set *set, const char *word,
    bool (*is_meant)(const struct method *method, const char *word))
{
	size_t place = 0;
	bool has_any = false;
	for (const struct method *method = method_next(NULL);
	     method != NULL && place < MCP_TOOL_SET_MAX; method = method_next(method), place++) {
		if (!is_meant(method, word))
			continue;
		has_any = true;
		set->has_declared |= method->group != NULL;
		if (!(method->flags & METHOD_HIDDEN))
			set->bits[place / 64] |= (uint64_t)1 << place % 64;
	}
	return has_any;
}

void mcp_tool_set_default(struct mcp_tool_set *set)
{
	*set = (struct mcp_tool_set){0};
	(void)add(set, "", is_default);
}

void mcp_tool_set_all(struct mcp_tool_set *set)
{
	*set = (struct mcp_tool_set){.is_full = true, .has_declared = true};
	(void)add(set, "", is_any);
}

bool mcp_tool_set_has(const struct mcp_tool_set *set, const struct method *method)
{
	size_t place = 0;
	for (const struct method *m = method_next(NULL); m != NULL && place < MCP_TOOL_SET_MAX;
	     m = method_next(m), place++)
		if (m == method)
			return set->bits[place / 64] >> place % 64 & 1;
	return false;
}

static bool add_word(struct mcp_tool_set *set, const char *word)
{
	if (strcmp(word, "default") == 0) {
		(void)add(set, word, is_default);
		return true;
	}
	if (strcmp(word, "all") == 0) {
		mcp_tool_set_all(set);
		return true;
	}
	for (const struct method_set *named = method_sets; named->name != NULL; named++)
		if (strcmp(named->name, word) == 0) {
			for (const char *const *group = named->groups; *group != NULL; group++)
				(void)add(set, *group,
				    strcmp(*group, "default") == 0 ? is_default : is_of_group);
			return true;
		}
	return add(set, word, is_of_group) || add(set, word, is_named);
}

static const char *nearest(const char *word)
{
	static const char *const sets[] = {"all", "default", NULL};
	const char *name = str_nearest(word, method_groups);
	name = name != NULL ? name : str_nearest(word, sets);
	if (name != NULL)
		return name;
	name = method_nearest(word);
	return name != NULL && is_any(method_find(name), word) ? name : NULL;
}

bool mcp_tool_set_read(
    struct mcp_tool_set *ret_set, const char *text, char ret_reason[MCP_TOOL_SET_REASON])
{
	bool is_good = true;
	*ret_set = (struct mcp_tool_set){0};
	while (*text != '\0') {
		char word[WORD_MAX];
		size_t len = strcspn(text, ",");
		const char *near;
		(void)snprintf(
		    word, sizeof word, "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX - 1), text);
		text += len + (text[len] == ',');
		if (len == 0 || (len < WORD_MAX && add_word(ret_set, word)) || !is_good)
			continue;
		near = nearest(word);
		(void)snprintf(ret_reason, MCP_TOOL_SET_REASON,
		    "tools: there is no group or tool \"%s\"%s%s%s", word,
		    STR_NEAREST(near, "; describe has both"));
		is_good = false;
	}
	return is_good;
}

#define NAME_MAX_LEN 128
#define SEPARATORS "-./:_"

/* Returns the name without a prefix that ends with "muxbus" and separators, as "mcp__muxbus__". */
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
