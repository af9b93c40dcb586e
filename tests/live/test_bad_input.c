/* SPDX-License-Identifier: ISC */
/*
 * Errors on the socket: JSON, types, names, sizes, peers that leave, stall or come in hundreds.
 * Each mistake gets one error that names the mistake, and the conversation, or at least every
 * other conversation, continues.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { CODE_PARSE = -32700, CODE_REQUEST = -32600, CODE_METHOD = -32601, CODE_PARAMS = -32602 };
enum { PEERS = 300, PEERS_MAX = 256 };

/* Lines, the code of the one error that each gets, and a word that its message holds. */
static const struct {
	const char *line;
	int code;
	const char *word;
} bad_lines[] = {
    {"{", CODE_PARSE, NULL},
    {"}", CODE_PARSE, NULL},
    {"{\"method\":\"ping\"", CODE_PARSE, NULL},
    {"{\"method\":\"ping\"}}", CODE_PARSE, NULL},
    {"{\"method\":\"ping\"} {\"method\":\"ping\"}", CODE_PARSE, NULL},
    {"{'method':'ping'}", CODE_PARSE, NULL},
    {"{\"method\":\"ping\",}", CODE_PARSE, NULL},
    {"{\"method\":\"ping\",\"method\":\"ping\"}", CODE_PARSE, "method"},
    {"{\"method\":\"a\xff\"}", CODE_PARSE, "UTF-8"},
    {"{\"method\":\"a\xc0\xaf\"}", CODE_PARSE, "UTF-8"},
    {"{\"method\":\"a\xed\xa0\x80\"}", CODE_PARSE, "UTF-8"},
    {"{\"method\":\"\\ud800\"}", CODE_PARSE, NULL},
    {"{\"method\":\"\\udc00x\"}", CODE_PARSE, NULL},
    {"{\"method\":\"a\\u0000b\"}", CODE_PARSE, NULL},
    {"{\"method\":\"a\tb\"}", CODE_PARSE, NULL},
    {"\xef\xbb\xbf{\"method\":\"ping\"}", CODE_PARSE, NULL},
    {"{\"id\":7,\"method\":\"ping\",\"params\":{\"n\":01}}", CODE_PARSE, NULL},
    {"nonsense", CODE_PARSE, NULL},
    {"NaN", CODE_PARSE, NULL},
    {"[]", CODE_REQUEST, NULL},
    {"[{\"id\":1,\"method\":\"ping\"}]", CODE_REQUEST, NULL},
    {"1", CODE_REQUEST, NULL},
    {"\"ping\"", CODE_REQUEST, NULL},
    {"null", CODE_REQUEST, NULL},
    {"{}", CODE_REQUEST, NULL},
    {"{\"id\":1}", CODE_REQUEST, NULL},
    {"{\"id\":1,\"method\":3}", CODE_REQUEST, NULL},
    {"{\"id\":{},\"method\":\"ping\"}", CODE_REQUEST, NULL},
    {"{\"id\":[1],\"method\":\"ping\"}", CODE_REQUEST, NULL},
    {"{\"id\":1,\"method\":\"ping\",\"params\":\"x\"}", CODE_REQUEST, NULL},
    {"{\"id\":1,\"jsonrpc\":\"1.0\",\"method\":\"ping\"}", CODE_REQUEST, NULL},
    {"{\"id\":1,\"method\":\"list_pane\"}", CODE_METHOD, "list_panes"},
    {"{\"id\":1,\"method\":\"capture\"}", CODE_METHOD, "capture_pane"},
    {"{\"id\":1,\"method\":\"\"}", CODE_METHOD, NULL},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":3}}", CODE_PARAMS, "pane"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"lines\":\"x\"}}", CODE_PARAMS, "lines"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"lines\":-5}}", CODE_PARAMS, "lines"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"lines\":1e300}}", CODE_PARAMS, "lines"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%0\",\"history\":\"x\"}}",
	CODE_PARAMS, "history"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_ids\":\"%0\"}}", CODE_PARAMS,
	"pane_id"},
    {"{\"id\":1,\"method\":\"send_keys\",\"params\":{\"pane_id\":\"%0\"}}", CODE_PARAMS, "keys"},
    {"{\"id\":1,\"method\":\"find_text\",\"params\":{\"pane\":\"%0\",\"regex\":\"(\"}}",
	CODE_PARAMS, "offset"},
    {"{\"id\":1,\"method\":\"run_tmux\",\"params\":{\"command\":\"ls\"}}", CODE_PARAMS, "command"},
    {"{\"id\":1,\"method\":\"run_tmux\",\"params\":{\"command\":[]}}", CODE_PARAMS, "command"},
    {"{\"id\":1,\"method\":\"unsubscribe\",\"params\":{\"subscription\":\"S99\"}}", 8, "S99"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%999\"}}", 1, "%999"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"nosuch\"}}", 1, "nosuch"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"mai:0.0\"}}", 1, "mai"},
    {"{\"id\":1,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%0; kill-server\"}}", 1,
	NULL},
    {"{\"id\":1,\"method\":\"run_tmux\",\"params\":{\"command\":[\"nosuchcommand\"]}}", 14,
	"nosuchcommand"},
    {"{\"id\":1,\"method\":\"run_tmux\",\"params\":{\"command\":[\"kill-server\"]}}", 14, "force"},
};

static void check_bad_lines(struct talk *talk)
{
	for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
		const struct json *response;
		const char *message, *word;
		bool is_right;
		talk_send(talk, "%s", bad_lines[i].line);
		response = talk_line(talk, LIVE_TIMEOUT_MS);
		message = at_str(response, "error.message");
		word = bad_lines[i].word;
		is_right = at_int(response, "error.code") == bad_lines[i].code && message != NULL &&
		    at_str(response, "error.data.kind") != NULL &&
		    (word == NULL || strstr(talk_text(talk), word) != NULL);

		if (!ok(is_right, "%s: error %d%s%s", bad_lines[i].line, bad_lines[i].code,
			word == NULL ? "" : " with ", word == NULL ? "" : word))
			diag("got: %.400s", response == NULL ? "nothing" : talk_text(talk));
	}
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL, "the conversation continues");
}

static void check_envelopes(struct talk *talk)
{
	const struct json *response, *id;
	talk_send(talk, "{\"method\":\"ping\"}");
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	id = at(response, "id");
	ok(at(response, "result") != NULL && id != NULL && id->type == JSON_NULL,
	    "without an id and without jsonrpc: answered with \"id\":null");
	talk_send(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}");
	talk_send(talk, "{\"id\":\"a \\\"b\\\"\",\"method\":\"ping\"}\r");
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	is_str(at_str(response, "id"), "a \"b\"",
	    "a JSON-RPC notification is not answered; CRLF is taken");
	talk_send(talk, "\n  ");
	talk_send(talk, "{\"id\":1.50,\"method\":\"ping\"}");
	ok(talk_line(talk, LIVE_TIMEOUT_MS) != NULL && strstr(talk_text(talk), "1.50") != NULL,
	    "empty lines are passed over; a number as id comes back as it was written");
	ok(talk_line(talk, 0) == NULL, "no other line is sent");
}

/* Depth and length, at the limit and over it. */
static void check_sizes(struct talk *talk)
{
	struct buf line;
	const struct json *response;
	buf_init(&line, 16 * 1024 * 1024);
	(void)buf_append_str(&line, "{\"id\":1,\"method\":\"ping\",\"params\":");
	for (int i = 0; i < 70; i++)
		(void)buf_append_str(&line, "{\"a\":");
	(void)buf_append_str(&line, "1");
	for (int i = 0; i < 71; i++)
		(void)buf_append_str(&line, "}");
	talk_send_bytes(talk, line.data, line.len);
	talk_send(talk, "%s", "");
	is_int(at_int(talk_line(talk, LIVE_TIMEOUT_MS), "error.code"), CODE_PARSE,
	    "70 levels: refused");

	buf_clear(&line);
	for (int i = 0; i < 100000; i++)
		(void)buf_append_str(&line, "[");
	(void)buf_append_str(&line, "\n");
	talk_send_bytes(talk, line.data, line.len);
	is_int(at_int(talk_line(talk, LIVE_TIMEOUT_MS), "error.code"), CODE_PARSE,
	    "100,000 levels: refused");

	buf_clear(&line);
	for (int i = 0; i < 6 * 1024 * 1024 / 16; i++)
		(void)buf_append_str(&line, "0123456789abcdef");
	(void)buf_append_str(&line, "\n{\"id\":2,\"method\":\"ping\"}\n");
	talk_send_bytes(talk, line.data, line.len);
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	ok(at(response, "error") != NULL && strstr(talk_text(talk), "line") != NULL,
	    "a line of 6 MiB: one error that names the limit");
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	is_int(at_int(response, "id"), 2, "and the next line is read");
	buf_finish(&line);
}

/* A request that cannot be read is answered with its id, so that its peer does not wait. */
static void check_lost_ids(struct talk *talk)
{
	static const char *const lines[] = {
	    "{\"id\":7,\"method\":\"send_text\",\"params\":{\"text\":\"a\\u0000b\"}}",
	    "{\"jsonrpc\":\"2.0\",\"method\":\"tools/"
	    "call\",\"params\":{\"name\":\"\\ud800\"},\"id\":7}",
	    "{\"method\":\"ping\",\"params\":{\"a\":1,\"a\":2},\"id\":7}",
	    "{\"method\":\"ping\",\"id\":7,\"method\":\"ping\"}",
	};
	static const char begin[] = "{\"method\":\"ping\",\"params\":{\"x\":\"",
			  end[] = "\"},\"id\":7}";
	char *big = xalloc(6 * 1024 * 1024);
	const struct json *response;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		talk_send(talk, "%s", lines[i]);
		response = talk_line(talk, LIVE_TIMEOUT_MS);
		ok(at_int(response, "id") == 7 && at_int(response, "error.code") == CODE_PARSE,
		    "the id is answered: %s", lines[i]);
	}
	talk_send(talk, "{\"id\":7,\"id\":7,\"method\":\"ping\"}");
	response = at(talk_line(talk, LIVE_TIMEOUT_MS), "id");
	ok(response != NULL && response->type == JSON_NULL, "one that stands twice is not");
	memset(big, 'x', 6 * 1024 * 1024);
	memcpy(big, begin, strlen(begin));
	memcpy(big + 6 * 1024 * 1024 - strlen(end), end, strlen(end));
	talk_send_bytes(talk, big, 6 * 1024 * 1024);
	talk_send(talk, "%s", "");
	response = talk_line(talk, LIVE_TIMEOUT_MS);
	ok(at_int(response, "id") == 7 && at_int(response, "error.code") == CODE_REQUEST,
	    "so is that at the end of a line over the limit");
	mem_free(big);
}

/* Half-close: every request is answered, then the daemon closes. */
static void check_half_close(struct live *live)
{
	struct talk *talk = talk_new(live);
	int answers = 0;
	for (int i = 0; i < 50; i++)
		talk_send(
		    talk, "{\"id\":%d,\"method\":\"%s\"}", i, i % 2 == 0 ? "ping" : "list_panes");
	talk_half_close(talk);
	while (talk_line(talk, LIVE_TIMEOUT_MS) != NULL)
		answers++;
	is_int(answers, 50, "after a half-close every request is answered");
	ok(talk_at_end(talk), "and then the daemon closes");
	talk_free(talk);

	talk = talk_new(live);
	talk_send_bytes(talk, "{\"id\":1,\"method\":\"ping\"}", 24);
	talk_half_close(talk);
	ok(at(talk_line(talk, LIVE_TIMEOUT_MS), "result") != NULL,
	    "a last line without a newline counts");
	talk_free(talk);

	talk = talk_new(live);
	talk_half_close(talk);
	ok(talk_line(talk, LIVE_TIMEOUT_MS) == NULL && talk_at_end(talk),
	    "a silent peer is disconnected");
	talk_free(talk);
}

/* A request in pieces, and peers that leave in the middle of a request. */
static void check_pieces(struct live *live)
{
	static const char request[] = "{\"id\":5,\"method\":\"list_panes\"}\n";
	struct talk *talk = talk_new(live);
	for (size_t i = 0; i + 1 < sizeof request; i++) {
		talk_send_bytes(talk, request + i, 1);
		live_sleep_ms(1);
	}
	is_int(at_int(talk_line(talk, LIVE_TIMEOUT_MS), "id"), 5, "a request in single bytes");
	talk_free(talk);

	for (int i = 0; i < 50; i++) {
		talk = talk_new(live);
		talk_call(talk, "subscribe", "{\"output\":true}");
		for (int j = 0; j < 20; j++)
			talk_send(talk,
			    "{\"id\":%d,\"method\":\"capture_pane\",\"params\":{\"pane_id\":\"%%"
			    "0\"}}",
			    j);
		talk_free(talk); /* without reading */
	}
	talk = talk_new(live);
	ok(at(talk_call(talk, "ping", NULL), "result") != NULL,
	    "peers that leave with 1,000 requests open");
	talk_free(talk);
}

/*
 * More peers than the limit: each further peer gets an error with the reason, and room comes back.
 */
static void check_many_peers(struct live *live)
{
	static struct talk *talks[PEERS];
	int served = 0;
	int told = 0;
	struct talk *talk;
	for (int i = 0; i < PEERS; i++) {
		talks[i] = talk_new(live);
		if (talks[i] != NULL)
			talk_send(talks[i], "{\"id\":1,\"method\":\"ping\"}");
	}
	for (int i = 0; i < PEERS; i++) {
		const struct json *line =
		    talks[i] == NULL ? NULL : talk_line(talks[i], LIVE_TIMEOUT_MS);
		served += at(line, "result") != NULL;
		told += at_str(line, "error.message") != NULL;
	}
	is_int(served, PEERS_MAX, "%d peers: the limit decides how many are served", PEERS);
	is_int(told, PEERS - PEERS_MAX, "each of the others gets an error with the reason");
	for (int i = 0; i < PEERS; i++)
		talk_free(talks[i]);
	talk = NULL;
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;) {
		talk = talk_new(live);
		if (at(talk_call(talk, "ping", NULL), "result") != NULL)
			break;
		talk_free(talk);
		talk = NULL;
	}
	ok(talk != NULL, "when they are gone there is room again");
	talk_free(talk);
}

/* The connection of another user is closed unread. */
static void check_other_user(struct live *live)
{
	struct stat st;
	int status = 0;
	pid_t pid;
	ok(stat(live->socket, &st) == 0 && (st.st_mode & 0777) == 0600,
	    "the socket's mode is 0600");
	if (getuid() != 0) {
		skip("another user's connection: needs root");
		return;
	}
	(void)chmod(live->dir, 0755);
	(void)chmod(live->socket, 0666);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		char byte;
		struct talk *talk;
		if (setgid(65534) == -1 || setuid(65534) == -1)
			_exit(2);
		talk = talk_new(live);
		if (talk == NULL)
			_exit(0);
		(void)send(talk_fd(talk), "{\"id\":1,\"method\":\"ping\"}\n", 25, MSG_NOSIGNAL);
		_exit(recv(talk_fd(talk), &byte, 1, 0) <= 0 ? 0 : 1);
	}
	(void)waitpid(pid, &status, 0);
	is_int(WEXITSTATUS(status), 0, "another user is disconnected unread");
	(void)chmod(live->socket, 0600);
	(void)chmod(live->dir, 0700);
}

/* Captures for a peer that has left may still be as many as the daemon makes at once. */
static void wait_for_room(struct talk *talk)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	while (live_now_ms() < end_ms &&
	    at(talk_call(talk, "capture_pane", "{\"pane_id\":\"%%0\"}"), "result") == NULL)
		continue;
}

/* Requests to panes that close while the answer is made. */
static void check_dying_panes(struct live *live, struct talk *talk)
{
	int odd = 0;
	wait_for_room(talk);
	for (int i = 0; i < 30; i++) {
		char *pane =
		    xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' 'sleep 0.0%d'", i));
		for (int j = 0; j < 5; j++) {
			const struct json *response =
			    talk_call(talk, "capture_pane", "{\"pane_id\":\"%s\"}", pane);
			const char *kind = at_str(response, "error.data.kind");
			if (at(response, "result") == NULL &&
			    (kind == NULL ||
				(strcmp(kind, "no_such_pane") != 0 && strcmp(kind, "gone") != 0))) {
				diag("%s", talk_text(talk));
				odd++;
			}
		}
		mem_free(pane);
	}
	is_int(odd, 0, "panes that close meanwhile: a capture, no_such_pane or gone");
}

int main(void)
{
	struct rlimit files = {1024, 1024};
	struct live *live;
	struct talk *talk;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)live_daemon_path();
	live = live_new(NULL);
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, "-o peers=256");
	talk = talk_new(live);
	check_bad_lines(talk);
	check_envelopes(talk);
	check_sizes(talk);
	check_lost_ids(talk);
	check_half_close(live);
	check_pieces(live);
	check_dying_panes(live, talk);
	check_other_user(live);
	talk_free(talk);
	check_many_peers(live);
	live_free(live);
	return done_testing();
}
