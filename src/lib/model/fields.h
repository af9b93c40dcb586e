/* SPDX-License-Identifier: ISC */
/*
 * The fields of tmux's objects: tables that give the formats of listings, and the reader of their
 * records. A record is a line that starts with a letter; TAB separates its fields. A text that
 * programs can choose is encoded; or, where output of tmux comes as it is and no line of it has a
 * meaning of its own, it is counted: `"LENGTH:TEXT`. tmux takes some 20 microseconds to encode a
 * text, and 2 to count it.
 */
#pragma once

#include <muxbus.h>

enum field_kind {
	FIELD_SESSION, /* uint32_t, "$1"; empty is MUXBUS_NO_ID */
	FIELD_WINDOW, /* uint32_t, "@1" */
	FIELD_PANE, /* uint32_t, "%1" */
	FIELD_BOOL, /* bool: anything but empty, "0" and "off" */
	FIELD_INT, /* int; an empty field keeps the default, as in all numbers */
	FIELD_UNSIGNED, /* unsigned */
	FIELD_U64, /* uint64_t */
	FIELD_TEXT, /* const char *, encoded or counted, since it can hold any bytes */
	/*
	 * The same, but what tmux reads from the kernel each time that it is named. It is always
	 * encoded: its length, asked for apart, can be that of another text.
	 */
	FIELD_LIVE,
	FIELD_WORD, /* const char *, made by tmux: no TAB and no newline */
	FIELD_MARK, /* bool: the text of the variable has the mark */
};

/* A table of fields ends with the variable NULL. */
struct format_field {
	const char *variable; /* the name in a format; "": read from the text of the field before */
	enum field_kind kind;
	size_t offset; /* in the record */
	unsigned followers; /* how many fields behind it are empty unless it is true */
	char mark; /* of FIELD_MARK */
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

/* The fields of a pane that tmux does not announce, and its place. */
struct pane_detail {
	uint32_t pane;
	uint32_t window;
	uint32_t session; /* of one link of the window */
	int32_t window_index; /* of that link */
	int32_t index; /* these change with options, of which no event tells */
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
extern const struct format_field bare_pane_fields[]; /* the same without command and path */
extern const struct format_field index_fields[]; /* of struct pane_detail: which pane, and where */
extern const struct format_field title_fields[]; /* the id, and the title as it is */
extern const struct format_field detail_fields[]; /* of struct pane_detail */
extern const struct format_field place_fields[]; /* of struct muxbus_pane: its id and window */
extern const struct format_field client_fields[]; /* of struct muxbus_client */

/* Adds the format of records of one table, or of two in a row; more may be NULL. */
void fields_write(struct muxbus_command *command, char letter, const struct format_field *fields,
    const struct format_field *more, bool is_counted);

/* Where the texts of records go, and how tmux encodes them. */
struct fields_target {
	struct muxbus_model *model;
	bool *is_cut; /* becomes true if tmux has cut off a line */
	uint32_t caps; /* enum muxbus_cap */
	bool is_counted; /* texts are counted, not encoded */
};

/*
 * Reads the fields of one table from *line on, and moves *line behind them: NULL after the last
 * field of the line. Returns 0, MUXBUS_ERR_SYNTAX or MUXBUS_ERR_NOMEM.
 */
int fields_read(const struct fields_target *target, const struct format_field *fields,
    const char **line, const char *end, void *record);

/*
 * Calls add for each line of a reply that begins with the letter, with the line after the letter
 * and its TAB. Counts lines that cannot be read, or are cut off, in *malformed, and leaves them out.
 * Returns 0 or MUXBUS_ERR_NOMEM.
 */
int fields_read_lines(const struct fields_target *target, const struct muxbus_reply *reply,
    char letter, int (*add)(void *data, const char *line, const char *end), void *data,
    unsigned *malformed);
