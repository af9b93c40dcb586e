/* SPDX-License-Identifier: ISC */
#include "daemon/provide/offer.h"

#define SCRATCH_MAX (2 * DECLARATION_BYTES_MAX)

struct offer_members {
	struct declaration_names names;
	const char *help;
	struct field_strings effects;
	const struct json *parameters, *result, *example;
	int64_t timeout_ms;
};

static const struct field member_fields[] = {
    {FIELD_ROW(STRING, struct offer_members, names.name, "name"), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {FIELD_ROW(STRINGS, struct offer_members, names.also, "also"), .min = 0,
	.max = DECLARATION_ALSO_MAX},
    {FIELD_ROW(STRINGS, struct offer_members, effects, "effects"), .min = 1, .max = 8},
    {FIELD_ROW(VALUE, struct offer_members, example, "example")},
    {FIELD_ROW(STRING, struct offer_members, names.group, "group"), .min = 1,
	.max = DECLARATION_NAME_MAX, .preset = "\"provided\""},
    {FIELD_ROW(STRING, struct offer_members, help, "help"), .min = 1, .max = 4000},
    {FIELD_ROW(VALUE, struct offer_members, parameters, "parameters")},
    {FIELD_ROW(VALUE, struct offer_members, result, "result")},
    {FIELD_ROW(STRING, struct offer_members, names.description, "summary"), .flags = FIELD_REQUIRED,
	.min = 1, .max = 1000},
    {FIELD_ROW(INT, struct offer_members, timeout_ms, "timeout_ms"), .unit = "ms", .min = 1,
	.max = OFFER_TIMEOUT_MS_MAX, .preset = "30000"},
    {FIELD_ROW(STRING, struct offer_members, names.title, "title"), .min = 1, .max = 200},
    {.name = NULL},
};

static bool read_effect(const char *name, unsigned *ret_effects, char *ret_reason)
{
	char names[128] = "";
	size_t len = 0;
	for (const struct method_effect_row *row = method_effects; row->name != NULL; row++) {
		if (strcmp(row->name, name) == 0) {
			*ret_effects |= row->effect;
			return true;
		}
		len += (size_t)snprintf(
		    names + len, sizeof names - len, "%s%s", len > 0 ? ", " : "", row->name);
	}
	return declaration_refuse(ret_reason, "effects: must be of %s, not \"%.64s\"", names, name);
}

/* Reads the member effects. A row without it counts as one that runs programs and closes things. */
static bool read_effects(const struct field_strings *names, unsigned *ret_effects, char *ret_reason)
{
	*ret_effects = names->is_given ? 0 : METHOD_RUNS | METHOD_CLOSES;
	for (size_t i = 0; i < names->count; i++)
		if (!read_effect(names->strings[i], ret_effects, ret_reason))
			return false;
	return true;
}

/* Keeps the example if its parameters are valid for the row. */
static bool set_example(struct declaration *declaration, const struct json *example,
    const char **ret_text, char *ret_reason)
{
	void *args = xcalloc(1, declaration->args_size);
	struct field_error error;
	struct buf text = BUF(DECLARATION_BYTES_MAX), scratch = BUF(SCRATCH_MAX);
	bool is_good = example->type == JSON_OBJECT &&
	    field_read(
		declaration->fields, example, args, declaration->args_size, &scratch, &error) == 0;
	if (!is_good)
		(void)declaration_refuse(ret_reason, "example: %s",
		    example->type == JSON_OBJECT ? error.text : "must be an object of parameters");
	else if (json_append(&text, example))
		*ret_text = declaration_own(declaration, buf_steal(&text, NULL));
	else
		is_good = declaration_refuse(
		    ret_reason, "example: has more than %zu bytes as JSON", DECLARATION_BYTES_MAX);
	buf_finish(&text);
	buf_finish(&scratch);
	mem_free(args);
	return is_good;
}

static bool fill(struct offer *offer, const struct offer_members *members,
    const struct offer_origin *origin, char *ret_reason)
{
	struct declaration *declaration = offer->declaration;
	struct method *row = &offer->method;
	*row = (struct method){
	    .flags = METHOD_WAITS | METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD | origin->flags,
	    .handle = origin->handle,
	    .uses = &offer->uses,
	};
	declaration->answer = DECLARATION_JSON;
	declaration->timeout_ms = members->timeout_ms;
	if (!declaration_set_names(declaration, &members->names, ret_reason) ||
	    !read_effects(&members->effects, &row->effects, ret_reason) ||
	    !declaration_read_parameters(declaration, members->parameters, ret_reason) ||
	    !declaration_read_result(declaration, members->result, ret_reason) ||
	    (members->example != NULL &&
		!set_example(declaration, members->example, &row->example, ret_reason)))
		return false;
	row->name = declaration->name;
	row->group = declaration->group;
	row->title = declaration->title;
	row->summary = declaration->description;
	row->help = declaration_copy(declaration, members->help);
	row->fields = declaration->fields;
	row->args_size = declaration->args_size;
	row->results = declaration->results;
	row->result_schema = declaration->result_schema;
	method_add_key(row);
	row->also = declaration->also;
	return true;
}

struct offer *offer_read(const struct json *value, const struct offer_origin *origin,
    char ret_reason[DECLARATION_REASON_SIZE])
{
	struct offer *offer = xcalloc(1, sizeof *offer);
	struct offer_members members;
	struct field_error error;
	struct buf scratch = BUF(SCRATCH_MAX);
	bool is_good = value->type == JSON_OBJECT;
	list_init(&offer->link);
	offer->provider = origin->provider;
	offer->declaration = xcalloc(1, sizeof *offer->declaration);
	if (!is_good)
		(void)declaration_refuse(
		    ret_reason, "must be an object, not %s", json_type_name(value->type));
	else if (field_read(member_fields, value, &members, sizeof members, &scratch, &error) < 0)
		is_good = declaration_refuse(ret_reason, "%s", error.text);
	else
		is_good = fill(offer, &members, origin, ret_reason);
	buf_finish(&scratch);
	if (is_good)
		return offer;
	offer_free(offer);
	return NULL;
}

void offer_free(struct offer *offer)
{
	list_remove(&offer->link);
	method_free_tables(&offer->method);
	declaration_free(offer->declaration);
	mem_free(offer);
}

struct offer *offer_of(const struct method *method)
{
	return (struct offer *)(uintptr_t)method;
}

size_t offer_count(const struct offer *offer)
{
	size_t count = 1;
	while (offer->method.also != NULL && offer->method.also[count - 1] != NULL)
		count++;
	return count;
}

const char *offer_name(const struct offer *offer, size_t at)
{
	return at == 0 ? offer->method.name : offer->method.also[at - 1];
}
