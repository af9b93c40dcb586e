/* SPDX-License-Identifier: ISC */
/* The listing of a server: four tables of fields give the formats and the reader. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "lib/library.h"
#include "lib/model/listing.h"
#include "lib/model/model.h"

#define FIELD_FORMAT_MAX 256
#define FIELDS_MAX 40

enum field_kind {
	FIELD_SESSION, /* uint32_t, "$1"; empty is MUXBUS_NO_ID */
	FIELD_WINDOW, /* uint32_t, "@1" */
	FIELD_PANE, /* uint32_t, "%1" */
	FIELD_BOOL, /* bool: anything but empty, "0" and "off" */
	FIELD_INT, /* int; an empty field keeps the default, as in all numbers */
	FIELD_UNSIGNED, /* unsigned */
	FIELD_U64, /* uint64_t */
	FIELD_TEXT, /* const char *, encoded, since it can hold any bytes */
	FIELD_WORD, /* const char *, made by tmux: no TAB and no newline */
};

struct field {
	const char *variable; /* the name in a format */
	enum field_kind kind;
	size_t offset; /* in the record */
};

struct session_record {
	struct muxbus_session session;
	const char *group;
	const char *version;
	bool exit_unattached;
};

struct window_record {
	struct muxbus_window window;
	struct muxbus_link link;
};

/* clang-format off */
#define AT(member) offsetof(struct session_record, member)
static const struct field session_fields[] = {
	{"session_id", FIELD_SESSION, AT(session.id)},
	{"session_name", FIELD_TEXT, AT(session.name)},
	{"session_created", FIELD_U64, AT(session.created)},
	{"session_activity", FIELD_U64, AT(session.activity)},
	{"session_group", FIELD_TEXT, AT(group)},
	{"destroy-unattached", FIELD_BOOL, AT(session.destroy_unattached)},
	{"exit-unattached", FIELD_BOOL, AT(exit_unattached)},
	{"version", FIELD_TEXT, AT(version)},
	{NULL, FIELD_BOOL, 0},
};
#undef AT

#define AT(member) offsetof(struct window_record, member)
static const struct field window_fields[] = {
	{"session_id", FIELD_SESSION, AT(link.session)},
	{"window_id", FIELD_WINDOW, AT(link.window)},
	{"window_index", FIELD_INT, AT(link.index)},
	{"window_active", FIELD_BOOL, AT(link.is_current)},
	{"window_name", FIELD_TEXT, AT(window.name)},
	{"window_width", FIELD_UNSIGNED, AT(window.width)},
	{"window_height", FIELD_UNSIGNED, AT(window.height)},
	{"window_layout", FIELD_WORD, AT(window.layout)},
	{"window_visible_layout", FIELD_WORD, AT(window.visible_layout)},
	{"window_zoomed_flag", FIELD_BOOL, AT(window.is_zoomed)},
	{"window_bell_flag", FIELD_BOOL, AT(window.has_bell)},
	{"window_activity_flag", FIELD_BOOL, AT(window.has_activity)},
	{"window_silence_flag", FIELD_BOOL, AT(window.has_silence)},
	{NULL, FIELD_BOOL, 0},
};
#undef AT

#define AT(member) offsetof(struct muxbus_pane, member)
static const struct field pane_fields[] = {
	{"pane_id", FIELD_PANE, AT(id)},
	{"window_id", FIELD_WINDOW, AT(window)},
	{"pane_index", FIELD_INT, AT(index)},
	{"pane_width", FIELD_UNSIGNED, AT(width)},
	{"pane_height", FIELD_UNSIGNED, AT(height)},
	{"pane_left", FIELD_INT, AT(left)},
	{"pane_top", FIELD_INT, AT(top)},
	{"pane_pid", FIELD_INT, AT(pid)},
	{"pane_tty", FIELD_TEXT, AT(tty)},
	{"pane_title", FIELD_TEXT, AT(title)},
	{"pane_current_command", FIELD_TEXT, AT(command)},
	{"pane_current_path", FIELD_TEXT, AT(path)},
	{"pane_mode", FIELD_WORD, AT(mode)},
	{"pane_active", FIELD_BOOL, AT(is_active)},
	{"pane_dead", FIELD_BOOL, AT(is_dead)},
	{"pane_dead_status", FIELD_INT, AT(exit_status)},
	{"pane_dead_signal", FIELD_INT, AT(exit_signal)},
	{"pane_dead_time", FIELD_U64, AT(dead_time)},
	{"pane_in_mode", FIELD_BOOL, AT(in_mode)},
	{"alternate_on", FIELD_BOOL, AT(alternate_screen)},
	{"pane_input_off", FIELD_BOOL, AT(input_off)},
	{"pane_synchronized", FIELD_BOOL, AT(is_synchronized)},
	{"pane_pipe", FIELD_BOOL, AT(is_piped)},
	{"pane_floating_flag", FIELD_BOOL, AT(is_floating)},
	{"mouse_any_flag", FIELD_BOOL, AT(mouse_any)},
	{"mouse_sgr_flag", FIELD_BOOL, AT(mouse_sgr)},
	{"mouse_utf8_flag", FIELD_BOOL, AT(mouse_utf8)},
	{NULL, FIELD_BOOL, 0},
};
#undef AT

#define AT(member) offsetof(struct muxbus_client, member)
static const struct field client_fields[] = {
	{"client_name", FIELD_TEXT, AT(name)},
	{"client_pid", FIELD_INT, AT(pid)},
	{"session_id", FIELD_SESSION, AT(session)},
	{"client_activity", FIELD_U64, AT(activity)},
	{"client_control_mode", FIELD_BOOL, AT(is_control)},
	{"client_readonly", FIELD_BOOL, AT(is_readonly)},
	{"client_prefix", FIELD_BOOL, AT(in_prefix)},
	{NULL, FIELD_BOOL, 0},
};
#undef AT
/* clang-format on */

/* The state while replies are read. */
struct reading {
	struct listing *listing;
	struct map groups; /* hash of a group's name to its number, from 1 */
	uint32_t caps;
};

static int add_session(struct reading *reading, const char *fields, size_t len);
static int add_window(struct reading *reading, const char *fields, size_t len);
static int add_pane(struct reading *reading, const char *fields, size_t len);
static int add_client(struct reading *reading, const char *fields, size_t len);

/* A command of the listing. add reads one record, after its letter and TAB. */
struct list_command {
	const char *command;
	const char *option; /* "-a" or NULL */
	char letter;
	const struct field *fields;
	int (*add)(struct reading *reading, const char *fields, size_t len);
};

static const struct list_command list_commands[LISTING_COMMANDS] = {
    {"list-sessions", NULL, 'S', session_fields, add_session},
    {"list-windows", "-a", 'W', window_fields, add_window},
    {"list-panes", "-a", 'P', pane_fields, add_pane},
    {"list-clients", NULL, 'C', client_fields, add_client},
};

static void write_format(struct muxbus_command *command, char letter, const struct field *fields)
{
	char format[FIELDS_MAX * FIELD_FORMAT_MAX];
	size_t len = 0;
	format[len++] = letter;
	for (const struct field *field = fields; field->variable != NULL; field++) {
		char *end = format + len;
		size_t room = sizeof format - len;
		*end++ = '\t';
		if (field->kind == FIELD_TEXT)
			len += 1 + (size_t)muxbus_field_format(end, room - 1, field->variable);
		else
			len += 1 + (size_t)snprintf(end, room - 1, "#{%s}", field->variable);
	}
	muxbus_command_arg(command, format, len);
}

void listing_write(struct muxbus_command *command)
{
	for (size_t i = 0; i < LISTING_COMMANDS; i++) {
		const struct list_command *list = &list_commands[i];
		muxbus_command_args(command, list->command, NULL);
		if (list->option != NULL)
			muxbus_command_args(command, list->option, NULL);
		muxbus_command_args(command, "-F", NULL);
		write_format(command, list->letter, list->fields);
		muxbus_command_next(command);
	}
}

/* Reads an id such as "$1"; an empty field is MUXBUS_NO_ID. */
static bool read_id(const char *text, size_t len, char sigil, uint32_t *ret_id)
{
	if (len == 0) {
		*ret_id = MUXBUS_NO_ID;
		return true;
	}
	return str_parse_id(text, len, sigil, ret_id);
}

static bool read_number(const char *text, size_t len, int64_t min, int64_t max, int64_t *ret_value)
{
	int64_t value;
	if (!str_parse_i64(text, len, &value) || value < min || value > max)
		return false;
	*ret_value = value;
	return true;
}

static bool is_true(const char *text, size_t len)
{
	return len > 0 && !(len == 1 && text[0] == '0') &&
	    !(len == 3 && memcmp(text, "off", 3) == 0);
}

/* Cuts a text to MUXBUS_NAME_MAX bytes, at a character. Returns its length. */
static size_t cut_text(char *text, size_t len)
{
	if (len > MUXBUS_NAME_MAX) {
		len = MUXBUS_NAME_MAX;
		len -= utf8_incomplete_tail(text, len);
	}
	text[len] = '\0';
	return len;
}

/* Reads a text that any program may have made, of any length. Errors as read_text(). */
static int read_long_text(
    struct reading *reading, const char *text, size_t len, const char **ret_text)
{
	char *whole = mem_alloc(len + 1);
	ssize_t decoded;
	if (whole == NULL)
		return MUXBUS_ERR_NOMEM;
	memcpy(whole, text, len);
	decoded = muxbus_field_decode(whole, len, reading->caps);
	if (decoded >= 0)
		*ret_text =
		    model_string(reading->listing->model, whole, cut_text(whole, (size_t)decoded));
	mem_free(whole);
	if (decoded < 0)
		return (int)decoded;
	return *ret_text != NULL ? 0 : MUXBUS_ERR_NOMEM;
}

/* Copies a text into the model. Returns 0, MUXBUS_ERR_SYNTAX or MUXBUS_ERR_NOMEM. */
static int read_text(
    struct reading *reading, const char *text, size_t len, bool is_encoded, const char **ret_text)
{
	char *copy;
	ssize_t decoded = (ssize_t)len;
	if (len == 0) {
		*ret_text = "";
		return 0;
	}
	if (is_encoded && len > MUXBUS_NAME_MAX)
		return read_long_text(reading, text, len, ret_text);
	copy = model_string(reading->listing->model, text, len);
	if (copy == NULL)
		return MUXBUS_ERR_NOMEM;
	if (is_encoded)
		decoded = muxbus_field_decode(copy, len, reading->caps);
	if (decoded < 0)
		return (int)decoded;
	copy[decoded] = '\0';
	*ret_text = copy;
	return 0;
}

/* Reads one field into its place in the record. Errors as read_text(). */
static int read_field(
    struct reading *reading, const struct field *field, const char *text, size_t len, void *record)
{
	void *place = (char *)record + field->offset;
	int64_t number;
	switch (field->kind) {
	case FIELD_SESSION:
		return read_id(text, len, '$', place) ? 0 : MUXBUS_ERR_SYNTAX;
	case FIELD_WINDOW:
		return read_id(text, len, '@', place) ? 0 : MUXBUS_ERR_SYNTAX;
	case FIELD_PANE:
		return read_id(text, len, '%', place) ? 0 : MUXBUS_ERR_SYNTAX;
	case FIELD_BOOL:
		*(bool *)place = is_true(text, len);
		return 0;
	case FIELD_INT:
		if (len == 0)
			return 0;
		if (!read_number(text, len, INT32_MIN, INT32_MAX, &number))
			return MUXBUS_ERR_SYNTAX;
		*(int *)place = (int)number;
		return 0;
	case FIELD_UNSIGNED:
		if (!read_number(text, len, 0, UINT32_MAX, &number))
			return MUXBUS_ERR_SYNTAX;
		*(unsigned *)place = (unsigned)number;
		return 0;
	case FIELD_U64:
		if (len == 0)
			return 0;
		if (!read_number(text, len, 0, INT64_MAX, &number))
			return MUXBUS_ERR_SYNTAX;
		*(uint64_t *)place = (uint64_t)number;
		return 0;
	case FIELD_TEXT:
		return read_text(reading, text, len, true, place);
	case FIELD_WORD:
		return read_text(reading, text, len, false, place);
	}
	return MUXBUS_ERR_INVALID;
}

/* Reads the fields of one line, exactly as many as in the table. */
static int read_record(
    struct reading *reading, const struct field *fields, const char *line, size_t len, void *record)
{
	const char *end = line + len;
	for (const struct field *field = fields; field->variable != NULL; field++) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));
		bool is_last = field[1].variable == NULL;
		int error;
		if (is_last != (tab == NULL))
			return MUXBUS_ERR_SYNTAX;
		if (is_last)
			tab = end;
		error = read_field(reading, field, line, (size_t)(tab - line), record);
		if (error != 0)
			return error;
		line = is_last ? end : tab + 1;
	}
	return 0;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 14695981039346656037u;
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * 1099511628211u;
	return hash;
}

/* Numbers the groups in the order of the listing. */
static int number_group(struct reading *reading, const char *name, uint32_t *ret_group)
{
	uint64_t key = hash_text(name);
	uintptr_t number = (uintptr_t)map_get(&reading->groups, key);
	if (number == 0) {
		number = reading->groups.count + 1;
		if (map_set(&reading->groups, key, (void *)number) != 0)
			return MUXBUS_ERR_NOMEM;
	}
	*ret_group = (uint32_t)number;
	return 0;
}

static int add_session(struct reading *reading, const char *fields, size_t len)
{
	struct session_record record = {
	    .session = {.current_window = MUXBUS_NO_ID, .group = MUXBUS_NO_ID},
	};
	int error = read_record(reading, session_fields, fields, len, &record);
	if (error == 0 && record.session.id == MUXBUS_NO_ID)
		error = MUXBUS_ERR_SYNTAX;
	if (error == 0 && record.group[0] != '\0')
		error = number_group(reading, record.group, &record.session.group);
	if (error != 0)
		return error;
	reading->listing->version = record.version;
	reading->listing->exit_unattached |= record.exit_unattached;
	return model_add_session(reading->listing->model, &record.session);
}

static int add_window(struct reading *reading, const char *fields, size_t len)
{
	struct window_record record = {.window = {.active_pane = MUXBUS_NO_ID}};
	int error = read_record(reading, window_fields, fields, len, &record);
	if (error == 0 &&
	    (record.link.window == MUXBUS_NO_ID || record.link.session == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	if (error != 0)
		return error;
	record.window.id = record.link.window;
	error = model_add_window(reading->listing->model, &record.window);
	if (error == 0)
		error = model_add_link(reading->listing->model, &record.link);
	return error;
}

static int add_pane(struct reading *reading, const char *fields, size_t len)
{
	struct muxbus_pane pane = {.exit_status = -1};
	int error = read_record(reading, pane_fields, fields, len, &pane);
	if (error == 0 && (pane.id == MUXBUS_NO_ID || pane.window == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	if (error != 0)
		return error;
	if (!pane.is_dead || pane.exit_signal != 0)
		pane.exit_status = -1;
	return model_add_pane(reading->listing->model, &pane);
}

static int add_client(struct reading *reading, const char *fields, size_t len)
{
	struct muxbus_client client = {.session = MUXBUS_NO_ID};
	int error = read_record(reading, client_fields, fields, len, &client);
	if (error != 0)
		return error;
	return model_add_client(reading->listing->model, &client);
}

/* Reads one reply line by line. Counts invalid records and leaves them out. */
static int read_reply(
    struct reading *reading, const struct list_command *list, const struct muxbus_reply *reply)
{
	const char *line = (const char *)reply->body;
	const char *end = line + reply->body_len;
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = newline != NULL ? (size_t)(newline - line) : (size_t)(end - line);
		int error = MUXBUS_ERR_SYNTAX;
		if (len > 2 && line[0] == list->letter && line[1] == '\t')
			error = list->add(reading, line + 2, len - 2);
		if (error == MUXBUS_ERR_NOMEM)
			return error;
		if (error != 0)
			reading->listing->malformed++;
		line += len + (newline != NULL);
	}
	return 0;
}

/* Numbers each group by its lowest session, so that the number is stable. */
static int settle_groups(struct muxbus_model *model)
{
	const struct muxbus_session *session = NULL;
	struct map lowest;
	int error = 0;
	map_init(&lowest);
	while ((session = muxbus_model_next_session(model, session)) != NULL) {
		uintptr_t first = (uintptr_t)map_get(&lowest, session->group);
		if (session->group == MUXBUS_NO_ID)
			continue;
		if (first == 0) {
			first = (uintptr_t)session->id + 1;
			if (map_set(&lowest, session->group, (void *)first) != 0) {
				error = MUXBUS_ERR_NOMEM;
				break;
			}
		}
		model_session_entry(model, session->id)->group = (uint32_t)(first - 1);
	}
	map_finish(&lowest);
	return error;
}

static int read_replies(struct reading *reading, const struct muxbus_reply *replies)
{
	int error;
	for (size_t i = 0; i < LISTING_COMMANDS; i++) {
		error = replies[i].error != 0 ? MUXBUS_ERR_COMMAND
					      : read_reply(reading, &list_commands[i], &replies[i]);

		if (error != 0)
			return error;
	}
	error = model_finish(reading->listing->model);
	return error != 0 ? error : settle_groups(reading->listing->model);
}

int listing_read(
    const struct muxbus_reply *replies, size_t count, uint32_t caps, struct listing *ret_listing)
{
	struct listing listing = {.version = ""};
	struct reading reading = {.listing = &listing, .caps = caps};
	int error;
	if (count != LISTING_COMMANDS)
		return MUXBUS_ERR_INVALID;
	error = model_new(&listing.model);
	if (error != 0)
		return error;
	map_init(&reading.groups);
	error = read_replies(&reading, replies);
	map_finish(&reading.groups);
	if (error != 0) {
		model_free(listing.model);
		return error;
	}
	if (listing.malformed > 0)
		library_log(MUXBUS_LOG_WARNING, "%u records of a listing could not be read",
		    listing.malformed);
	*ret_listing = listing;
	return 0;
}
