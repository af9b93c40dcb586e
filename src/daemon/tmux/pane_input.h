/* SPDX-License-Identifier: ISC */
/*
 * The input of a pane, as far as it is known: the line that Muxbus has typed and not ended, those it
 * has ended of late, and the prompt that the shell marks in front of such a line (OSC 133 A and B).
 * Kept while the pane and the daemon live.
 */
#pragma once

#include "daemon/tmux/echo.h"

#define PANE_INPUT_LINE_MAX 4096 /* bytes of a typed line that are kept */
/* Bytes of the lines that were ended, and for how long after a key the program may still be
 * about to read them. */
#define PANE_INPUT_ENDED_MAX 4096
#define PANE_INPUT_ENDED_MS 60000

struct muxbus_pane;
struct token;

struct pane_input {
	struct echo echo; /* of what was typed */
	struct buf line;
	size_t fresh; /* of the line: what was typed since no text was seen there */
	bool is_other_form; /* keys were typed that change the line: it may look in any way */
	struct buf ended; /* lines that Enter ended, each with \n: the screen may still show one */
	bool has_ended_other; /* one of them may look in any way */
	int64_t typed_ms; /* CLOCK_REALTIME of the last key; 0: none */
	char lead[256]; /* the prompt in UTF-8: its last row, without escape sequences */
	size_t lead_len;
	bool is_in_lead; /* between A and B */
	bool has_lead;
};

void pane_input_init(struct pane_input *input);
void pane_input_finish(struct pane_input *input);

/* The one of a pane in a map by panes; made if it is new. NULL: out of memory. */
struct pane_input *pane_input_get(struct map *inputs, uint32_t pane);
void pane_input_forget(struct map *inputs, uint32_t pane);

/* Whether keys for a pane reach another one: it is the same, or tmux synchronizes both. */
bool pane_input_reaches(const struct muxbus_pane *first, const struct muxbus_pane *other);

/* Notes what is typed. A paste with brackets does not end the line. */
void pane_input_type(struct pane_input *input, const uint8_t *bytes, size_t len, bool is_bracketed,
    enum echo_reader reader);
/* Forgets the lines that were ended, when the program has had its time to read them. */
void pane_input_age(struct pane_input *input);
/* The line was seen to be empty. */
void pane_input_clear(struct pane_input *input);

/* Follows the output. Returns whether it needs text too. */
bool pane_input_token(struct pane_input *input, const struct token *token);
