/* SPDX-License-Identifier: ISC */
#include "daemon/tool/declaration.h"

#include <ctype.h>

bool declaration_refuse(char *ret_reason, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(ret_reason, DECLARATION_REASON_SIZE, format, args);
	va_end(args);
	return false;
}

void *declaration_own(struct declaration *declaration, void *memory)
{
	size_t count = declaration->owned_count;
	/* the array is full if count is 0 or a power of two */
	if ((count & (count - 1)) == 0)
		declaration->owned = xrealloc(
		    declaration->owned, (count > 0 ? 2 * count : 1) * sizeof *declaration->owned);
	declaration->owned[declaration->owned_count++] = memory;
	return memory;
}

char *declaration_copy(struct declaration *declaration, const char *text)
{
	return text != NULL ? declaration_own(declaration, xstrdup(text)) : NULL;
}

const char *const *declaration_copy_list(
    struct declaration *declaration, const char *const *strings, size_t count)
{
	const char **copy = declaration_own(declaration, xcalloc(count + 1, sizeof *copy));
	for (size_t at = 0; at < count; at++)
		copy[at] = declaration_copy(declaration, strings[at]);
	return copy;
}

bool declaration_read_also(struct declaration *declaration, const char *where, const char *name,
    const struct field_strings *also, bool is_name(const char *text), const char *const **ret_also,
    char *ret_reason)
{
	const char *small = is_name == declaration_is_small_name ? "small " : "";
	*ret_also = NULL;
	for (size_t i = 0; i < also->count; i++) {
		const char *text = also->strings[i];
		if (!is_name(text))
			return declaration_refuse(ret_reason,
			    "%s: must be a %sletter, then %sletters, digits and \"_\", at most %d, "
			    "not \"%.80s\"",
			    where, small, small, DECLARATION_NAME_MAX, text);
		for (size_t j = 0; j <= i; j++)
			if (strcmp(text, j < i ? also->strings[j] : name) == 0)
				return declaration_refuse(
				    ret_reason, "%s: \"%s\" stands twice", where, text);
	}
	if (also->count > 0)
		*ret_also = declaration_copy_list(declaration, also->strings, also->count);
	return true;
}

bool declaration_set_names(
    struct declaration *declaration, const struct declaration_names *names, char *ret_reason)
{
	const char *title = names->title != NULL ? names->title : names->name;
	if (!declaration_check_name("name", names->name, ret_reason) ||
	    !declaration_check_name("group", names->group, ret_reason) ||
	    !declaration_read_also(declaration, "also", names->name, &names->also,
		declaration_is_small_name, &declaration->also, ret_reason))
		return false;
	if (strcmp(names->group, "all") == 0 || strcmp(names->group, "default") == 0)
		return declaration_refuse(ret_reason,
		    "group: \"%s\" already names a set of tools: choose another name",
		    names->group);
	declaration->name = declaration_copy(declaration, names->name);
	declaration->group = declaration_copy(declaration, names->group);
	declaration->title = declaration_copy(declaration, title);
	declaration->description = declaration_copy(declaration, names->description);
	return true;
}

bool declaration_is_own(const char *name)
{
	return strcmp(name, "wait") == 0 || strcmp(name, "pane") == 0;
}

const char *declaration_their_name(const struct declaration *declaration, const char *ours)
{
	const struct declaration_rename *row = declaration->server.renames;
	for (; row != NULL && row->theirs != NULL; row++)
		if (strcmp(row->ours, ours) == 0)
			return row->theirs;
	return ours;
}

void declaration_list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1])
{
	size_t count = 0;
	for (const struct field *field = declaration->fields; field->name != NULL; field++)
		if (field->offset >= sizeof(struct declaration_args) &&
		    !(field->flags & FIELD_ALIAS) && count < DECLARATION_PARAMETERS_MAX)
			gives[count++] = declaration_their_name(declaration, field->name);
	gives[count] = NULL;
}

bool declaration_is_name(const char *text)
{
	size_t len = strlen(text);
	for (size_t at = 0; at < len; at++)
		if (!isalnum((unsigned char)text[at]) && text[at] != '_')
			return false;
	return len > 0 && len <= DECLARATION_NAME_MAX && !isdigit((unsigned char)text[0]);
}

bool declaration_is_small_name(const char *text)
{
	return declaration_is_name(text) && strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

bool declaration_check_name(const char *member, const char *text, char *ret_reason)
{
	return declaration_is_small_name(text) ||
	    declaration_refuse(ret_reason,
		"%s: must be a small letter, then small letters, digits and \"_\", at most %d, not "
		"\"%.80s\"",
		member, DECLARATION_NAME_MAX, text);
}

void declaration_free(struct declaration *declaration)
{
	if (declaration == NULL)
		return;
	while (declaration->owned_count > 0)
		mem_free(declaration->owned[--declaration->owned_count]);
	mem_free(declaration->owned);
	mem_free(declaration);
}
