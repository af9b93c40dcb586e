/* SPDX-License-Identifier: ISC */
/*
 * muxbus hook: agents call it at events, such as the start and end of sessions and turns. The verb
 * reports the agent's pane, session and state to muxbusd; behind ssh it does so by an escape
 * sequence (a mark). At some events it gives the pane's notifications to the agent. A fault does
 * not disturb the agent: the exit status is then 0 too.
 */
#include <poll.h>

#include "cli/verb.h"
#include "cli/verbs/hook_event.h"
#include "cli/verbs/mark.h"

enum {
	INPUT_MS = 500, /* timeout of standard input */
	ALL_MS = 2000, /* timeout of all requests, from the end of standard input */
	TAKE_MAX = 32,
	TEXT_MAX = 32 * 1024,
};

struct hook {
	struct cli *cli;
	struct link *link;
	struct hook_event event;
	int64_t deadline_ms; /* CLOCK_MONOTONIC */
	char pane[16]; /* our pane, as the daemon found it; "" if none */
};

static void read_input(struct buf *input)
{
	int64_t deadline = clock_deadline_ms(INPUT_MS);
	if (isatty(STDIN_FILENO))
		return;
	while (input->len < HOOK_INPUT_MAX) {
		struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
		int64_t left = clock_left_ms(deadline);
		static char piece[65536];
		ssize_t count;
		if (left == 0 || poll(&fd, 1, (int)left) <= 0)
			return;
		count = read(STDIN_FILENO, piece, sizeof piece);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0 || buf_append(input, piece, (size_t)count) != 0)
			return;
	}
}

static const struct json *ask(struct hook *hook, const char *method, const struct ask_param *params)
{
	struct link_answer answer;
	enum link_read read =
	    ask_read(hook->link, method, params, clock_left_ms(hook->deadline_ms), &answer);
	return read == LINK_LINE ? answer.result : NULL;
}

/* Reports the session, and the state unless NULL. Returns how many notifications wait, or -1. */
static int64_t report(struct hook *hook, const char *state)
{
	char pane[16];
	bool has_pane = locate_own_pane(hook->cli, pane, sizeof pane);
	/* An older muxbusd refuses reply. So reply stands last, and a second try can omit it. */
	struct ask_param params[] = {{"agent", .text = hook->event.agent},
	    {"pane", .text = has_pane ? pane : NULL},
	    {"session", .text = *hook->event.session ? hook->event.session : NULL},
	    {"state", .text = state}, {"reply", .text = hook->event.reply}, {0}};
	const struct json *result = ask(hook, "report_agent", params);
	if (result == NULL && hook->event.reply != NULL) {
		params[4] = (struct ask_param){0};
		result = ask(hook, "report_agent", params);
	}
	if (result == NULL || !json_get_bool(result, "taken", false))
		return -1;
	(void)snprintf(hook->pane, sizeof hook->pane, "%s", json_get_str(result, "pane", ""));
	return json_get_int(result, "queued", 0);
}

static size_t take(struct hook *hook, struct buf *text, int64_t seqs[TAKE_MAX])
{
	const struct json *result = ask(hook, "take_notifications",
	    ASK_PARAMS({"pane", .text = hook->pane}, {"way", .text = "hook"},
		{"limit", .number = TAKE_MAX}));
	size_t count = 0;
	json_each (note, json_member(result, "notifications")) {
		const char *notice = json_get_str(note, "notice", "");
		if (count == TAKE_MAX ||
		    buf_printf(text, "%s%s", count > 0 ? "\n" : "", notice) != 0)
			break; /* unacknowledged notifications are redelivered */
		seqs[count++] = json_get_int(note, "seq", 0);
	}
	return count;
}

static bool hand_over(struct hook *hook)
{
	int64_t seqs[TAKE_MAX];
	struct buf text = BUF(TEXT_MAX), out = BUF(8 * TEXT_MAX);
	bool is_written = false;
	size_t count = take(hook, &text, seqs);
	if (count > 0) {
		hook_event_write(&out, &hook->event, buf_text(&text));
		is_written = fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
	}
	for (size_t at = 0; is_written && at < count; at++)
		(void)ask(hook, "ack_notification", ASK_PARAMS({"seq", .number = seqs[at]}));
	buf_finish(&text);
	buf_finish(&out);
	return is_written;
}

/* Writes a mark if we run behind ssh or in a container: our terminal then leads to a pane. */
static bool write_mark(const struct hook *hook)
{
	struct mark mark = {.token = getenv(MARK_VARIABLE),
	    .agent = hook->event.agent,
	    .session = hook->event.session[0] != '\0' ? hook->event.session : NULL,
	    .state = hook->event.state};
	char pane[16];
	if (mark.token == NULL || mark.token[0] == '\0' ||
	    locate_own_pane(hook->cli, pane, sizeof pane))
		return false;
	return mark_write(&mark);
}

static void talk(struct hook *hook)
{
	/* At the end of a turn, report the state only if the agent got no notification. */
	bool is_end = hook->event.handing == HOOK_BLOCK;
	int64_t queued = report(hook, is_end ? NULL : hook->event.state);

	if (queued < 0)
		return;
	if (queued > 0 && hook->pane[0] != '\0' && hook->event.handing != HOOK_NOTHING &&
	    hand_over(hook))
		return;
	if (is_end)
		(void)report(hook, hook->event.state);
}

/* Ends waits without a deadline: for a connection, a full pipe, or a terminal that is stopped. */
static void give_up(int number UNUSED)
{
	_exit(EXIT_SUCCESS);
}

enum cli_status hook_run(struct cli *cli, int argc, char **argv)
{
	struct hook hook = {.cli = cli};
	const char *words[2] = {NULL, NULL};
	int count = 0;
	char reason[512];
	struct buf input = BUF(HOOK_INPUT_MAX + 65536);
	for (int i = 1; i < argc; i++) {
		if (cli_help("hook", argv[i]))
			return CLI_DONE;
		if (cli_option(cli, argv[i]))
			continue;
		/* Status 2 would block the agent's turn. */
		if (count == 2 || argv[i][0] == '-')
			return cli_fail(CLI_DONE, "hook: unexpected argument \"%s\"", argv[i]);
		words[count++] = argv[i];
	}
	read_input(&input);
	hook_event_read(&hook.event, count == 2 ? words[0] : NULL, count == 2 ? words[1] : words[0],
	    buf_text(&input), input.len);
	buf_finish(&input);
	hook.deadline_ms = clock_mono_ms() + ALL_MS;
	(void)signal(SIGALRM, give_up);
	(void)alarm(ALL_MS / 1000 + 1);
	(void)setenv("MUXBUS_SSH_TIMEOUT", "2", 1); /* ALL_MS in seconds; for --host */
	if (!write_mark(&hook) &&
	    ask_open(&hook.link, cli->socket, reason, sizeof reason) == LINK_OK) {
		talk(&hook);
		link_close(hook.link);
	}
	mem_free(hook.event.reply);
	return CLI_DONE;
}
