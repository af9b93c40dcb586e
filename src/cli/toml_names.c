/* SPDX-License-Identifier: ISC */
/* The names that a text in TOML has defined. */
#include <string.h>

#include "base/xalloc.h"
#include "cli/toml.h"

enum kind {
	KIND_VALUE, /* also an inline table or an array */
	KIND_IMPLICIT, /* a table by the header of one below it */
	KIND_TABLE, /* by its own header */
	KIND_DOTTED, /* a table by dotted keys */
	KIND_ARRAY, /* of tables; below it are the names of the last one */
};

struct name {
	struct name *next;
	struct name *first; /* below it */
	enum kind kind;
	char text[];
};

struct toml_names {
	struct name *root;
	struct name *table; /* of the pairs that follow */
	size_t count;
};

static struct name *name_new(const char *text, enum kind kind)
{
	struct name *name = xcalloc(1, sizeof *name + strlen(text) + 1);
	name->kind = kind;
	strcpy(name->text, text);
	return name;
}

static void name_free_below(struct name *name)
{
	while (name->first != NULL) {
		struct name *below = name->first;
		name->first = below->next;
		name_free_below(below);
		mem_free(below);
	}
}

static struct name *name_find(const struct name *name, const char *text)
{
	struct name *below = name->first;
	while (below != NULL && strcmp(below->text, text) != 0)
		below = below->next;
	return below;
}

/* Adds a name below another; NULL if there are too many. */
static struct name *name_add(
    struct toml_names *names, struct name *name, const char *text, enum kind kind)
{
	struct name *below;
	if (names->count == TOML_NAMES_MAX)
		return NULL;
	names->count++;
	below = name_new(text, kind);
	below->next = name->first;
	name->first = below;
	return below;
}

struct toml_names *toml_names_new(void)
{
	struct toml_names *names = xcalloc(1, sizeof *names);
	names->root = name_new("", KIND_TABLE);
	names->table = names->root;
	return names;
}

void toml_names_free(struct toml_names *names)
{
	if (names == NULL)
		return;
	name_free_below(names->root);
	mem_free(names->root);
	mem_free(names);
}

/* The table that contains the last name of a header; NULL if there can be none. */
static struct name *header_parent(struct toml_names *names, const struct toml_key *key)
{
	struct name *name = names->root;
	for (size_t i = 0; name != NULL && i + 1 < key->count; i++) {
		const char *text = toml_key_name(key, i);
		struct name *below = name_find(name, text);
		if (below == NULL)
			below = name_add(names, name, text, KIND_IMPLICIT);
		name = below == NULL || below->kind == KIND_VALUE ? NULL : below;
	}
	return name;
}

bool toml_names_header(struct toml_names *names, const struct toml_key *key, bool is_array)
{
	struct name *parent = header_parent(names, key);
	const char *text = toml_key_name(key, key->count - 1);
	struct name *name = parent != NULL ? name_find(parent, text) : NULL;
	if (parent == NULL)
		return false;
	if (name == NULL)
		name = name_add(names, parent, text, is_array ? KIND_ARRAY : KIND_TABLE);
	else if (is_array && name->kind == KIND_ARRAY)
		name_free_below(name);
	else if (!is_array && name->kind == KIND_IMPLICIT)
		name->kind = KIND_TABLE;
	else
		return false;
	names->table = name;
	return name != NULL;
}

bool toml_names_pair(struct toml_names *names, const struct toml_key *key)
{
	struct name *name = names->table;
	const char *text = toml_key_name(key, key->count - 1);
	for (size_t i = 0; i + 1 < key->count; i++) {
		struct name *below = name_find(name, toml_key_name(key, i));
		if (below == NULL)
			below = name_add(names, name, toml_key_name(key, i), KIND_DOTTED);
		if (below == NULL || below->kind != KIND_DOTTED)
			return false;
		name = below;
	}
	return name_find(name, text) == NULL && name_add(names, name, text, KIND_VALUE) != NULL;
}
