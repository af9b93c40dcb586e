/* SPDX-License-Identifier: ISC */
/* The right form of a condition that was written in a wrong one, with the values that were given. */
#include "daemon/wait/condition_hint.h"

#include <string.h>

#include "base/str.h"
#include "daemon/wait/condition_kind.h"

static bool has_field(const struct condition_kind *kind, const char *name)
{
	for (const struct field *field = kind->fields; field->name != NULL; field++) {
		if (strcmp(field->name, name) == 0)
			return true;
	}
	return false;
}

static const struct condition_kind *find_kind(const char *name)
{
	const char *names[64] = {NULL}, *nearest;
	const struct condition_kind *kind = NULL;
	size_t count = 0;
	while ((kind = condition_kind_next(kind)) != NULL && count < 63) {
		if (strcmp(kind->name, name) == 0)
			return kind;
		names[count++] = kind->name;
	}
	nearest = str_nearest(name, names);
	while (nearest != NULL && (kind = condition_kind_next(kind)) != NULL) {
		if (strcmp(kind->name, nearest) == 0)
			return kind;
	}
	return NULL;
}

/* Writes a condition of a kind; key is the member whose value stands at the kind's own name. */
static void put_condition(struct json_writer *writer, const struct condition_kind *kind,
    const struct json *spec, const struct json *key)
{
	json_object_begin(writer, NULL);
	json_put_value(writer, kind->name, key);
	for (const struct json *at = spec->child; at != NULL; at = at->next) {
		if (at != key && strcmp(at->name, kind->name) != 0 && has_field(kind, at->name))
			json_put_value(writer, at->name, at);
	}
	json_object_end(writer);
}

/* Several kinds in one object: each becomes a condition. */
static size_t put_each(struct json_writer *writer, const struct json *spec)
{
	const struct condition_kind *kind = NULL;
	size_t count = 0;
	json_array_begin(writer, NULL);
	while ((kind = condition_kind_next(kind)) != NULL) {
		const struct json *key = json_member(spec, kind->name);
		if (key == NULL)
			continue;
		put_condition(writer, kind, spec, key);
		count++;
	}
	json_array_end(writer);
	return count;
}

/* The member that says the kind in words: {"type":"output","regex":…}. */
static const struct json *find_type(const struct json *spec)
{
	static const char *const names[] = {"type", "kind", "condition"};
	for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
		const struct json *member = json_member(spec, names[at]);
		if (member != NULL && member->type == JSON_STRING)
			return member;
	}
	return NULL;
}

/* The member that stands for the kind's own: one that the kind has not, or its pane. */
static const struct json *find_key(
    const struct condition_kind *kind, const struct json *spec, const struct json *type)
{
	for (const struct json *at = spec->child; at != NULL; at = at->next) {
		if (at != type && !has_field(kind, at->name))
			if (strcmp(at->name, "pane") != 0 || kind->pane_member == kind->name)
				return at;
	}
	return NULL;
}

bool condition_hint(struct buf *out, const struct json *spec)
{
	const struct json *type, *key = NULL;
	const struct condition_kind *kind = NULL;
	struct json_writer writer;
	if (spec->type != JSON_OBJECT)
		return false;
	json_writer_init(&writer, out);
	if (put_each(&writer, spec) > 1)
		return !writer.is_cut;
	buf_clear(out);
	json_writer_init(&writer, out);
	type = find_type(spec);
	if (type != NULL) {
		kind = find_kind(type->text);
		key = kind != NULL ? find_key(kind, spec, type) : NULL;
	} else {
		for (key = spec->child; key != NULL; key = key->next) {
			kind = find_kind(key->name);
			if (kind != NULL)
				break;
		}
		if (kind == NULL && (key = json_member(spec, "regex")) != NULL)
			kind = find_kind("output");
	}
	if (kind == NULL || key == NULL)
		return false;
	put_condition(&writer, kind, spec, key);
	return !writer.is_cut;
}
