/* SPDX-License-Identifier: ISC */
/*
 * Reports that programs make to their terminal by OSC: notifications (OSC 9 of iTerm2, OSC 99 of
 * kitty, OSC 777;notify of urxvt) and progress (OSC 9;4 of ConEmu). All of it is untrusted. The
 * texts of a report are valid UTF-8 in one line, without control characters, and bounded.
 *
 * OSC 9 followed by a number from 1 to 12 alone, or before a semicolon, is a command of ConEmu:
 * of these only 4 has a meaning here. A notification of OSC 99 may come in chunks: those of one id
 * are joined until one that is done. A chunk of another id begins anew.
 */
#pragma once

#include "base/base.h"

#define OSC_TITLE_MAX 256 /* bytes; more is cut at a character, as are texts */
#define OSC_TEXT_MAX 1024
#define OSC_ID_MAX 64 /* of a notification in chunks, and of a context */

enum osc_report_kind {
	OSC_NOTHING, /* or not the end of it yet */
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
const char *osc_progress_name(enum osc_progress progress);

struct osc_report {
	enum osc_report_kind kind;
	unsigned number; /* of a notice: 9, 99 or 777 */
	char title[OSC_TITLE_MAX + 1]; /* of a notice; "": none */
	char text[OSC_TEXT_MAX + 1]; /* of a notice; "": none */
	enum osc_progress progress;
	int percent; /* 0 to 100; -1: not reported */
};

/* Reads the reports of one terminal. */
struct osc_reader {
	char id[OSC_ID_MAX + 1]; /* of the notification in chunks under way */
	struct buf title, text; /* what has come of it */
};
void osc_reader_init(struct osc_reader *reader);
/* Also drops a notification under way; the reader may be used again. */
void osc_reader_finish(struct osc_reader *reader);

/* Reads the string of an OSC, from its number on. Returns the kind. */
enum osc_report_kind osc_report_read(
    struct osc_reader *reader, const char *string, size_t len, struct osc_report *ret_report);

/* A part of a string, which it does not own; at NULL: behind the last one. */
struct osc_part {
	const char *at;
	size_t len;
};

/*
 * Contexts: OSC 3008 as systemd writes it, "3008;start=ID;KEY=VALUE;..." or "3008;end=ID;...". In
 * a value "\xHH" is a byte. Of the keys only those of muxbus are read, in any order:
 * muxbus (the token), agent, session, state, question, wake and to. A word that is too long or
 * has other characters than a word may have is as absent; texts are cleaned and cut.
 */

#define OSC_TOKEN_MAX 64
#define OSC_QUESTION_MAX 256 /* bytes; more is cut at a character */

struct osc_context {
	bool is_end;
	char id[OSC_ID_MAX + 1]; /* "" if it is no word */
	char token[OSC_TOKEN_MAX + 1]; /* "": absent, as the others */
	char agent[32 + 1];
	char session[128 + 1];
	char state[16 + 1];
	char to[16 + 1];
	char question[OSC_QUESTION_MAX + 1];
	char wake[OSC_TEXT_MAX + 1];
};

/* Reads the string of an OSC, from its number on. False if it is no context. */
bool osc_context_read(const char *string, size_t len, struct osc_context *ret_context);
