/* SPDX-License-Identifier: ISC */
/*
 * Reports that programs make to their terminal by OSC (escape sequences): notifications (OSC 9 of
 * iTerm2, OSC 99 of kitty, OSC 777;notify of urxvt), progress (OSC 9;4 of ConEmu), and the marks of
 * muxbus (contexts, below). All of it is untrusted. The texts of a report are valid UTF-8 in one
 * line, without control characters, and of limited length.
 *
 * OSC 9 with a number from 1 to 12, alone or before a semicolon, is a command of ConEmu; only
 * number 4 is read. Parts (chunks) of OSC 99 with the same id are joined, up to a chunk without
 * d=0. A chunk with another id begins a new notification.
 */
#pragma once

#include "base/base.h"

#define OSC_TITLE_MAX 256 /* maximum bytes; a longer title or text is cut between two characters */
#define OSC_TEXT_MAX 1024
#define OSC_ID_MAX 64 /* maximum bytes of the id of chunks or of a context */

enum osc_report_kind {
	OSC_NOTHING, /* no report, an empty notification, or a chunk before others */
	OSC_NOTICE,
	OSC_PROGRESS,
};

enum osc_progress {
	PROGRESS_NONE,
	PROGRESS_NORMAL,
	PROGRESS_ERROR,
	PROGRESS_INDETERMINATE,
	PROGRESS_PAUSED,
	PROGRESS_COUNT_,
};
extern const char *const osc_progress_names[];

struct osc_report {
	enum osc_report_kind kind;
	unsigned number; /* for a notice: its OSC number, 9, 99 or 777 */
	char title[OSC_TITLE_MAX + 1]; /* of a notice; "": none */
	char text[OSC_TEXT_MAX + 1]; /* of a notice; "": none */
	enum osc_progress progress;
	int percent; /* 0 to 100; -1: not reported */
};

struct osc_reader {
	char id[OSC_ID_MAX + 1]; /* id of the chunks that are being joined */
	struct buf title, text;
};
void osc_reader_init(struct osc_reader *reader);
/* Drops an incomplete notification. The reader may be used again. */
void osc_reader_finish(struct osc_reader *reader);

/* Reads the string of an OSC, which begins with its number. */
enum osc_report_kind osc_report_read(
    struct osc_reader *reader, const char *string, size_t len, struct osc_report *ret_report);

/*
 * Contexts (the marks of `muxbus mark`): OSC 3008 as systemd writes it,
 * "3008;start=ID;KEY=VALUE;..." or "3008;end=ID;...", where "\xHH" in a value is a byte. Keys of
 * other programs are ignored. A word that is too long or has a forbidden character counts as
 * absent; texts are cleaned and cut.
 */

#define OSC_TOKEN_MAX 64
#define OSC_QUESTION_MAX 256 /* maximum bytes; a longer question is cut between two characters */

struct osc_context {
	bool is_end;
	char id[OSC_ID_MAX + 1]; /* "": not a valid word */
	char token[OSC_TOKEN_MAX + 1]; /* "": absent, as in all members below */
	char agent[32 + 1];
	char session[128 + 1];
	char state[16 + 1];
	char to[16 + 1];
	char question[OSC_QUESTION_MAX + 1];
	char wake[OSC_TEXT_MAX + 1];
};

/* Reads the string of an OSC, which begins with its number. Returns false if it is no context. */
bool osc_context_read(const char *string, size_t len, struct osc_context *ret_context);
