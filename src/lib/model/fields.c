/* SPDX-License-Identifier: ISC */
#include "lib/model/fields.h"

#include "base/base.h"
#include "lib/model/model.h"

#define FIELD_FORMAT_MAX 256
#define FIELDS_MAX 48
/* Begins a counted text. No id, number or word of tmux begins with this mark. */
#define COUNTED_MARK '"'
/* Begins an encoded text in a format with counted texts, to tell the two apart. */
#define ENCODED_MARK '='
/* Ends each record. A record that tmux has cut off lacks it. */
static const char end_field[] = "\t" MUXBUS_FORMAT_WHOLE;
static const char end_mark[] = "\t1";

/* AT() gives a row its offset; MARK() makes it a FIELD_MARK, with its offset and its mark. */
/* clang-format off */
#define AT(member) offsetof(struct session_record, member), 0, 0
const struct format_field session_fields[] = {
	{"session_id", FIELD_SESSION, AT(session.id)},
	{"session_name", FIELD_TEXT, AT(session.name)},
	{"session_created", FIELD_U64, AT(session.created)},
	{"session_activity", FIELD_U64, AT(session.activity)},
	{"session_group", FIELD_TEXT, AT(group)},
	{"destroy-unattached", FIELD_BOOL, AT(session.destroy_unattached)},
	{"exit-unattached", FIELD_BOOL, AT(exit_unattached)},
	/*
	 * hooks of the commands of listing.c; tmux before 3.5 prints single entries, not the array
	 */
	{"?#{after-list-panes[0]}#{after-list-windows[0]}#{after-list-sessions[0]}"
	 "#{after-list-clients[0]}#{after-display-message[0]},1,", FIELD_BOOL, AT(has_hook)},
	{"version", FIELD_WORD, AT(version)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef AT

#define AT(member) offsetof(struct window_record, member), 0, 0
#define MARK(member, sign) FIELD_MARK, offsetof(struct window_record, member), 0, sign
const struct format_field window_fields[] = {
	{"session_id", FIELD_SESSION, AT(link.session)},
	{"window_id", FIELD_WINDOW, AT(link.window)},
	{"window_index", FIELD_INT, AT(link.index)},
	{"window_raw_flags", MARK(link.is_current, '*')},
	{"", MARK(window.is_zoomed, 'Z')},
	{"", MARK(link.has_bell, '!')},
	{"", MARK(link.has_activity, '#')},
	{"", MARK(link.has_silence, '~')},
	{"window_name", FIELD_TEXT, AT(window.name)},
	{"window_width", FIELD_UNSIGNED, AT(window.width)},
	{"window_height", FIELD_UNSIGNED, AT(window.height)},
	{"window_layout", FIELD_WORD, AT(window.layout)},
	{"window_visible_layout", FIELD_WORD, AT(window.visible_layout)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
const struct format_field layout_fields[] = {
	{"window_id", FIELD_WINDOW, AT(link.window)},
	{"window_layout", FIELD_WORD, AT(window.layout)},
	{"window_width", FIELD_UNSIGNED, AT(window.width)},
	{"window_height", FIELD_UNSIGNED, AT(window.height)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef MARK
#undef AT

#define AT(member) offsetof(struct muxbus_pane, member), 0, 0
#define FIRST_PANE_FIELDS \
	{"pane_id", FIELD_PANE, AT(id)}, \
	{"window_id", FIELD_WINDOW, AT(window)}, \
	{"pane_index", FIELD_INT, AT(index)}, \
	{"pane_width", FIELD_UNSIGNED, AT(width)}, \
	{"pane_height", FIELD_UNSIGNED, AT(height)}, \
	{"pane_left", FIELD_INT, AT(left)}, \
	{"pane_top", FIELD_INT, AT(top)}, \
	{"pane_pid", FIELD_INT, AT(pid)}, \
	{"pane_tty", FIELD_WORD, AT(tty)}, \
	{"pane_title", FIELD_TEXT, AT(title)},
#define FOREGROUND_FIELDS \
	{"pane_current_command", FIELD_LIVE, AT(command)}, \
	{"pane_current_path", FIELD_LIVE, AT(path)},
#define LAST_PANE_FIELDS \
	{"pane_mode", FIELD_WORD, AT(mode)}, \
	{"", FIELD_BOOL, AT(in_mode)}, \
	{"pane_active", FIELD_BOOL, AT(is_active)}, \
	{"pane_dead", FIELD_BOOL, offsetof(struct muxbus_pane, is_dead), 3, 0}, \
	{"pane_dead_status", FIELD_INT, AT(exit_status)}, \
	{"pane_dead_signal", FIELD_INT, AT(exit_signal)}, \
	{"pane_dead_time", FIELD_U64, AT(dead_time)}, \
	{"alternate_on", FIELD_BOOL, AT(alternate_screen)}, \
	{"pane_input_off", FIELD_BOOL, AT(input_off)}, \
	{"pane_synchronized", FIELD_BOOL, AT(is_synchronized)}, \
	{"pane_pipe", FIELD_BOOL, AT(is_piped)}, \
	{"pane_floating_flag", FIELD_BOOL, AT(is_floating)}, \
	{"mouse_any_flag", FIELD_BOOL, offsetof(struct muxbus_pane, mouse_any), 2, 0}, \
	{"mouse_sgr_flag", FIELD_BOOL, AT(mouse_sgr)}, \
	{"mouse_utf8_flag", FIELD_BOOL, AT(mouse_utf8)},
const struct format_field pane_fields[] = {
	FIRST_PANE_FIELDS
	FOREGROUND_FIELDS
	LAST_PANE_FIELDS
	{NULL, FIELD_BOOL, 0, 0, 0},
};
const struct format_field bare_pane_fields[] = {
	FIRST_PANE_FIELDS
	LAST_PANE_FIELDS
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef AT

#define AT(member) offsetof(struct muxbus_link, member), 0, 0
#define MARK(member, sign) FIELD_MARK, offsetof(struct muxbus_link, member), 0, sign
const struct format_field link_fields[] = {
	{"session_id", FIELD_SESSION, AT(session)},
	{"window_id", FIELD_WINDOW, AT(window)},
	{"window_index", FIELD_INT, AT(index)},
	{"window_raw_flags", MARK(is_current, '*')},
	{"", MARK(has_bell, '!')},
	{"", MARK(has_activity, '#')},
	{"", MARK(has_silence, '~')},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef MARK
#undef AT

#define AT(member) offsetof(struct muxbus_pane, member), 0, 0
const struct format_field place_fields[] = {
	{"pane_id", FIELD_PANE, AT(id)},
	{"window_id", FIELD_WINDOW, AT(window)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef AT

#define AT(member) offsetof(struct pane_detail, member), 0, 0
const struct format_field title_fields[] = {
	{"pane_id", FIELD_PANE, AT(pane)},
	{"pane_title", FIELD_WORD, AT(title)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#define INDEX_FIELDS \
	{"pane_id", FIELD_PANE, AT(pane)}, \
	{"window_id", FIELD_WINDOW, AT(window)}, \
	{"session_id", FIELD_SESSION, AT(session)}, \
	{"window_index", FIELD_INT, AT(window_index)}, \
	{"pane_index", FIELD_INT, AT(index)}
const struct format_field index_fields[] = {
	INDEX_FIELDS,
	{NULL, FIELD_BOOL, 0, 0, 0},
};
const struct format_field detail_fields[] = {
	INDEX_FIELDS,
	{"pane_width", FIELD_UNSIGNED, AT(width)},
	{"pane_height", FIELD_UNSIGNED, AT(height)},
	{"pane_top", FIELD_INT, AT(top)},
	{"alternate_on", FIELD_BOOL, AT(alternate_screen)},
	{"pane_input_off", FIELD_BOOL, AT(input_off)},
	{"pane_synchronized", FIELD_BOOL, AT(is_synchronized)},
	{"mouse_any_flag", FIELD_BOOL, AT(mouse_any)},
	{"pane_title", FIELD_TEXT, AT(title)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef INDEX_FIELDS
#undef AT

#define AT(member) offsetof(struct muxbus_client, member), 0, 0
const struct format_field client_fields[] = {
	{"client_name", FIELD_TEXT, AT(name)},
	{"client_pid", FIELD_INT, AT(pid)},
	/* empty for a locked or suspended client, which is ignored */
	{"?#{m:*suspended*,#{client_flags}},,#{session_id}", FIELD_SESSION, AT(session)},
	{"client_activity", FIELD_U64, AT(activity)},
	{"client_control_mode", FIELD_BOOL, AT(is_control)},
	{"client_readonly", FIELD_BOOL, AT(is_readonly)},
	{"client_prefix", FIELD_BOOL, AT(in_prefix)},
	{NULL, FIELD_BOOL, 0, 0, 0},
};
#undef AT
/* clang-format on */

static size_t write_field(
    char *format, size_t size, const struct format_field *field, bool is_counted)
{
	if (field->kind == FIELD_TEXT && is_counted)
		return (size_t)snprintf(format, size, "%c#{n:%s}:#{%s}", COUNTED_MARK,
		    field->variable, field->variable);
	if (field->kind == FIELD_LIVE && is_counted) {
		*format = ENCODED_MARK;
		return 1 + (size_t)muxbus_field_format(format + 1, size - 1, field->variable);
	}
	if (field->kind == FIELD_TEXT || field->kind == FIELD_LIVE)
		return (size_t)muxbus_field_format(format, size, field->variable);
	return (size_t)snprintf(format, size, "#{%s}", field->variable);
}

/*
 * Each variable costs tmux time for each pane, so a condition skips values that do not matter:
 * "#{?pane_dead,1 TAB #{pane_dead_status},TAB}" prints two fields in either case.
 */
static size_t write_fields(
    char *format, size_t size, const struct format_field *fields, bool is_counted)
{
	size_t len = 0;
	unsigned followers = 0, tabs = 0;
	for (const struct format_field *field = fields; field->variable != NULL; field++) {
		if (field->variable[0] == '\0')
			continue;
		format[len++] = '\t';
		if (field->followers > 0) {
			tabs = followers = field->followers;
			len +=
			    (size_t)snprintf(format + len, size - len, "#{?%s,1", field->variable);
			continue;
		}
		len += write_field(format + len, size - len, field, is_counted);
		if (followers == 0 || --followers > 0)
			continue;
		format[len++] = ',';
		while (tabs > 0) {
			format[len++] = '\t';
			tabs--;
		}
		format[len++] = '}';
	}
	return len;
}

void fields_write(struct muxbus_command *command, const char *before, char letter,
    const struct format_field *fields, const struct format_field *more, bool is_counted,
    const char *after)
{
	char format[FIELDS_MAX * FIELD_FORMAT_MAX];
	size_t len = (size_t)snprintf(format, sizeof format, "%s%c", before, letter);
	len += write_fields(format + len, sizeof format - len, fields, is_counted);
	if (more != NULL)
		len += write_fields(format + len, sizeof format - len, more, is_counted);
	len += (size_t)snprintf(format + len, sizeof format - len, "%s%s", end_field, after);
	muxbus_command_arg(command, format, len);
}

/* Returns a counted text and its end in *ret_end; NULL if the field is not counted, or cut. */
static const char *counted_text(const char *at, const char *end, const char **ret_end)
{
	const char *colon;
	uint64_t len;
	if (at == end || *at != COUNTED_MARK)
		return NULL;
	colon = memchr(at, ':', (size_t)(end - at));
	if (colon == NULL || !str_parse_u64(at + 1, (size_t)(colon - at - 1), &len) ||
	    len > (uint64_t)(end - colon - 1))
		return NULL;
	*ret_end = colon + 1 + len;
	return colon + 1;
}

static const char *field_end(const struct fields_target *target, const char *at, const char *end)
{
	if (target->is_counted)
		(void)counted_text(at, end, &at);
	while (at < end && *at != '\t' && *at != '\n') /* most fields are short */
		at++;
	return at;
}

/* Returns the end of the line that begins here. Skips newlines inside of counted texts. */
static const char *line_end(const struct fields_target *target, const char *at, const char *end)
{
	if (!target->is_counted) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		return newline != NULL ? newline : end;
	}
	while ((at = field_end(target, at, end)) < end && *at == '\t')
		at++;
	return at;
}

/* Reads an id such as "$1", or MUXBUS_NO_ID from an empty field. Returns false if invalid. */
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

static size_t cut_text(char *text, size_t len)
{
	if (len > MUXBUS_NAME_MAX) {
		len = MUXBUS_NAME_MAX;
		len -= utf8_incomplete_tail(text, len);
	}
	text[len] = '\0';
	return len;
}

/* As read_text(), for an encoded text of more than MUXBUS_NAME_MAX bytes, which is cut. */
static int read_long_text(
    const struct fields_target *target, const char *text, size_t len, const char **ret_text)
{
	char *whole = mem_memdup(text, len);
	ssize_t decoded;
	if (whole == NULL) {
		model_fail(target->model);
		return 0;
	}
	decoded = muxbus_field_decode(whole, len, target->caps);
	if (decoded >= 0)
		(void)cut_text(whole, (size_t)decoded);
	*ret_text = whole;
	model_keep_text(target->model, ret_text);
	mem_free(whole);
	return decoded < 0 ? (int)decoded : 0;
}

/* Decodes a text into the model. Returns 0 or MUXBUS_ERR_SYNTAX. Out of memory: sets "". */
static int read_text(const struct fields_target *target, const char *text, size_t len,
    bool is_encoded, const char **ret_text)
{
	char *copy;
	ssize_t decoded = (ssize_t)len;
	*ret_text = "";
	if (len == 0)
		return 0;
	if (is_encoded && len > MUXBUS_NAME_MAX)
		return read_long_text(target, text, len, ret_text);
	copy = model_string(target->model, text, len);
	if (copy == NULL)
		return 0;
	if (is_encoded)
		decoded = muxbus_field_decode(copy, len, target->caps);
	if (decoded < 0)
		return (int)decoded;
	copy[decoded] = '\0';
	*ret_text = copy;
	return 0;
}

static int read_counted(
    const struct fields_target *target, const char *field, size_t len, const char **ret_text)
{
	const char *end = NULL;
	const char *text = counted_text(field, field + len, &end);
	char *copy;
	if (text == NULL || end != field + len)
		return MUXBUS_ERR_SYNTAX;
	copy = model_string(target->model, text, (size_t)(end - text));
	if (copy != NULL)
		(void)cut_text(copy, (size_t)(end - text));
	*ret_text = copy != NULL ? copy : "";
	return 0;
}

static int read_field(const struct fields_target *target, const struct format_field *field,
    const char *text, size_t len, void *record)
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
	case FIELD_MARK:
		*(bool *)place = memchr(text, field->mark, len) != NULL;
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
	case FIELD_LIVE:
		if (target->is_counted && (len == 0 || *text != ENCODED_MARK))
			return MUXBUS_ERR_SYNTAX;
		return read_text(
		    target, text + target->is_counted, len - target->is_counted, true, place);
	case FIELD_TEXT:
		return target->is_counted ? read_counted(target, text, len, place)
					  : read_text(target, text, len, true, place);
	case FIELD_WORD:
		return read_text(target, text, len, false, place);
	}
	return MUXBUS_ERR_INVALID;
}

int fields_read(const struct fields_target *target, const struct format_field *fields,
    const char **line, const char *end, void *record)
{
	const char *text = NULL, *stop = NULL;
	for (const struct format_field *field = fields; field->variable != NULL; field++) {
		int error;
		if (field->variable[0] != '\0') {
			if (*line == NULL)
				return MUXBUS_ERR_SYNTAX;
			text = *line;
			stop = field_end(target, text, end);
			*line = stop < end ? stop + 1 : NULL;
		}
		error = read_field(target, field, text, (size_t)(stop - text), record);
		if (error != 0)
			return error;
	}
	return 0;
}

void fields_read_lines(const struct fields_target *target, const struct muxbus_reply *reply,
    char letter, int (*add)(void *data, const char *line, const char *end), void *data,
    unsigned *malformed)
{
	const char *line = (const char *)reply->body;
	const char *end = line + reply->body_len;
	while (line < end) {
		const ptrdiff_t mark = sizeof end_mark - 1;
		const char *stop = line_end(target, line, end);
		bool is_record = stop - line > 1 && line[0] == letter && line[1] == '\t';
		bool is_marked = is_record && stop - line > 2 + mark &&
		    memcmp(stop - mark, end_mark, (size_t)mark) == 0;
		int error = is_marked ? add(data, line + 2, stop - mark) : MUXBUS_ERR_SYNTAX;
		if (error != 0)
			(*malformed)++;
		/* tmux has cut a line that is empty, lacks its mark, or has a count too large. */
		if (error != 0 &&
		    (stop == line || (is_record && (!is_marked || target->is_counted))))
			*target->is_cut = true;
		line = stop < end ? stop + 1 : end;
	}
}
