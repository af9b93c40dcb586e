/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/pane_input.h"

#include <muxbus.h>

#include "base/tokenizer.h"

enum { KEY_INTERRUPT = 0x03, KEY_BACKSPACE = 0x08, KEY_KILL_LINE = 0x15, KEY_DELETE = 0x7f };

void pane_input_init(struct pane_input *input)
{
	*input = (struct pane_input){0};
	buf_init(&input->line, PANE_INPUT_LINE_MAX);
	buf_init(&input->ended, PANE_INPUT_ENDED_MAX);
	echo_init(&input->echo);
}

/* Erases a line, which may be a secret. */
static void wipe(struct buf *buf)
{
	if (buf->len > 0)
		explicit_bzero(buf->data, buf->len);
	buf_clear(buf);
}

void pane_input_clear(struct pane_input *input)
{
	wipe(&input->line);
	input->fresh = 0;
	input->is_other_form = false;
}

static void forget_ended(struct pane_input *input)
{
	wipe(&input->ended);
	input->has_ended_other = false;
}

void pane_input_age(struct pane_input *input)
{
	int64_t now_ms = clock_real_ms();
	if (input->typed_ms > now_ms)
		/* the clock was set back: the age of the lines is unknown */
		input->typed_ms = 0;
	if (now_ms - input->typed_ms > PANE_INPUT_ENDED_MS)
		forget_ended(input);
}

void pane_input_finish(struct pane_input *input)
{
	pane_input_clear(input);
	forget_ended(input);
	buf_finish(&input->line);
	buf_finish(&input->ended);
	echo_finish(&input->echo);
}

/* Moves the typed line to `ended`: a busy program shows the line later, when it reads the line. */
static void end_line(struct pane_input *input)
{
	struct buf *ended = &input->ended;
	if (input->is_other_form) {
		input->has_ended_other = true;
	} else if (input->line.len > 0 && input->line.len < PANE_INPUT_ENDED_MAX) {
		if (ended->len + input->line.len + 1 > PANE_INPUT_ENDED_MAX)
			wipe(ended);
		buf_append(ended, input->line.data, input->line.len);
		buf_append_byte(ended, '\n');
	}
	pane_input_clear(input);
}

static void type_byte(struct pane_input *input, uint8_t byte)
{
	struct buf *line = &input->line;
	switch (byte) {
	case KEY_INTERRUPT:
	case KEY_KILL_LINE:
		pane_input_clear(input);
		break;
	case '\n':
	case '\r':
		end_line(input);
		break;
	case KEY_BACKSPACE:
	case KEY_DELETE:
		while (line->len > 0 && (line->data[--line->len] & 0xc0) == 0x80)
			;
		if (input->fresh > line->len)
			input->fresh = line->len;
		break;
	default:
		if (byte < ' ' || buf_append_byte(line, byte) < 0)
			input->is_other_form = true;
		break;
	}
}

void pane_input_type(struct pane_input *input, const uint8_t *bytes, size_t len, bool is_bracketed,
    enum echo_reader reader)
{
	pane_input_age(input);
	input->typed_ms = clock_real_ms();
	echo_type(&input->echo, bytes, len, reader, clock_mono_ms());
	if (is_bracketed && len > 0 &&
	    (memchr(bytes, '\n', len) != NULL || memchr(bytes, '\r', len) != NULL)) {
		input->is_other_form = true;
		return;
	}
	for (size_t at = 0; at < len; at++)
		type_byte(input, bytes[at]);
}

static void take_text(struct pane_input *input, const uint8_t *bytes, size_t len)
{
	if (len >= sizeof input->lead - input->lead_len) {
		input->is_in_lead = false; /* too long for a prompt */
		return;
	}
	memcpy(input->lead + input->lead_len, bytes, len);
	input->lead_len += len;
	input->lead[input->lead_len] = '\0';
}

bool pane_input_token(struct pane_input *input, const struct token *token)
{
	if (token->kind == TOKEN_MARK) {
		input->has_lead = token->mark == 'B' && input->is_in_lead;
		input->is_in_lead = token->mark == 'A';
		if (input->is_in_lead)
			input->lead[input->lead_len = 0] = '\0';
	} else if (input->is_in_lead && token->kind == TOKEN_TEXT) {
		take_text(input, token->bytes, token->len);
	} else if (input->is_in_lead && token->kind == TOKEN_CONTROL &&
	    (token->bytes[0] == '\n' || token->bytes[0] == '\r')) {
		input->lead[input->lead_len = 0] = '\0';
	}
	return input->is_in_lead;
}

bool pane_input_reaches(const struct muxbus_pane *first, const struct muxbus_pane *other)
{
	return other == first ||
	    (first->is_synchronized && other->is_synchronized && other->window == first->window);
}

struct pane_input *pane_input_get(struct map *inputs, uint32_t pane)
{
	struct pane_input *input = map_get(inputs, pane);
	if (input != NULL)
		return input;
	input = xalloc(sizeof *input);
	pane_input_init(input);
	xmap_set(inputs, pane, input);
	return input;
}

void pane_input_forget(struct map *inputs, uint32_t pane)
{
	struct pane_input *input = map_remove(inputs, pane);
	if (input == NULL)
		return;
	pane_input_finish(input);
	mem_free(input);
}
