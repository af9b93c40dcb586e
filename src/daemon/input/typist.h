/* SPDX-License-Identifier: ISC */
/*
 * A typist types one line at the prompt of a program in a pane, when that is safe, presses
 * Enter, and says what is known of it. Safe is: the pane lives, is in no mode, takes input,
 * and shows the program that is expected there, not a shell; it has been quiet; nobody is
 * typing; its prompt is seen, with no draft and no question. What can be asked inside tmux
 * is asked in the same command that types.
 *
 * Never is anything pressed but the line and Enter; Enter never before the line was seen
 * where it belongs, with nothing before or behind it. Enter is pressed again only while the
 * line still stands there and all keys were read. In one pane one types at a time.
 */
#ifndef DAEMON_INPUT_TYPIST_H
#define DAEMON_INPUT_TYPIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "daemon/core/pane_ref.h"

#define TYPIST_LINE_MAX 2048 /* bytes */

struct daemon;
struct json_writer;
struct typist;
struct typist_set;

enum typist_result {
	TYPIST_SUBMITTED, /* it was seen on the prompt line, and seen to leave it after Enter */
	TYPIST_TYPED, /* it may stand there, or not: a person has to look */
	TYPIST_REFUSED, /* nothing was typed, and nothing ever will: the pane is gone */
	TYPIST_NOTHING, /* there is nothing to type any more */
};

struct typist_handlers {
	/* Whether there is still something to type; asked at each look. */
	bool (*is_wanted)(void *data);
	/* It is safe: the line, UTF-8 without control characters. What it appends is typed now. */
	void (*compose)(void *data, struct buf *out);
	/* Not now, because ...; it is tried again. is_new: for another reason than before. */
	void (*deferred)(void *data, const char *reason, bool is_new);
	/* It rests then. May free it. reason NULL: none. */
	void (*ended)(void *data, enum typist_result result, const char *reason);
};

struct typist_set *typist_set_new(struct daemon *daemon);
/* Typists that tmux owes an answer are freed by that, at the latest when tmux goes. */
void typist_set_free(struct typist_set *set);

struct typist *typist_new(struct typist_set *set, const struct pane_ref *pane,
    const struct typist_handlers *handlers, void *data);
void typist_free(struct typist *typist);

/* Whether it types, or asks tmux something: what it was given is not another's. */
bool typist_is_at_work(const struct typist *typist);
/* Something is to be typed, or may be possible now: looks at once, unless it is at work. */
void typist_wake(struct typist *typist);
/*
 * A line that may have been typed in an earlier life: if it stands at the prompt, it is not
 * typed again but submitted. before is typist_typed_before() of that life.
 */
void typist_resume(struct typist *typist, const char *line, size_t len, unsigned before);

/* How often, at most, the line was typed before, by those who did not see the end of it. */
unsigned typist_typed_before(const struct typist *typist);

/* Whether a typist has begun to type in a pane. */
bool typist_set_holds(const struct typist_set *set, const struct pane_ref *pane);

/* Members of a receipt: what was seen. None if nothing was typed. */
void typist_write_evidence(
    const struct typist *typist, enum typist_result result, struct json_writer *writer);

#endif
