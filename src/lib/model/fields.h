/* SPDX-License-Identifier: ISC */
/*
 * Tables for the formats of listings, and the reader of their records. A record starts with a
 * letter and ends with a newline; a TAB separates two fields. On a connection, a text that programs
 * can choose is usually encoded: then it contains no TAB and no line that looks like tmux output.
 * In the output of a one-shot such a line is harmless, so a text may be counted, as in
 * `"LENGTH:TEXT`, which costs tmux much less.
 */
#pragma once

#include <muxbus.h>

enum field_kind {
	FIELD_SESSION, /* uint32_t, "$1"; MUXBUS_NO_ID if empty, as the next two */
	FIELD_WINDOW, /* uint32_t, "@1" */
	FIELD_PANE, /* uint32_t, "%1" */
	FIELD_BOOL, /* bool: false if empty, "0" or "off" */
	FIELD_INT, /* int; keeps its default if the field is empty */
	FIELD_UNSIGNED, /* unsigned; must not be empty */
	FIELD_U64, /* uint64_t; keeps its default if the field is empty */
	FIELD_TEXT, /* const char *: any bytes; printed encoded or counted */
	/* As FIELD_TEXT, but never counted: tmux reads the value again between length and text. */
	FIELD_LIVE,
	FIELD_WORD, /* const char *: has no TAB or newline; printed as it is */
	FIELD_MARK, /* bool: the text contains the mark */
};

/* A row of a table, which ends with the variable NULL. */
struct format_field {
	const char *variable; /* text in "#{}", such as a name; "": read the previous field again */
	enum field_kind kind;
	size_t offset; /* of the member in the record */
	unsigned followers; /* number of next fields that are empty if this field is false */
	char mark; /* for FIELD_MARK */
};

struct session_record {
	struct muxbus_session session;
	const char *group;
	const char *version;
	bool exit_unattached;
	bool has_hook;
};

struct window_record {
	struct muxbus_window window;
	struct muxbus_link link;
};

/* Fields of a pane that tmux does not announce, and the pane's position. */
struct pane_detail {
	uint32_t pane;
	uint32_t window;
	uint32_t session; /* a session that contains the window */
	int32_t window_index; /* of the window in that session */
	int32_t index; /* this and the next members can change without an event */
	unsigned width;
	unsigned height;
	int top;
	bool alternate_screen;
	bool input_off;
	bool is_synchronized;
	bool mouse_any;
	const char *title;
};

extern const struct format_field session_fields[]; /* of struct session_record */
extern const struct format_field window_fields[]; /* of struct window_record */
extern const struct format_field layout_fields[]; /* of struct window_record */
extern const struct format_field link_fields[]; /* of struct muxbus_link */
extern const struct format_field pane_fields[]; /* of struct muxbus_pane */
extern const struct format_field bare_pane_fields[]; /* pane_fields without command and path */
extern const struct format_field index_fields[]; /* of struct pane_detail: ids and indexes */
extern const struct format_field title_fields[]; /* id and title; the title is not encoded */
extern const struct format_field detail_fields[]; /* of struct pane_detail */
extern const struct format_field place_fields[]; /* of struct muxbus_pane: id and window */
extern const struct format_field client_fields[]; /* of struct muxbus_client */

/*
 * Adds an argument, the format of records: the text `before`, the letter, the fields of the tables
 * `fields` and `more` (NULL: none), the end mark, the text `after`.
 */
void fields_write(struct muxbus_command *command, const char *before, char letter,
    const struct format_field *fields, const struct format_field *more, bool is_counted,
    const char *after);

/* The model that gets the texts of records, and how tmux encodes them. */
struct fields_target {
	struct muxbus_model *model;
	bool *is_cut; /* set to true if tmux has cut off a line */
	uint32_t caps; /* a set of enum muxbus_cap */
	bool is_counted; /* texts are counted instead of encoded */
};

/*
 * Reads the fields of one table at *line into record. *line becomes the next field, or NULL at the
 * end of the line. Returns 0 or MUXBUS_ERR_SYNTAX. model_error() tells if out of memory.
 */
int fields_read(const struct fields_target *target, const struct format_field *fields,
    const char **line, const char *end, void *record);

/*
 * Calls add() for each whole record of a reply that begins with the letter, without the letter, its
 * TAB and the end mark. Counts other lines, and errors of add(), in *malformed.
 */
void fields_read_lines(const struct fields_target *target, const struct muxbus_reply *reply,
    char letter, int (*add)(void *data, const char *line, const char *end), void *data,
    unsigned *malformed);
