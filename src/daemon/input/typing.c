/* SPDX-License-Identifier: ISC */
#include "daemon/input/typing.h"

#include "daemon/input/keys.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/prompt.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/pane_input.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux_command.h"

/* tmux needs more than twice the time for twice the bytes of `send-keys -H` above 256 bytes. */
#define HEX_PIECE_BYTES 64
#define LITERAL_PIECE_BYTES 4096
/* A byte of input needs at most 40: a command that types it alone. */
#define COMMANDS_MAX_BYTES (40 * TYPING_BYTES_MAX)

#define HELD "muxbus-held "
#define TYPED "muxbus-typed"
#define GIVEN_UP "late"
#define GONE " 01" /* ends a complete line HELD if there is no pane */

void typing_init(struct typing *typing, uint32_t pane, bool leaves_mode)
{
	*typing = (struct typing){.pane = pane, .leaves_mode = leaves_mode};
	buf_init(&typing->commands, COMMANDS_MAX_BYTES);
	buf_init(&typing->keys, COMMANDS_MAX_BYTES);
}

void typing_finish(struct typing *typing)
{
	buf_finish(&typing->commands);
	if (typing->keys.len > 0)
		explicit_bzero(typing->keys.data, typing->keys.len); /* may be a secret */
	buf_finish(&typing->keys);
}

static enum echo_reader find_reader(const struct muxbus_pane *pane)
{
	struct foreground front;
	struct pane_tty tty;
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (!tty.is_known || !tty.is_cooked)
		return ECHO_BY_EDITOR;
	if (!tty.has_echo)
		return ECHO_LATER;
	foreground_read(pane->pid, &front);
	return front.is_known && front.reads == AGENT_READS_YES ? ECHO_BY_TERMINAL : ECHO_BY_BOTH;
}

void typing_note(
    const struct typing *typing, struct stream_set *streams, const struct muxbus_pane *pane)
{
	struct pane_input *input = pane != NULL ? stream_input(streams, pane->id) : NULL;
	if (input != NULL)
		pane_input_type(input, typing->keys.data, typing->keys.len, typing->is_bracketed,
		    find_reader(pane));
}

static void put_quoted(struct buf *out, const void *bytes, size_t len)
{
	ssize_t used = -1;
	if (buf_append_byte(out, ' ') == 0 && buf_reserve(out, MUXBUS_QUOTED_MAX(len)) == 0)
		used = muxbus_quote((char *)out->data + out->len, bytes, len);
	if (used > 0)
		out->len += (size_t)used;
}

static void begin(struct typing *typing)
{
	if (typing->commands.len > 0)
		buf_append_str(&typing->commands, " ; ");
}

void typing_key(struct typing *typing, const char *name)
{
	uint8_t key;
	begin(typing);
	buf_printf(&typing->commands, "send-keys -t %%%u --", typing->pane);
	put_quoted(&typing->commands, name, strlen(name));
	key = keys_byte(name);
	(void)buf_append(&typing->keys, &key, 1);
}

/* Home goes to the begin of a row, and then to the row above. */
void typing_retract(struct typing *typing, size_t count, unsigned columns)
{
	/* for the pane's input (pane_input): clears the line */
	static const uint8_t kill_line = 0x15;
	uint32_t pane = typing->pane;
	size_t rows = PROMPT_ROWS + 2 * count / (columns > 0 ? columns : 1);
	begin(typing);
	buf_printf(&typing->commands,
	    "send-keys -t %%%u -N %zu Home ; send-keys -t %%%u -N %zu DC ; "
	    "send-keys -t %%%u -N %zu End",
	    pane, rows, pane, count, pane, rows);
	(void)buf_append(&typing->keys, &kill_line, 1);
}

static bool is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

static void type_plain(struct typing *typing, const uint8_t *bytes, size_t len)
{
	begin(typing);
	buf_printf(&typing->commands, "send-keys -t %%%u -l --", typing->pane);
	put_quoted(&typing->commands, bytes, len);
}

static void type_hex(struct typing *typing, const uint8_t *bytes, size_t len)
{
	begin(typing);
	buf_printf(&typing->commands, "send-keys -t %%%u -H", typing->pane);
	for (size_t i = 0; i < len; i++)
		buf_printf(&typing->commands, " %02x", bytes[i]);
}

void typing_bytes(struct typing *typing, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	(void)buf_append(&typing->keys, data, len);
	while (len > 0) {
		bool plain = is_plain(bytes[0]);
		size_t max = plain ? LITERAL_PIECE_BYTES : HEX_PIECE_BYTES;
		size_t run = 1;
		while (run < len && run < max && is_plain(bytes[run]) == plain)
			run++;
		if (plain)
			type_plain(typing, bytes, run);
		else
			type_hex(typing, bytes, run);
		bytes += run;
		len -= run;
	}
}

/*
 * Appends a comparison of processes. If the pane is synchronized, all synchronized panes of the
 * window that have a program are compared: tmux sends the keys to most of them too. A pane without
 * a program has no pid in tmux 3.8; in older versions it has 0, or the pid of its last program.
 */
static void put_processes(const struct role_only *only, struct buf *out, const char *behind)
{
	(void)buf_printf(out,
	    "#{pane_pid}#{?pane_synchronized,#{P:#{?#{&&:#{pane_synchronized},"
	    "#{&&:#{pane_pid},#{?pane_dead,0,1}}},#{?#{m/r:^(%d",
	    (int)only->pids[0]);
	for (size_t at = 1; at < only->count; at++)
		(void)buf_printf(out, "|%d", (int)only->pids[at]);
	(void)buf_printf(out, ")$,#{pane_pid}},,x},}},},%s%d", behind, (int)only->pids[0]);
}

/* Appends the condition for typing. It is false too if tmux gives up expanding the format. */
static void put_guard(const struct typing *typing, struct buf *out)
{
	const char *zeros = typing->leaves_mode ? "00" : "000";
	/* The numbers are joined and compared at once: all zeros only if each number is 0. */
	(void)buf_printf(out, "#{&&:#{==:%s#{pane_input_off}#{pane_dead}",
	    typing->leaves_mode ? "" : "#{pane_in_mode}");
	if (typing->only.count > 0)
		put_processes(&typing->only, out, zeros);
	else /* tmux 3.8 has no pid for a dead pane */
		(void)buf_printf(out, "#{?pane_pid,1,0},%s1", zeros);
	if (typing->condition != NULL)
		(void)buf_printf(out, "},#{&&:%s," MUXBUS_FORMAT_WHOLE "}}", typing->condition);
	else
		(void)buf_append_str(out, "}," MUXBUS_FORMAT_WHOLE "}");
}

/*
 * Appends the command for the case that tmux does not type; typing_check() reads its report. If the
 * condition is true now, tmux had given up expanding the format before.
 */
static void put_otherwise(
    const struct typing *typing, const struct buf *guard, const char *otherwise, struct buf *out)
{
	struct buf held = BUF(COMMANDS_MAX_BYTES);
	(void)buf_printf(&held,
	    "display-message -p -t %%%u '" HELD
	    "%s #{pane_input_off} #{pane_dead} #{?pane_pid,1,0} ",
	    typing->pane, typing->leaves_mode ? "0" : "#{pane_in_mode}");
	if (typing->only.count > 0 && typing->condition != NULL) {
		(void)buf_append_str(&held, "#{!=:");
		put_processes(&typing->only, &held, "");
		(void)buf_append_byte(&held, '}');
	} else { /* typing_check() looks at the other reasons first */
		(void)buf_append_byte(&held, typing->only.count > 0 ? '1' : '0');
	}
	(void)buf_append_str(&held, " #{pane_mode} #{?pane_id,,0}" MUXBUS_FORMAT_WHOLE "'");
	(void)buf_printf(out, "if-shell -F -t %%%u", typing->pane);
	put_quoted(out, guard->data, guard->len);
	(void)buf_append_str(
	    out, " '" TMUX_LIST_COMMANDS " -F \"" HELD GIVEN_UP "\" " TMUX_LIST_ONE "'");
	put_quoted(out, held.data, held.len);
	buf_finish(&held);
	if (otherwise != NULL)
		(void)buf_printf(out, " ; %s", otherwise);
}

void typing_add(const struct typing *typing, struct muxbus_command *command, const char *otherwise)
{
	uint32_t pane = typing->pane;
	struct buf guard = BUF(COMMANDS_MAX_BYTES), text = BUF(COMMANDS_MAX_BYTES);
	muxbus_command_args(command, "if-shell", "-F", "-t", TMUX_ID('%', pane), NULL);
	put_guard(typing, &guard);
	muxbus_command_arg(command, guard.data, guard.len);
	if (typing->leaves_mode)
		buf_printf(&text, "copy-mode -q -t %%%u ; ", pane);
	buf_append(&text, typing->commands.data, typing->commands.len);
	buf_append_str(&text, " ; " TMUX_LIST_COMMANDS " -F " TYPED " " TMUX_LIST_ONE);
	muxbus_command_arg(command, text.data, text.len);
	buf_clear(&text);
	put_otherwise(typing, &guard, otherwise, &text);
	muxbus_command_arg(command, text.data, text.len);
	buf_finish(&text);
	buf_finish(&guard);
	muxbus_command_next(command);
}

static const char *find_line(const struct muxbus_reply *reply, const char *words)
{
	const char *line = (const char *)reply->body;
	while (line != NULL && *line) {
		if (strncmp(line, words, strlen(words)) == 0)
			return line + strlen(words);
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	return NULL;
}

bool typing_was_held(const struct muxbus_reply *reply)
{
	return find_line(reply, HELD) != NULL;
}

int typing_error(int error, const struct muxbus_reply *replies, size_t count)
{
	return error == MUXBUS_ERR_COMMAND && count > 0 &&
		find_line(&replies[count - 1], TYPED) != NULL
	    ? 0
	    : error;
}

bool typing_fail_gone(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed)
{
	const char *held = find_line(reply, HELD), *words = find_line(reply, "can't find pane: %");
	const char *end = held != NULL ? held + strcspn(held, "\n") - strlen(GONE) : NULL;
	char data[64];
	if ((end == NULL || strncmp(end, GONE, strlen(GONE)) != 0) &&
	    (words == NULL || strtoul(words, NULL, 10) != pane))
		return false;
	snprintf(data, sizeof data, "\"typed\":\"%s\"", typed);
	request_fail_data(
	    request, MESSAGE_GONE, data, "pane %%%u was closed meanwhile; typed: %s", pane, typed);
	return true;
}

bool typing_check(
    struct request *request, uint32_t pane, const struct muxbus_reply *reply, const char *typed)
{
	const char *held = find_line(reply, HELD);
	unsigned in_mode = 0, input_off = 0, dead = 0, has_program = 0, others = 0;
	bool is_given_up; /* tmux gave up expanding the condition or this report */
	const char *reason = "its program does not ask for that just now";
	char mode[32] = "", what[160];
	struct json_writer writer;
	struct buf data;
	if (held == NULL)
		return true;
	if (typing_fail_gone(request, pane, reply, typed))
		return false;
	is_given_up = sscanf(held, "%u %u %u %u %u %31[a-z-]", &in_mode, &input_off, &dead,
			  &has_program, &others, mode) < 5;
	others = others && !dead && has_program && !input_off && !in_mode;
	if (others && request_role(request) != ROLE_FULL) {
		snprintf(what, sizeof what,
		    "pane %%%u has another program now, or panes of others get its keys too; "
		    "typed: %s",
		    pane, typed);
		return role_refuse(request, what);
	}
	if (is_given_up)
		reason = "tmux gave up looking whether it may be typed, as when it is stopped for "
			 "100 ms; ask again";
	else if (others)
		reason = "it has another program since it was looked at, or other panes get its "
			 "keys too; ask again";
	else if (dead || !has_program)
		reason = "its program has ended";
	else if (input_off)
		reason = "its input is switched off (select-pane -e switches it on)";
	else if (in_mode)
		reason = "it is in a mode, where keys do not reach its program; \"force\": true "
			 "ends the mode first";
	json_start(&writer, &data, 512);
	json_put_id(&writer, "pane", '%', pane);
	json_put_str(&writer, "mode", mode[0] ? mode : NULL);
	json_put_bool(&writer, "input_off", input_off != 0);
	json_put_bool(&writer, "dead", !is_given_up && (dead != 0 || !has_program));
	json_put_str(&writer, "typed", typed);
	request_fail_data(request, MESSAGE_NOT_READY, (const char *)data.data,
	    "pane %%%u takes no input: %s; typed: %s", pane, reason, typed);
	buf_finish(&data);
	return false;
}

enum { PIECE_BYTES = 64 * 1024 };

static void add_buffer(
    const struct paste *paste, struct muxbus_command *command, const uint8_t *text, size_t len)
{
	for (size_t at = 0; at < len; at += PIECE_BYTES) {
		size_t piece = len - at < PIECE_BYTES ? len - at : PIECE_BYTES;
		muxbus_command_args(command, "set-buffer", (char *)NULL);
		if (at > 0)
			muxbus_command_args(command, "-a", (char *)NULL);
		muxbus_command_args(command, "-b", paste->buffer, "--", (char *)NULL);
		muxbus_command_arg(command, text + at, piece);
		muxbus_command_next(command);
	}
}

void paste_add(struct paste *paste, struct tmux *tmux, struct muxbus_command *command,
    struct typing *typing, const void *text, size_t len, bool is_bracketed)
{
	static unsigned number;
	bool has_vis = (tmux_caps(tmux) & MUXBUS_CAP_PASTE_VIS) != 0;
	char line[256];
	snprintf(paste->buffer, sizeof paste->buffer, "muxbus-%d-%u", (int)getpid(), ++number);
	snprintf(paste->otherwise, sizeof paste->otherwise, "delete-buffer -b %s", paste->buffer);
	add_buffer(paste, command, text, len);
	snprintf(line, sizeof line, "paste-buffer -d -r %s %s -b %s -t %%%u",
	    is_bracketed ? "-p" : "", has_vis ? "-S" : "", paste->buffer, typing->pane);
	begin(typing);
	buf_append_str(&typing->commands, line); /* has no foreign bytes */
	(void)buf_append(&typing->keys, text, len);
	typing->is_bracketed = is_bracketed;
}

void paste_remove(const struct paste *paste, struct tmux *tmux)
{
	if (paste->buffer[0] != '\0' && tmux_is_live(tmux))
		tmux_tell(tmux, tmux_command("delete-buffer", "-b", paste->buffer, NULL));
}
