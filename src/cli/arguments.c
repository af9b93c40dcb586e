/* SPDX-License-Identifier: ISC */
#include "cli/arguments.h"

#include <ctype.h>

#include "base/file.h"
#include "cli/ask.h"
#include "wire/shell_word.h"

#define NAME_MAX_BYTES 64

enum argument_kind {
	KIND_STRING,
	KIND_BOOL,
	KIND_NUMBER,
	KIND_INTEGER,
	KIND_STRINGS, /* an array of strings: key=value may be repeated */
	KIND_KEYS, /* a string, or an array of strings */
	KIND_MAP, /* an object of strings: key=NAME=value */
	KIND_ANY,
};

enum sign {
	SIGN_TEXT, /* = */
	SIGN_JSON, /* := */
	SIGN_FILE, /* @= */
};

struct argument {
	char name[NAME_MAX_BYTES + 1];
	enum sign sign;
	bool is_keyless;
	const char *value;
	bool is_written;
};

struct arguments {
	const struct json *properties; /* properties of the schema, or NULL */
	const struct json *positional;
	bool takes_pane; /* the first word without a key may be the pane */
	struct argument *words;
	int count;
	char *reason;
	size_t reason_size;
	struct json_reader *reader;
	bool has_read_stdin;
};

#define refuse(call, ...) str_refuse((call)->reason, (call)->reason_size, __VA_ARGS__)

static bool is_type(const struct json *property, const char *name)
{
	return strcmp(json_get_str(property, "type", ""), name) == 0;
}

static bool is_structured(const struct json *property)
{
	const struct json *items = json_member(property, "items");
	return json_member(property, "properties") != NULL ||
	    (is_type(property, "array") && items != NULL && !is_type(items, "string"));
}

static enum argument_kind kind_of(const struct json *property)
{
	static const struct {
		const char *type;
		enum argument_kind kind;
	} kinds[] = {
	    {"array", KIND_STRINGS},
	    {"boolean", KIND_BOOL},
	    {"integer", KIND_INTEGER},
	    {"number", KIND_NUMBER},
	    {"object", KIND_MAP},
	    {"string", KIND_STRING},
	};
	if (property == NULL)
		return KIND_STRING;
	if (is_structured(property))
		return KIND_ANY;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_type(property, kinds[i].type))
			return kinds[i].kind;
	return json_member(property, "anyOf") != NULL ? KIND_KEYS : KIND_ANY;
}

bool arguments_wants_json(const struct json *property)
{
	return kind_of(property) == KIND_ANY;
}

const struct json *arguments_positional(const struct json *schema)
{
	static const char *const natural[] = {"keys", "text", "id", "pane", "job", "session",
	    "window", "file_path", "method", "seq", NULL};
	const struct json *properties = json_member(schema, "properties");
	const struct json *required = json_member(schema, "required");
	if (required != NULL && required->count == 1 && required->child->type == JSON_STRING)
		return json_member(properties, required->child->text);
	if (required != NULL && required->count > 1)
		return NULL;
	for (const char *const *name = natural; *name != NULL; name++) {
		const struct json *property = json_member(properties, *name);
		if (property != NULL)
			return property;
	}
	return NULL;
}

static size_t key_len(const char *word)
{
	size_t len = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");
	size_t sign = word[len] == ':' || word[len] == '@';
	bool is_key = len > 0 && len <= NAME_MAX_BYTES && (word[0] < '0' || word[0] > '9');
	return is_key && word[len + sign] == '=' ? len : 0;
}

/* Returns true if a word names a pane: "%3", or before other words also "work:1" or "work:1.0". */
static bool is_pane(const char *text, bool has_more)
{
	const char *colon = strrchr(text, ':');
	size_t digits;
	if (text[0] == '%')
		return text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0';
	if (!has_more || colon == NULL || strcspn(text, " \t\n/") < strlen(text))
		return false;
	digits = strspn(colon + 1, "0123456789");
	if (digits == 0)
		return false;
	colon += 1 + digits;
	return *colon == '\0' ||
	    (*colon == '.' && colon[1] != '\0' &&
		colon[1 + strspn(colon + 1, "0123456789")] == '\0');
}

static bool takes_pane(const struct arguments *call, int argc, const char *const *words)
{
	if (json_member(call->properties, "pane") == NULL ||
	    (call->positional != NULL && strcmp(call->positional->name, "pane") == 0))
		return false;
	for (int i = 0; i < argc && strcmp(words[i], "--") != 0; i++) {
		size_t len = key_len(words[i]);
		if ((len == 4 && memcmp(words[i], "pane", len) == 0) ||
		    (len == 7 && memcmp(words[i], "pane_id", len) == 0))
			return false;
	}
	return true;
}

static bool take_pane(struct arguments *call, const char *text, bool has_more)
{
	struct argument *word = &call->words[call->count];
	bool is_taken = call->takes_pane && is_pane(text, has_more);
	call->takes_pane = false;
	if (is_taken) {
		*word = (struct argument){.name = "pane", .sign = SIGN_TEXT, .value = text};
		call->count++;
	}
	return is_taken;
}

static bool names_object(const char *name)
{
	return strcmp(name, "pane") == 0 || strcmp(name, "window") == 0 ||
	    strcmp(name, "session") == 0;
}

/*
 * A word that begins with "--" is an option. A word such as "-t" is an option if a word without a
 * key follows, or if the main argument is a pane, window or session. Such a word is a text if the
 * main argument is a list of strings, or a list of keys that has a word already.
 */
static bool is_option(const struct arguments *call, const char *text, const char *next)
{
	if (strncmp(text, "--", 2) == 0)
		return true;
	if (text[0] != '-' || !isalnum((unsigned char)text[1]) || strchr(text, ' ') != NULL ||
	    call->positional == NULL || kind_of(call->positional) == KIND_STRINGS)
		return false;
	if (next == NULL || key_len(next) > 0)
		return names_object(call->positional->name);
	for (int i = 0; i < call->count; i++)
		if (strcmp(call->words[i].name, call->positional->name) == 0)
			return kind_of(call->positional) != KIND_KEYS;
	return true;
}

static int refuse_option(struct arguments *call, const char *text)
{
	char name[NAME_MAX_BYTES + 1];
	if (strcmp(text, "-t") == 0 && json_member(call->properties, "pane") != NULL)
		return refuse(
		    call, "\"-t\": a pane is named without an option, as %%3 or pane=...");
	(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
	if (ask_row(call->properties, name) != NULL)
		return refuse(call, "\"%s\": write %s=..., without dashes", text, name);
	return refuse(call, "there is no option \"%s\"; a text like that follows --", text);
}

static int take_apart(struct arguments *call, const char *text, bool is_verbatim, const char *next)
{
	struct argument *word = &call->words[call->count];
	size_t len = is_verbatim ? 0 : key_len(text);
	if (len == 0 && !is_verbatim && take_pane(call, text, next != NULL))
		return 0;
	if (len == 0 && !is_verbatim && is_option(call, text, next))
		return refuse_option(call, text);
	if (len > 0) {
		(void)snprintf(word->name, sizeof word->name, "%.*s", (int)len, text);
		word->sign = text[len] == ':' ? SIGN_JSON
		    : text[len] == '@'        ? SIGN_FILE
					      : SIGN_TEXT;
		word->value = text + len + 1 + (text[len] != '=');
	} else if (call->positional != NULL && call->positional->name_len <= NAME_MAX_BYTES) {
		bool is_input;
		(void)snprintf(word->name, sizeof word->name, "%s", call->positional->name);
		is_input = !is_verbatim && strcmp(text, "-") == 0;
		word->sign = is_input ? SIGN_FILE : SIGN_TEXT;
		word->value = text;
		word->is_keyless = true;
	} else {
		return refuse(call,
		    is_verbatim ? "each argument has a key, but \"%s\" is behind --"
				: "\"%s\" is not of the form key=value",
		    text);
	}
	call->count++;
	return 0;
}

static int read_file(struct arguments *call, const char *path, struct buf *out)
{
	bool is_input = strcmp(path, "-") == 0;
	int r;
	if (is_input && call->has_read_stdin)
		return refuse(call, "standard input can be read once only");
	call->has_read_stdin |= is_input;
	r = is_input ? file_read_all(STDIN_FILENO, out) : file_read(path, O_NOCTTY, out);
	if (r < 0 && errno == EFBIG)
		return refuse(call, "%s: longer than %zu bytes", path, ARGUMENTS_FILE_MAX);
	return r < 0 ? refuse(call, "%s: %s", path, strerror(errno)) : 0;
}

static int text_of(struct arguments *call, const struct argument *word, struct buf *file,
    const char **ret_text, size_t *ret_len)
{
	*ret_text = word->value;
	*ret_len = strlen(word->value);
	if (word->sign == SIGN_FILE) {
		if (read_file(call, word->value, file) < 0)
			return -1;
		*ret_text = buf_text(file);
		*ret_len = file->len;
	}
	if (!utf8_is_valid(*ret_text, *ret_len) && strcmp(word->name, "base64") != 0)
		return refuse(call,
		    "%s: the text is not valid UTF-8; use base64 if the method takes it",
		    word->name);
	return 0;
}

static int put_json(struct arguments *call, struct json_writer *writer, const char *name,
    const struct argument *word)
{
	struct json_error error;
	const struct json *value =
	    json_read(call->reader, word->value, strlen(word->value), &error);
	if (value == NULL)
		return refuse(call, "%s: not JSON: %s", word->name, error.text);
	json_put_value(writer, name, value);
	return 0;
}

static int put_number(struct arguments *call, struct json_writer *writer,
    const struct argument *word, const char *text, size_t len, bool is_whole)
{
	struct json_error error;
	const struct json *value = json_read(call->reader, text, len, &error);
	int64_t number;
	if (value == NULL || value->type != JSON_NUMBER || (is_whole && !json_int(value, &number)))
		return refuse(call, "%s: must be a %snumber, not \"%.*s\"", word->name,
		    is_whole ? "whole " : "", (int)(len < 80 ? len : 80), text);
	json_put_value(writer, word->name, value);
	return 0;
}

static int put_bool(struct arguments *call, struct json_writer *writer, const char *name,
    const char *text, size_t len)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0) {
			json_put_bool(writer, name, i % 2 == 1);
			return 0;
		}
	}
	return refuse(call, "%s: must be true or false, not \"%.*s\"", name,
	    (int)(len < 80 ? len : 80), text);
}

static int put_text(struct arguments *call, struct json_writer *writer, const struct argument *word,
    const char *text, size_t len, const char *name)
{
	if (strcmp(word->name, "base64") == 0 && word->sign == SIGN_FILE)
		json_put_base64(writer, name, text, len);
	else if (!utf8_is_valid(text, len))
		return refuse(call, "%s: is not valid UTF-8", word->name);
	else
		(void)json_put_text(writer, name, text, len);
	return 0;
}

static int put_member(struct arguments *call, struct json_writer *writer,
    const struct argument *word, const char *text, size_t len)
{
	char name[256];
	const char *equals = memchr(text, '=', len);
	if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof name)
		return refuse(call, "%s: must be %s=NAME=value, not \"%.*s\"", word->name,
		    word->name, (int)(len < 80 ? len : 80), text);
	(void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
	for (const struct argument *before = call->words; before < word; before++)
		if (strcmp(before->name, word->name) == 0 &&
		    strncmp(before->value, text, (size_t)(equals + 1 - text)) == 0)
			return refuse(call, "%s: %s is given twice", word->name, name);
	(void)json_put_text(writer, name, equals + 1, len - (size_t)(equals + 1 - text));
	return 0;
}

/* Returns true for a number, true or false. A field of any type gets such a text as JSON. */
static bool is_scalar(const struct arguments *call, const char *text, size_t len)
{
	struct json_error error;
	const struct json *value;
	if (len > JSON_NUMBER_MAX || strcspn(text, " \t\r\n") < len)
		return false;
	value = json_read(call->reader, text, len, &error);
	return value != NULL && (value->type == JSON_NUMBER || value->type == JSON_BOOL);
}

static int put_value(struct arguments *call, struct json_writer *writer,
    const struct argument *word, enum argument_kind kind)
{
	bool is_element = kind == KIND_STRINGS;
	const char *name = is_element ? NULL : word->name;
	const char *text;
	size_t len;
	struct buf file = BUF(ARGUMENTS_FILE_MAX);
	int r;
	if (word->sign == SIGN_JSON)
		return put_json(call, writer, name, word);
	r = text_of(call, word, &file, &text, &len);
	if (r == 0 && (kind == KIND_INTEGER || kind == KIND_NUMBER))
		r = put_number(call, writer, word, text, len, kind == KIND_INTEGER);
	else if (r == 0 && kind == KIND_BOOL)
		r = put_bool(call, writer, name, text, len);
	else if (r == 0 && kind == KIND_ANY && is_scalar(call, text, len))
		json_put_raw(writer, name, text, len);
	else if (r == 0 && kind == KIND_MAP)
		r = put_member(call, writer, word, text, len);
	else if (r == 0)
		r = put_text(call, writer, word, text, len, name);
	buf_finish(&file);
	return r;
}

int arguments_put(struct json_writer *writer, const struct json *property, const char *name,
    const char *text, bool is_json, char *ret_reason, size_t size)
{
	enum argument_kind kind = kind_of(property);
	bool is_plain =
	    kind == KIND_STRING || kind == KIND_BOOL || kind == KIND_NUMBER || kind == KIND_INTEGER;
	struct argument word = {
	    .sign = is_json || !is_plain ? SIGN_JSON : SIGN_TEXT, .value = text};
	struct arguments call = {.reason = ret_reason,
	    .reason_size = size,
	    .reader = json_reader_new(ARGUMENTS_FILE_MAX)};
	int r;
	(void)snprintf(word.name, sizeof word.name, "%s", name);
	r = put_value(&call, writer, &word, kind == KIND_STRINGS ? KIND_ANY : kind);
	json_reader_free(call.reader);
	return r;
}

static int count_same(const struct arguments *call, int from)
{
	int count = 0;
	for (int i = from; i < call->count; i++)
		count += strcmp(call->words[i].name, call->words[from].name) == 0;
	return count;
}

static int put_words(struct arguments *call, struct json_writer *writer, int from)
{
	struct argument *first = &call->words[from];
	enum argument_kind kind = kind_of(ask_row(call->properties, first->name));
	int count = count_same(call, from);
	bool is_list = kind == KIND_STRINGS || (kind == KIND_KEYS && count > 1);
	bool is_map = kind == KIND_MAP;
	int r = 0;
	if (count > 1 && !is_list && !is_map)
		return refuse(call, "%s: given %d times%s", first->name, count,
		    first->is_keyless ? "; what has blanks needs quotes" : "");
	/* key:=[...] or key:={...} is the whole array or map. */
	if (first->sign == SIGN_JSON && count == 1)
		return put_json(call, writer, first->name, first);
	if (is_list)
		json_array_begin(writer, first->name);
	if (is_map)
		json_object_begin(writer, first->name);
	for (int i = from; i < call->count && r == 0; i++) {
		struct argument *word = &call->words[i];
		if (strcmp(word->name, first->name) != 0)
			continue;
		word->is_written = true;
		if (is_map && word->sign == SIGN_JSON)
			r = refuse(call, "%s: give one %s:={...}, or %s=NAME=value several times",
			    word->name, word->name, word->name);
		else
			r = put_value(call, writer, word, is_list ? KIND_STRINGS : kind);
	}
	if (is_list)
		json_array_end(writer);
	if (is_map)
		json_object_end(writer);
	return r;
}

static int write_all(struct arguments *call, struct buf *out)
{
	struct json_writer writer;
	int r = 0;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (int i = 0; i < call->count && r == 0; i++)
		if (!call->words[i].is_written)
			r = put_words(call, &writer, i);
	json_object_end(&writer);
	return r == 0 && writer.is_cut ? refuse(call, "the arguments are too long") : r;
}

int arguments_write(struct buf *out, const struct json *schema, int argc, const char *const *words,
    char *ret_reason, size_t size)
{
	struct arguments call = {.properties = json_member(schema, "properties"),
	    .positional = arguments_positional(schema),
	    .reason = ret_reason,
	    .reason_size = size};
	bool is_verbatim = false;
	int r = 0;
	if (argc > ARGUMENTS_MAX)
		return refuse(&call, "more than %d arguments", ARGUMENTS_MAX);
	call.takes_pane = takes_pane(&call, argc, words);
	call.words = xcalloc((size_t)argc + 1, sizeof *call.words);
	call.reader = json_reader_new(ARGUMENTS_FILE_MAX);
	for (int i = 0; i < argc && r == 0; i++)
		if (!is_verbatim && strcmp(words[i], "--") == 0)
			is_verbatim = true;
		else
			r = take_apart(
			    &call, words[i], is_verbatim, i + 1 < argc ? words[i + 1] : NULL);
	if (r == 0)
		r = write_all(&call, out);
	json_reader_free(call.reader);
	mem_free(call.words);
	return r;
}

static const char *const placeholders[] = {
    [KIND_STRING] = "text",
    [KIND_BOOL] = "true|false",
    [KIND_NUMBER] = "number",
    [KIND_INTEGER] = "number",
    [KIND_STRINGS] = "text ...",
    [KIND_KEYS] = "text ...",
    [KIND_MAP] = "NAME=text ...",
    [KIND_ANY] = "json",
};

static void put_placeholder(struct buf *out, const struct json *property)
{
	enum argument_kind kind = kind_of(property);
	const struct json *choices = json_member(property, "enum");
	(void)buf_printf(out, "%s%s", property->name, kind == KIND_ANY ? ":=" : "=");
	if (choices == NULL || choices->count > 4) {
		(void)buf_append_str(out, placeholders[kind]);
		return;
	}
	json_each (choice, choices)
		(void)buf_printf(out, "%s%s", choice == choices->child ? "" : "|",
		    choice->text != NULL ? choice->text : "?");
}

void arguments_usage(struct buf *out, const char *method, const struct json *schema)
{
	const struct json *properties = json_member(schema, "properties");
	const struct json *required = json_member(schema, "required");
	(void)buf_append_str(out, method);
	for (int wants_required = 1; wants_required >= 0; wants_required--) {
		json_each_member (property, properties) {
			if (ask_has(required, property->name) != (wants_required == 1))
				continue;
			(void)buf_append_str(out, wants_required ? " " : " [");
			put_placeholder(out, property);
			(void)buf_append_str(out, wants_required ? "" : "]");
		}
	}
}

static void put_word(struct buf *out, const char *name, const char *sign, const char *value)
{
	(void)buf_printf(out, " %s%s", name, sign);
	(void)shell_word(out, value);
}

static void put_example(struct buf *out, const struct json *schema, const struct json *value)
{
	struct buf text = BUF(ARGUMENTS_PARAMS_MAX);
	enum argument_kind kind =
	    kind_of(json_member(json_member(schema, "properties"), value->name));
	bool is_list = (kind == KIND_STRINGS || kind == KIND_KEYS) && value->type == JSON_ARRAY;
	if (is_list) {
		json_each (at, value)
			put_word(out, value->name, "=", at->text != NULL ? at->text : "");
		return;
	}
	if (kind == KIND_MAP) {
		json_each_member (at, value) {
			char name[256];
			(void)snprintf(name, sizeof name, "%s=%s", value->name, at->name);
			put_word(out, name, "=", at->text != NULL ? at->text : "");
		}
		return;
	}
	if (value->type == JSON_STRING && kind != KIND_ANY) {
		put_word(out, value->name, "=", value->text);
		return;
	}
	(void)json_append(&text, value);
	put_word(out, value->name, kind == KIND_ANY ? ":=" : "=", buf_text(&text));
	buf_finish(&text);
}

void arguments_example(
    struct buf *out, const char *method, const struct json *schema, const struct json *params)
{
	(void)buf_append_str(out, method);
	json_each_member (value, params)
		put_example(out, schema, value);
}
