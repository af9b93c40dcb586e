/* SPDX-License-Identifier: ISC */
/*
 * The input of a pane, as far as it is known: the line that Muxbus has typed without Enter, the
 * lines that Muxbus has recently ended with Enter, and the prompt before the line if the shell
 * marks it (OSC 133 A and B).
 */
#pragma once

#include "daemon/tmux/echo.h"

#define PANE_INPUT_LINE_MAX 4096
/*
 * Lines that were ended with Enter: their maximum bytes, and the time in ms after the last key at
 * which they are forgotten. By then the program has read them.
 */
#define PANE_INPUT_ENDED_MAX 4096
#define PANE_INPUT_ENDED_MS 60000

struct muxbus_pane;
struct token;

struct pane_input {
	struct echo echo;
	struct buf line;
	size_t fresh; /* offset in line of what was typed after the line was seen empty */
	/* the text of the line is not known, for example because it was edited */
	bool is_other_form;
	/* lines that Enter has ended, each with \n; the screen may still show them */
	struct buf ended;
	bool has_ended_other; /* the text of a line in `ended` is not known */
	int64_t typed_ms; /* CLOCK_REALTIME of the last typed key; 0: none, or not known */
	char lead[256]; /* the prompt as UTF-8: its last row, without escape sequences */
	size_t lead_len;
	bool is_in_lead; /* the output is now between the marks A and B, and not too long */
	bool has_lead;
};

void pane_input_init(struct pane_input *input);
void pane_input_finish(struct pane_input *input);

/* Returns the input of a pane from a map by pane ids; makes it if needed. */
struct pane_input *pane_input_get(struct map *inputs, uint32_t pane);
void pane_input_forget(struct map *inputs, uint32_t pane);

/* Returns true if keys for the first pane may reach the other: the same, or a synchronized one. */
bool pane_input_reaches(const struct muxbus_pane *first, const struct muxbus_pane *other);

/* Notes keys that are typed. A newline in a bracketed paste does not end the line. */
void pane_input_type(struct pane_input *input, const uint8_t *bytes, size_t len, bool is_bracketed,
    enum echo_reader reader);
/* Forgets the ended lines if the last key may have been more than PANE_INPUT_ENDED_MS ago. */
void pane_input_age(struct pane_input *input);
/* Forgets the typed line, for example when it was seen to be empty. */
void pane_input_clear(struct pane_input *input);

/* Takes a token of the output. Returns true if tokens of text are needed now. */
bool pane_input_token(struct pane_input *input, const struct token *token);
