/* SPDX-License-Identifier: ISC */
/*
 * muxbus follow: prints a line per notification of a pane; the daemon then does not type it. A
 * notification is acknowledged when it is printed or, with --confirm, when the reader confirms it.
 * --paced prints only as much at once as an agent reads.
 */
#include <poll.h>

#include "base/process.h"
#include "cli/verb.h"
#include "wire/message.h"

enum {
	TAKE_SEC = 3600, /* timeout of a request for notifications; the request is then repeated */
	TAKE_MAX = 32,
	PRINTED_MAX = 64, /* notifications not acknowledged yet */
	ANSWER_MS = 10000, /* timeout of requests that do not wait */
	LINE_MAX_BYTES = 64 * 1024,
	/* For --paced: some agents cut long input, or ignore a program that prints often. */
	BATCH_BYTES = 2800,
	BATCH_MS = 2000,
};

enum step {
	STEP_ON,
	STEP_AGAIN, /* the daemon is gone or not ready: retry */
	STEP_END, /* the reader, pane or server is gone, or an error was printed: see `status` */
};

struct follow {
	struct cli *cli;
	const char *agent; /* --agent, or NULL */
	const char *given; /* --pane, or NULL: our own pane */
	bool is_paced;
	bool is_confirmed; /* a notification is acknowledged when the reader writes its number */
	char pane[CLI_ID_SIZE]; /* "": our own pane */
	struct link *link;
	int server_fd; /* pidfd of the tmux server that has the pane; -1: not known */
	int64_t printed[PRINTED_MAX];
	size_t printed_count;
	int64_t unconfirmed[PRINTED_MAX]; /* the last ones printed and not confirmed */
	size_t unconfirmed_count;
	int64_t number; /* the digits read so far of a number on standard input */
	struct buf held; /* --paced: line of a taken notification that is not printed yet */
	int64_t held_seq;
	int64_t next_ms; /* time of the next batch; monotonic */
	enum cli_status status;
};

static const char *own_target(const struct follow *follow)
{
	return follow->pane[0] != '\0' ? follow->pane : NULL;
}

static void forget_unconfirmed(struct follow *follow, size_t at)
{
	int64_t *place = follow->unconfirmed + at;
	memmove(place, place + 1, (--follow->unconfirmed_count - at) * sizeof *place);
}

/* Acknowledges a notification now, and again with the next request, in case the first is lost. */
static void confirm(struct follow *follow, int64_t seq)
{
	char *params = ask_params(ASK_PARAMS({"seq", .number = seq}));
	for (size_t at = follow->unconfirmed_count; at-- > 0;)
		if (follow->unconfirmed[at] == seq)
			forget_unconfirmed(follow, at);
	if (follow->printed_count < PRINTED_MAX)
		follow->printed[follow->printed_count++] = seq;
	if (follow->link != NULL)
		(void)link_request(follow->link, "ack_notification", params);
	mem_free(params);
}

#define TOO_LONG (INT64_MAX / 100) /* no number of a notification */

static bool read_confirmed(struct follow *follow)
{
	char bytes[512];
	ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
	for (ssize_t at = 0; at < got; at++) {
		bool is_digit = bytes[at] >= '0' && bytes[at] <= '9';
		if (is_digit && follow->number < TOO_LONG / 10) {
			follow->number = follow->number * 10 + (bytes[at] - '0');
		} else if (is_digit) {
			follow->number = TOO_LONG;
		} else {
			if (follow->number > 0 && follow->number < TOO_LONG)
				confirm(follow, follow->number);
			follow->number = 0;
		}
	}
	return got > 0 || (got < 0 && errno == EINTR);
}

/*
 * Waits for input on other_fd or for timeout_ms, and reads confirmations. Returns true if the
 * reader is gone. Also returns true, after a message and with `status` set, if the tmux server has
 * ended.
 */
static bool is_over(struct follow *follow, int timeout_ms, int other_fd)
{
	struct pollfd fds[] = {{.fd = STDOUT_FILENO}, {.fd = other_fd, .events = POLLIN},
	    {.fd = follow->is_confirmed ? STDIN_FILENO : -1, .events = POLLIN},
	    {.fd = follow->server_fd, .events = POLLIN}};
	if (poll(fds, sizeof fds / sizeof *fds, timeout_ms) <= 0)
		return false;
	if (fds[3].revents != 0) {
		follow->status = cli_fail(CLI_NO, "the pane is gone: its tmux server has ended");
		return true;
	}
	return fds[0].revents != 0 || (fds[2].revents != 0 && !read_confirmed(follow));
}

static enum step end(struct follow *follow, enum cli_status status)
{
	follow->status = status;
	return STEP_END;
}

static enum step judge(struct follow *follow, const struct json *error)
{
	const char *kind = json_get_str(json_member(error, "data"), "kind", "");
	static const enum message_error passing[] = {MESSAGE_TMUX_UNAVAILABLE, MESSAGE_TIMEOUT,
	    MESSAGE_LIMIT, MESSAGE_BUSY, MESSAGE_CANCELLED};
	for (size_t at = 0; at < sizeof passing / sizeof *passing; at++)
		if (strcmp(kind, message_error_info(passing[at])->kind) == 0)
			return STEP_AGAIN;
	return end(follow, ask_say_error(error));
}

/*
 * Sends a request, and waits for its answer while the output has a reader. *ret_result is lent;
 * ret_result NULL: accepts errors too.
 */
static enum step ask(struct follow *follow, const char *method, const struct ask_param *params,
    int64_t timeout_ms, const struct json **ret_result)
{
	int64_t deadline = clock_deadline_ms(timeout_ms);
	char *text = ask_params(params);
	uint64_t id = link_request(follow->link, method, text);
	struct link_answer answer;
	enum link_read read = LINK_LATE;
	mem_free(text);
	if (id == 0)
		return STEP_AGAIN;
	while (read == LINK_LATE) {
		int64_t left = clock_left_ms(deadline);
		if (left == 0)
			return STEP_AGAIN;
		if (!link_has_input(follow->link) &&
		    is_over(follow, (int)left, link_fd(follow->link)))
			return STEP_END;
		read = link_await(follow->link, id, 0, &answer);
	}
	if (read != LINK_LINE)
		return read == LINK_SIGNAL ? end(follow, CLI_DONE) : STEP_AGAIN;
	if (ret_result == NULL)
		return STEP_ON;
	*ret_result = answer.result;
	return answer.error != NULL ? judge(follow, answer.error) : STEP_ON;
}

/*
 * Opens server_fd, since a later server may have another pane with our id. It stays -1 if tmux is
 * not found here, as in another PID namespace or on another machine.
 */
static enum step find_server(struct follow *follow)
{
	const struct json *result;
	enum step step;
	pid_t pid;
	char name[64];
	if (follow->server_fd >= 0)
		return STEP_ON;
	step = ask(follow, "status", ASK_PARAMS({0}), ANSWER_MS, &result);
	pid = step == STEP_ON ? (pid_t)json_get_int(json_member(result, "tmux"), "pid", 0) : 0;
	if (pid > 0 && process_read(pid, "comm", name, sizeof name) > 0 &&
	    strncmp(name, "tmux", strlen("tmux")) == 0)
		follow->server_fd = process_open(pid, process_start_ticks(pid));
	return step;
}

static enum step report(struct follow *follow)
{
	const struct json *result;
	if (follow->agent == NULL)
		return STEP_ON;
	return ask(follow, "report_agent",
	    ASK_PARAMS({"pane", .text = own_target(follow)}, {"agent", .text = follow->agent}),
	    ANSWER_MS, &result);
}

static enum step acknowledge(struct follow *follow)
{
	while (follow->printed_count > 0) {
		int64_t seq = follow->printed[follow->printed_count - 1];
		enum step step = ask(follow, "ack_notification", ASK_PARAMS({"seq", .number = seq}),
		    ANSWER_MS, NULL);
		if (step != STEP_ON)
			return step;
		follow->printed_count--;
	}
	return STEP_ON;
}

static void write_note(const struct follow *follow, const struct json *note, struct buf *line)
{
	if (follow->cli->wants_json) {
		(void)json_append(line, note);
	} else {
		const char *notice = json_get_str(note, "notice", "");
		(void)screen_text_line(line, notice, strlen(notice));
	}
	(void)buf_append_byte(line, '\n');
}

static bool print(const struct buf *text)
{
	return fwrite(text->data, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
}

/*
 * Requests notifications, and waits for the first one up to timeout_sec. *ret_note is set with
 * STEP_ON only: it is lent, or NULL.
 */
static enum step request_notes(
    struct follow *follow, int limit, int timeout_sec, const struct json **ret_note)
{
	const struct json *result, *notes;
	enum step step = ask(follow, "take_notifications",
	    ASK_PARAMS({"pane", .text = own_target(follow)}, {"way", .text = "follow"},
		{"limit", .number = limit}, {"timeout_sec", .number = timeout_sec},
		{"keep", .is_true = follow->is_confirmed}),
	    (timeout_sec + 60) * 1000LL, &result);
	if (step != STEP_ON)
		return step;
	/* Follow this pane from now on, even if it moves. */
	(void)snprintf(
	    follow->pane, sizeof follow->pane, "%s", json_get_str(result, "pane", follow->pane));
	notes = json_member(result, "notifications");
	*ret_note = notes != NULL ? notes->child : NULL;
	return STEP_ON;
}

static void keep_seq(struct follow *follow, int64_t seq)
{
	if (!follow->is_confirmed && follow->printed_count < PRINTED_MAX)
		follow->printed[follow->printed_count++] = seq;
	/* Notifications that other programs settle stay in the list, so it can be full. */
	if (follow->unconfirmed_count == PRINTED_MAX)
		forget_unconfirmed(follow, 0);
	if (follow->is_confirmed)
		follow->unconfirmed[follow->unconfirmed_count++] = seq;
}

/* Returns true if a notification is in `unconfirmed`: a new connection repeats it. */
static bool was_printed(const struct follow *follow, int64_t seq)
{
	bool was = false;
	for (size_t at = 0; at < follow->unconfirmed_count; at++)
		was |= follow->unconfirmed[at] == seq;
	return was;
}

static enum step take(struct follow *follow)
{
	const struct json *note;
	enum step step = request_notes(follow, TAKE_MAX, TAKE_SEC, &note);
	for (; step == STEP_ON && note != NULL; note = note->next) {
		int64_t seq = json_get_int(note, "seq", 0);
		struct buf line = BUF(LINE_MAX_BYTES);
		if (was_printed(follow, seq))
			continue;
		write_note(follow, note, &line);
		if (!print(&line))
			step = end(follow, CLI_DONE); /* the daemon types the unacknowledged text */
		else
			keep_seq(follow, seq);
		buf_finish(&line);
	}
	return step;
}

/* Takes a notification and holds its line. The held line is empty if none came. */
static enum step hold(struct follow *follow, int timeout_sec)
{
	const struct json *note;
	enum step step = request_notes(follow, 1, timeout_sec, &note);
	follow->held.len = 0;
	if (step != STEP_ON || note == NULL)
		return step;
	write_note(follow, note, &follow->held);
	follow->held_seq = json_get_int(note, "seq", 0);
	return STEP_ON;
}

static enum step fill(struct follow *follow, struct buf *batch)
{
	enum step step = STEP_ON;
	while (step == STEP_ON && follow->held.len > 0 && follow->printed_count < PRINTED_MAX &&
	    (batch->len == 0 || batch->len + follow->held.len <= BATCH_BYTES)) {
		(void)buf_append(batch, follow->held.data, follow->held.len);
		follow->printed[follow->printed_count++] = follow->held_seq;
		step = hold(follow, 0);
	}
	if (step == STEP_ON && follow->held.len > 0 && !follow->cli->wants_json)
		(void)buf_printf(batch, "[muxbus] more follow\n");
	return step;
}

static enum step take_paced(struct follow *follow)
{
	int64_t left_ms = follow->next_ms - clock_mono_ms();
	enum step step = STEP_ON;
	struct buf batch = BUF(2 * LINE_MAX_BYTES);
	if (left_ms > 0 && is_over(follow, (int)left_ms, -1))
		return STEP_END;
	if (follow->held.len == 0)
		step = hold(follow, TAKE_SEC);
	if (step != STEP_ON || follow->held.len == 0)
		return step;
	step = fill(follow, &batch);
	if (!print(&batch)) {
		follow->printed_count = 0;
		step = end(follow, CLI_DONE);
	}
	buf_finish(&batch);
	follow->next_ms = clock_mono_ms() + BATCH_MS;
	return step;
}

/* Follows a daemon on one connection. Sets *ret_was_there if it answered about notifications. */
static enum step follow_daemon(struct follow *follow, bool *ret_was_there)
{
	char reason[512];
	enum step step;
	*ret_was_there = false;
	switch (ask_open(&follow->link, follow->cli->socket, reason, sizeof reason)) {
	case LINK_OK:
		break;
	case LINK_NO_SOCKET:
	case LINK_DEAD:
	case LINK_FAILED:
		return STEP_AGAIN;
	case LINK_NOT_OURS:
		cli_error("%s", reason);
		return end(follow, CLI_UNREACHABLE);
	}
	step = find_server(follow);
	if (step == STEP_ON)
		step = report(follow);
	follow->held.len = 0; /* the daemon sends the held notification again */
	while (step == STEP_ON) {
		step = acknowledge(follow);
		if (step == STEP_ON)
			step = follow->is_paced ? take_paced(follow) : take(follow);
		*ret_was_there |= step == STEP_ON;
	}
	link_close(follow->link);
	follow->link = NULL;
	return step;
}

static const struct option_row options[] = {
    {"agent", 0, OPTION_TEXT, offsetof(struct follow, agent), NULL},
    {"confirm", 0, OPTION_FLAG, offsetof(struct follow, is_confirmed), NULL},
    {"paced", 0, OPTION_FLAG, offsetof(struct follow, is_paced), NULL},
    {"pane", 0, OPTION_TEXT, offsetof(struct follow, given), NULL},
    {0},
};

enum cli_status follow_run(struct cli *cli, int argc, char **argv)
{
	static struct follow follow = {.server_fd = -1};
	unsigned delay_ms = 0;
	enum cli_status status;
	bool was_there;
	follow.cli = cli;
	buf_init(&follow.held, LINE_MAX_BYTES);
	if (!option_read(cli, argc, argv, options, &follow, NULL, &status))
		return status;
	if (follow.is_confirmed && (follow.is_paced || !cli->wants_json))
		return cli_usage("follow", "--confirm needs --json, and is not paced");
	if (follow.given != NULL && strlen(follow.given) >= sizeof follow.pane)
		return cli_usage("follow", "the name of the pane is too long");
	if (follow.given != NULL)
		strcpy(follow.pane, follow.given);
	else
		(void)locate_own_pane(cli, follow.pane, sizeof follow.pane);
	while (follow_daemon(&follow, &was_there) == STEP_AGAIN) {
		if (!was_there && delay_ms == 0 && isatty(STDERR_FILENO))
			cli_error("waiting for muxbusd at %s", cli->socket);
		if (was_there)
			delay_ms = 0;
		if (is_over(&follow, (int)backoff_next_ms(&delay_ms), -1))
			break;
	}
	buf_finish(&follow.held);
	return follow.status;
}
