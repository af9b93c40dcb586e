/* SPDX-License-Identifier: ISC */
#include "wire/field.h"

#include <assert.h>
#include <math.h>
#include <strings.h>

#include "wire/address.h"

#define FIELDS_MAX 64 /* maximum number of rows in a table */
#define QUOTE_SIZE 72

struct field_reading {
	const struct field *fields;
	char *args;
	struct buf *scratch;
	struct field_error *error;
	const struct field_tolerance *tolerance;
	uint64_t given; /* bit i: the parameter of row i was given */
};

static int __attribute__((format(printf, 3, 4)))
refuse(struct field_reading *reading, const char *name, const char *format, ...)
{
	struct field_error *error = reading->error;
	va_list args;
	struct buf text = {.data = (uint8_t *)error->text,
	    .cap = sizeof error->text,
	    .max = sizeof error->text - 1};
	error->field = name;
	(void)str_append_visible(&text, name, strnlen(name, QUOTE_SIZE));
	(void)buf_append_str(&text, ": ");
	va_start(args, format);
	(void)vsnprintf((char *)text.data + text.len, text.cap - text.len, format, args);
	va_end(args);
	return -1;
}

static const char *quote(const struct json *value, char out[QUOTE_SIZE])
{
	bool is_string = value->type == JSON_STRING;
	struct buf text;
	int r;
	if (!is_string && value->type != JSON_NUMBER)
		return json_type_name(value->type);
	/* Keep room for "..." if the value is cut. */
	text = (struct buf){.data = (uint8_t *)out, .cap = QUOTE_SIZE, .max = QUOTE_SIZE - 6};
	out[0] = '\0';
	(void)buf_append_str(&text, is_string ? "\"" : "");
	r = str_append_visible(&text, value->text, value->len);
	text.max = QUOTE_SIZE - 1;
	(void)buf_append_str(&text, r < 0 ? "..." : "");
	(void)buf_append_str(&text, is_string ? "\"" : "");
	return out;
}

static int refuse_type(
    struct field_reading *reading, const char *name, const char *wanted, const struct json *value)
{
	return refuse(reading, name, "must be %s, not %s", wanted, json_type_name(value->type));
}

static bool has_bounds(const struct field *field)
{
	return field->min != 0 || field->max != 0;
}

static bool has_max(const struct field *field)
{
	return has_bounds(field) && field->max >= field->min && isfinite(field->max);
}

static bool has_min(const struct field *field)
{
	return has_bounds(field) && isfinite(field->min);
}

static bool is_within(const struct field *field, double number)
{
	return (!has_min(field) || number >= field->min) &&
	    (!has_max(field) || number <= field->max);
}

void field_describe_bounds(const struct field *field, const char *unit, char out[FIELD_BOUNDS_SIZE])
{
	const char *space = unit != NULL ? " " : "";
	char min[JSON_DOUBLE_SIZE], max[JSON_DOUBLE_SIZE];
	(void)json_format_double(min, field->min);
	(void)json_format_double(max, field->max);
	unit = unit != NULL ? unit : "";
	out[0] = '\0';
	if (has_min(field) && has_max(field))
		(void)snprintf(out, FIELD_BOUNDS_SIZE, "%s to %s%s%s", min, max, space, unit);
	else if (has_min(field))
		(void)snprintf(out, FIELD_BOUNDS_SIZE, "at least %s%s%s", min, space, unit);
	else if (has_max(field))
		(void)snprintf(out, FIELD_BOUNDS_SIZE, "at most %s%s%s", max, space, unit);
}

static int check_count(struct field_reading *reading, const struct field *field, const char *name,
    size_t count, const char *noun)
{
	char bounds[FIELD_BOUNDS_SIZE];
	if (is_within(field, (double)count))
		return 0;
	if (count == 0)
		return refuse(reading, name, "must not be empty");
	field_describe_bounds(field, noun, bounds);
	return refuse(reading, name, "must have %s, not %zu", bounds, count);
}

/* Returns memory from the scratch buffer, which reserve_scratch() has made large enough. */
static void *scratch_take(struct field_reading *reading, size_t size)
{
	void *memory;
	size = (size + 7) & ~(size_t)7;
	memory = reading->scratch->data + reading->scratch->len;
	assert(size <= reading->scratch->cap - reading->scratch->len);
	reading->scratch->len += size;
	return memory;
}

/* Accepts a pane as the number of its id: "3" for "%3". Returns false for other values. */
static bool forgive_pane(
    struct field_reading *reading, const struct json *value, const char **member)
{
	char *text;
	if (value->len == 0 || value->len > PANE_DIGITS_MAX ||
	    strspn(value->text, "0123456789") != value->len)
		return false;
	text = scratch_take(reading, PANE_DIGITS_MAX + 2);
	text[0] = '%';
	memcpy(text + 1, value->text, value->len + 1);
	*member = text;
	return true;
}

static int read_home(struct field_reading *reading, const char *name, const struct json *value,
    const char **member, size_t *ret_len)
{
	const char *home = address_home();
	char text[QUOTE_SIZE], *path;
	size_t home_len;
	if (value->len > 1 && value->text[1] != '/')
		return refuse(reading, name,
		    "%s is in the home directory of another user: write the path out",
		    quote(value, text));
	if (home == NULL)
		return refuse(reading, name,
		    "the home directory is not known, HOME is not set: write the path out");
	home_len = strlen(home);
	path = scratch_take(reading, home_len + value->len);
	memcpy(path, home, home_len);
	memcpy(path + home_len, value->text + 1, value->len);
	*member = path;
	*ret_len = home_len + value->len - 1;
	return 0;
}

static int read_string(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	bool is_forgiven = reading->tolerance != NULL && value->type == JSON_NUMBER;
	size_t len = value->len;
	if (value->type != JSON_STRING && !is_forgiven)
		return refuse_type(reading, name, "a string", value);
	*(const char **)member = value->text;
	if (field->flags & FIELD_PATH && value->text[0] == '~' &&
	    read_home(reading, name, value, member, &len) < 0)
		return -1;
	if (reading->tolerance != NULL && strcmp(field->name, "pane") == 0)
		len += forgive_pane(reading, value, member);
	return check_count(reading, field, name, len, "bytes");
}

/* Accepts unambiguous values such as "true", "no" and 1. Returns false for others. */
static bool forgive_bool(const struct json *value, bool *ret_value)
{
	static const char *const words[2][5] = {
	    {"false", "no", "off", "0", NULL}, {"true", "yes", "on", "1", NULL}};
	if (value->type != JSON_STRING && value->type != JSON_NUMBER)
		return false;
	for (int meant = 0; meant < 2; meant++)
		for (const char *const *word = words[meant]; *word; word++)
			if (strcasecmp(*word, value->text) == 0) {
				*ret_value = meant;
				return true;
			}
	return false;
}

static int read_bool(struct field_reading *reading, const struct field *field UNUSED,
    const char *name, const struct json *value, void *member)
{
	if (reading->tolerance != NULL && value->type != JSON_BOOL && forgive_bool(value, member))
		return 0;
	if (value->type != JSON_BOOL)
		return refuse_type(reading, name, "true or false", value);
	*(bool *)member = value->boolean;
	return 0;
}

static int refuse_bounds(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value)
{
	char bounds[FIELD_BOUNDS_SIZE], text[QUOTE_SIZE];
	field_describe_bounds(field, field->unit, bounds);
	return refuse(reading, name, "must be %s, not %s", bounds, quote(value, text));
}

/* Accepts a string that is a number without exponent, such as "30". Returns false for others. */
static bool forgive_number(const struct json *value, struct json *ret_number)
{
	static const char digits[] = "0123456789";
	const char *text = value->text;
	size_t len = value->type == JSON_STRING ? value->len : 0;
	size_t whole;
	if (len == 0 || len > JSON_NUMBER_MAX || strlen(text) != len)
		return false;
	text += *text == '-';
	whole = strspn(text, digits);
	text += whole;
	if (*text == '.' && text[1] != '\0')
		text += 1 + strspn(text + 1, digits);
	*ret_number = *value;
	ret_number->type = JSON_NUMBER;
	return whole > 0 && *text == '\0';
}

static int read_int(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	char text[QUOTE_SIZE];
	int64_t number;
	struct json forgiven;
	if (reading->tolerance != NULL && forgive_number(value, &forgiven))
		value = &forgiven;
	if (value->type != JSON_NUMBER)
		return refuse_type(reading, name, "a whole number", value);
	if (!json_int(value, &number))
		return refuse(reading, name,
		    "must be a whole number within +-9007199254740991, not %s", quote(value, text));
	if (!is_within(field, (double)number))
		return refuse_bounds(reading, field, name, value);
	*(int64_t *)member = number;
	return 0;
}

static int read_number(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	char text[QUOTE_SIZE];
	double number;
	struct json forgiven;
	if (reading->tolerance != NULL && forgive_number(value, &forgiven))
		value = &forgiven;
	if (value->type != JSON_NUMBER)
		return refuse_type(reading, name, "a number", value);
	if (!json_double(value, &number))
		return refuse(reading, name, "%s is too large", quote(value, text));
	if (!is_within(field, number))
		return refuse_bounds(reading, field, name, value);
	*(double *)member = number;
	return 0;
}

static void list_choices(const struct field *field, char *out, size_t size)
{
	size_t len = 0;
	out[0] = '\0';
	for (const char *const *choice = field->choices; *choice != NULL && len < size; choice++)
		len += (size_t)snprintf(out + len, size - len, "%s\"%s\"",
		    choice == field->choices ? "" : ", ", *choice);
}

static int find_choice(const struct field *field, const char *text, size_t len)
{
	for (int i = 0; field->choices[i]; i++)
		if (strlen(field->choices[i]) == len && memcmp(field->choices[i], text, len) == 0)
			return i;
	return -1;
}

static int read_choice(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	char text[QUOTE_SIZE], choices[160];
	int index;
	if (value->type != JSON_STRING)
		return refuse_type(reading, name, "a string", value);
	index = find_choice(field, value->text, value->len);
	for (int i = 0; index < 0 && reading->tolerance && field->choices[i]; i++)
		index = strcasecmp(field->choices[i], value->text) == 0 ? i : -1;
	if (index < 0) {
		list_choices(field, choices, sizeof choices);
		return refuse(
		    reading, name, "must be one of %s, not %s", choices, quote(value, text));
	}
	*(int *)member = index;
	return 0;
}

static int read_one(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	const char **array = scratch_take(reading, 2 * sizeof *array);
	array[0] = value->text;
	array[1] = NULL;
	*(struct field_strings *)member =
	    (struct field_strings){.strings = array, .count = 1, .is_given = true};
	return check_count(reading, field, name, 1, "elements");
}

static int read_strings(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	struct field_strings *strings = member;
	const char **array;
	size_t count = 0;
	if (reading->tolerance != NULL && value->type == JSON_STRING)
		return read_one(reading, field, name, value, member);
	if (value->type != JSON_ARRAY)
		return refuse_type(reading, name, "an array of strings", value);
	array = scratch_take(reading, (value->count + 1) * sizeof *array);
	json_each (element, value) {
		if (element->type != JSON_STRING)
			return refuse(reading, name, "element %zu must be a string, not %s", count,
			    json_type_name(element->type));
		array[count++] = element->text;
	}
	array[count] = NULL;
	*strings = (struct field_strings){.strings = array, .count = count, .is_given = true};
	return check_count(reading, field, name, count, "elements");
}

static int read_keys(struct field_reading *reading, const struct field *field, const char *name,
    const struct json *value, void *member)
{
	if (value->type == JSON_ARRAY)
		return read_strings(reading, field, name, value, member);
	if (value->type != JSON_STRING)
		return refuse_type(reading, name, "a string or an array of strings", value);
	return read_one(reading, field, name, value, member);
}

static int read_string_map(struct field_reading *reading, const struct field *field UNUSED,
    const char *name, const struct json *value, void *member)
{
	char text[QUOTE_SIZE];
	if (value->type != JSON_OBJECT)
		return refuse_type(reading, name, "an object", value);
	json_each_member (entry, value) {
		struct json entry_name = {
		    .type = JSON_STRING, .text = entry->name, .len = entry->name_len};
		if (entry->type != JSON_STRING &&
		    !(reading->tolerance != NULL && entry->type == JSON_NUMBER))
			return refuse(reading, name, "%s must be a string, not %s",
			    quote(&entry_name, text), json_type_name(entry->type));
	}
	*(const struct json **)member = value;
	return 0;
}

static int read_value(struct field_reading *reading UNUSED, const struct field *field UNUSED,
    const char *name UNUSED, const struct json *value, void *member)
{
	*(const struct json **)member = value;
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct field_reading *reading, const struct field *field, const char *name,
	    const struct json *value, void *member);
} types[] = {
    [FIELD_STRING] = {"string", read_string},
    [FIELD_BOOL] = {"boolean", read_bool},
    [FIELD_INT] = {"integer", read_int},
    [FIELD_NUMBER] = {"number", read_number},
    [FIELD_CHOICE] = {"string", read_choice},
    [FIELD_STRINGS] = {"array of strings", read_strings},
    [FIELD_KEYS] = {"string or array of strings", read_keys},
    [FIELD_STRING_MAP] = {"object of strings", read_string_map},
    [FIELD_VALUE] = {"any", read_value},
};

const char *field_type_name(enum field_type type)
{
	return types[type].name;
}

const struct field *field_find(const struct field *fields, const struct json *member)
{
	for (; fields->name; fields++)
		if (strlen(fields->name) == member->name_len &&
		    memcmp(fields->name, member->name, member->name_len) == 0)
			return fields;
	return NULL;
}

const struct field *field_principal(const struct field *field)
{
	while (field->flags & FIELD_ALIAS)
		field--;
	return field;
}

static int refuse_unknown(struct field_reading *reading, const char *name)
{
	const char *names[FIELDS_MAX + 1], *nearest;
	size_t count = 0, len = 0;
	char known[160] = "";
	for (const struct field *field = reading->fields; field->name; field++)
		names[count++] = field->name;
	names[count] = NULL;
	nearest = str_nearest(name, names);
	if (nearest != NULL)
		return refuse(
		    reading, name, "there is no such parameter; did you mean \"%s\"?", nearest);
	if (count == 0)
		return refuse(reading, name, "there is no such parameter; this method takes none");

	for (const struct field *field = reading->fields; field->name != NULL && len < sizeof known;
	     field++)
		if (!(field->flags & FIELD_ALIAS))
			len += (size_t)snprintf(
			    known + len, sizeof known - len, "%s%s", len ? ", " : "", field->name);
	if (len >= sizeof known)
		return refuse(reading, name, "there is no such parameter");
	return refuse(reading, name, "there is no such parameter; there are %s", known);
}

static bool is_ignored(const struct field_reading *reading, const char *name)
{
	const struct field_tolerance *tolerance = reading->tolerance;
	return tolerance != NULL &&
	    (tolerance->ignores_unknown ||
		(tolerance->ignored != NULL && str_is_in(name, tolerance->ignored)));
}

static int read_member(struct field_reading *reading, const struct json *value)
{
	const struct field *row = field_find(reading->fields, value), *field;
	uint64_t bit;
	if (row == NULL)
		return is_ignored(reading, value->name) ? 0 : refuse_unknown(reading, value->name);
	field = field_principal(row);
	bit = (uint64_t)1 << (field - reading->fields);
	/* Some programs send null to omit a parameter. */
	if (value->type == JSON_NULL)
		return 0;
	if (reading->given & bit)
		return refuse(
		    reading, row->name, "is given twice, by two names of \"%s\"", field->name);
	reading->given |= bit;
	if (field->given_offset)
		*(bool *)(reading->args + field->given_offset) = true;
	if (row->given_offset)
		*(bool *)(reading->args + row->given_offset) = true;
	return types[field->type].read(
	    reading, field, row->name, value, reading->args + field->offset);
}

static void set_preset(struct field_reading *reading, const struct field *field)
{
	char *member = reading->args + field->offset;
	const char *preset = field->preset;
	if (field->type == FIELD_CHOICE)
		*(int *)member =
		    preset != NULL ? find_choice(field, preset + 1, strlen(preset) - 2) : -1;
	if (preset == NULL)
		return;
	if (field->type == FIELD_BOOL)
		*(bool *)member = strcmp(preset, "true") == 0;
	if (field->type == FIELD_INT)
		*(int64_t *)member = (int64_t)strtod(preset, NULL);
	if (field->type == FIELD_NUMBER)
		*(double *)member = strtod(preset, NULL);
	if (field->type == FIELD_STRING && preset[0] == '"') {
		size_t len = strlen(preset) - 2;
		char *text = scratch_take(reading, len + 1);
		memcpy(text, preset + 1, len);
		text[len] = '\0';
		*(const char **)member = text;
	}
}

static size_t home_size(const struct json *value)
{
	const char *home = address_home();
	bool is_short = value->type == JSON_STRING && value->text[0] == '~' && home != NULL;
	return is_short ? strlen(home) + value->len + 8 : 0;
}

/* Reserves scratch for all arguments. They point into it, so it must not move later. */
static bool reserve_scratch(
    const struct field *fields, const struct json *params, struct buf *scratch)
{
	size_t size = 0;
	for (const struct field *field = fields; field->name; field++)
		if (field->type == FIELD_STRING && field->preset)
			size += strlen(field->preset) + 8;
	json_each (value, params)
		size += (value->count + 2) * sizeof(const char *) + PANE_DIGITS_MAX + 8 +
		    home_size(value);
	assert(scratch->len == 0);
	return buf_reserve(scratch, size) == 0;
}

int field_read(const struct field *fields, const struct json *params, void *args, size_t args_size,
    struct buf *scratch, struct field_error *ret_error)
{
	return field_read_tolerant(fields, NULL, params, args, args_size, scratch, ret_error);
}

int field_read_tolerant(const struct field *fields, const struct field_tolerance *tolerance,
    const struct json *params, void *args, size_t args_size, struct buf *scratch,
    struct field_error *ret_error)
{
	static const struct field none[] = {{.name = NULL}};
	struct field_reading reading = {.fields = fields != NULL ? fields : none,
	    .args = args,
	    .scratch = scratch,
	    .error = ret_error,
	    .tolerance = tolerance};
	if (args_size)
		memset(args, 0, args_size);
	if (params != NULL && params->type != JSON_OBJECT)
		return refuse_type(&reading, "params", "an object", params);
	if (!reserve_scratch(reading.fields, params, scratch))
		return refuse(&reading, "params", "out of memory for so many values");
	for (const struct field *field = reading.fields; field->name; field++) {
		assert(field - reading.fields < FIELDS_MAX);
		if (!(field->flags & FIELD_ALIAS))
			set_preset(&reading, field);
	}
	json_each (value, params)
		if (read_member(&reading, value) < 0)
			return -1;
	for (size_t i = 0; reading.fields[i].name; i++)
		if (reading.fields[i].flags & FIELD_REQUIRED && !(reading.given >> i & 1))
			return refuse(&reading, reading.fields[i].name, "is required");
	return 0;
}
