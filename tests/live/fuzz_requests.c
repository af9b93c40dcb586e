/* SPDX-License-Identifier: ISC */
/*
 * Random requests of several peers, made from what describe says: values of all types and sizes,
 * keys that are used again, spoiled lines, MCP, and connections that end anywhere. First the lines
 * that once broke the law, and each method that takes a key, twice. The law: one answer for each
 * id, valid JSON, the daemon lives, and nothing is typed that was not asked for, or twice.
 *
 * Each round has a seed of its own, which a failure names (fuzzing.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "fuzz/fuzzing.h"
#include "harness.h"
#include "wire/line.h"
#include "wire/message.h"

enum {
	LINE_LIMIT = 65536, /* line_bytes of the daemon */
	OUT_MAX = 4 * 1024 * 1024,
	LINES_MAX = 48, /* of a peer in a round */
	PEERS = 3,
	KEYS = 6,
	ANSWER_MS = 30000,
	FUZZ_SEC = 8,
};

/* The daemon, and what the requests are made of. */
static struct {
	struct live *live;
	char target[16]; /* the pane that may be typed into */
	struct json_reader *described, *reader;
	const struct json *methods; /* of describe */
	char id[64]; /* of the last result that had one */
	struct fuzzing chance;
	uint64_t seed; /* of this round */
	unsigned faults;
	uint64_t lines, answers;
} fuzz;

/* A line that was sent, and its answer. */
struct line {
	char *id; /* as JSON; "null" */
	bool may_wait; /* for longer than the test */
	bool is_answered;
};

struct peer {
	int fd; /* -1: it is gone */
	struct buf out, in;
	size_t sent, cut; /* where it leaves; SIZE_MAX: nowhere */
	size_t step; /* bytes at a time */
	struct line lines[LINES_MAX + 2];
	size_t count;
	bool is_mcp;
};

/* Chance. */

static uint32_t rnd(size_t below)
{
	return fuzzing_below(&fuzz.chance, (uint32_t)below);
}

static bool one_in(unsigned count)
{
	return rnd(count) == 0;
}

static void fault(const char *what, const char *text)
{
	fuzz.faults++;
	diag("MUXBUS_SEED=%" PRIu64 ": %s: %.1500s", fuzz.seed, what, text);
}

/* Values. */

#define ANY(array) array[rnd(sizeof array / sizeof array[0])]

/* As JSON. The last ones are wrong in a string. */
static const char *const texts[] = {"\"\"", "\"x\"", "\"%999\"", "\"nosuch\"", "\"@1\"", "\"$0\"",
    "\"A1B2\"", "\"\\u001b]0;t\\u0007\"", "\"\xe2\x80\xae\\n\"", "\"../..\"", "\"/nowhere/x\"",
    "\"a\\tb\"", "\"main:9.9\"", "\"-1\"", "\"\xf0\x9f\x98\x80\"", "\"\\\"\"", "\"#{pane_id}\"",
    "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00x\"", "\"\xff\""};
static const char *const others[] = {"null", "true", "false", "0", "-1", "1", "0.5", "1e400", "1e3",
    "9007199254740993", "18446744073709551616", "[]", "{}", "[[1]]", "[null]", "{\"x\":{}}",
    "{\"a\":1,\"a\":2}", "[\"x\",1]", "-0", "1.0"};
static const char *const commands[] = {
    "\"true\"", "\"exit 3\"", "\"echo x\"", "\"sleep 0.02\"", "\"exec sleep 60\""};
static const char *const tmux_commands[] = {"[\"display-message\",\"-p\",\"x\"]",
    "[\"list-panes\",\"-a\"]", "[\"nosuch\"]", "[\"set\",\"-g\",\"@x\",\"y\"]",
    "[\"ls\",\";\",\"ls\"]", "[\"kill-server\"]", "[]"};

static void put_long(struct buf *out)
{
	size_t len = (size_t)1 << rnd(15);
	(void)buf_append_byte(out, '"');
	for (size_t i = 0; i < len; i++)
		(void)buf_append_byte(out, (uint8_t) "ab \xc3\xa9"[i % 2]);
	(void)buf_append_byte(out, '"');
}

static void put_odd(struct buf *out)
{
	if (one_in(12))
		put_long(out);
	else
		(void)buf_append_str(out, one_in(2) ? ANY(texts) : ANY(others));
}

static void put_value(
    struct buf *out, const struct json *property, const char *method, unsigned depth);

static void put_object(
    struct buf *out, const struct json *schema, const char *method, unsigned depth)
{
	const struct json *required = json_member(schema, "required");
	const struct json *property = at(schema, "properties");
	const char *comma = "";
	(void)buf_append_byte(out, '{');
	for (property = property != NULL ? property->child : NULL; property != NULL;
	     property = property->next) {
		bool is_required = false;
		const char *name = property->name;
		for (const struct json *one = required != NULL ? required->child : NULL;
		     one != NULL; one = one->next)
			is_required |= strcmp(one->text, name) == 0;
		/* Without a bound the answer may take longer than the test. */
		is_required |= strstr(name, "timeout_sec") != NULL || strcmp(name, "pane") == 0 ||
		    strcmp(name, "grace_sec") == 0;
		if (one_in(40) ? is_required : !is_required && !one_in(3))
			continue;
		(void)buf_printf(out, "%s\"%s\":", comma, name);
		put_value(out, property, method, depth);
		comma = ",";
	}
	if (one_in(30))
		(void)buf_printf(out, "%s\"unknown\":1", comma);
	(void)buf_append_byte(out, '}');
}

static void put_number(struct buf *out, const struct json *property, const char *type)
{
	int64_t low = at_int(property, "minimum"), high = at_int(property, "maximum");
	if (low == INT64_MIN)
		low = 0;
	if (high == INT64_MIN || high > low + 100)
		high = low + 100;
	if (one_in(6))
		low = high = one_in(2) ? low - 1 : at_int(property, "maximum");
	(void)buf_printf(out, "%" PRId64 "%s", low + (int64_t)rnd((uint64_t)(high - low) + 1),
	    strcmp(type, "number") == 0 && one_in(2) ? ".5" : "");
}

/* Values that the name of a parameter asks for; false: any will do. */
static bool put_named(struct buf *out, const char *name, const char *method)
{
	bool is_close = strncmp(method, "close_", 6) == 0;
	if (strstr(name, "timeout_sec") != NULL || strcmp(name, "grace_sec") == 0)
		(void)buf_append_str(out, one_in(2) ? "0.05" : "0.2");
	else if (strcmp(name, "key") == 0)
		(void)buf_printf(out, "\"k%d\"", (int)rnd(KEYS));
	else if (strcmp(name, "command") == 0 && strcmp(method, "run_tmux") == 0)
		(void)buf_append_str(out, ANY(tmux_commands));
	else if (strcmp(name, "command") == 0)
		(void)buf_append_str(out, ANY(commands));
	else if (strcmp(name, "pane") == 0 && !one_in(8))
		(void)buf_printf(out, "\"%s\"", fuzz.target);
	else if (strcmp(name, "session") == 0 && !one_in(4))
		(void)buf_append_str(out, is_close ? "\"spare\"" : "\"main\"");
	else if (strcmp(name, "window") == 0)
		(void)buf_append_str(out, one_in(2) ? "\"spare:0\"" : "\"@99\"");
	else if ((strstr(name, "id") != NULL || strcmp(name, "job") == 0 ||
		     strcmp(name, "timer") == 0) &&
	    one_in(2))
		(void)buf_printf(out, "\"%s\"", fuzz.id);
	else if (strcmp(name, "cwd") == 0)
		(void)buf_append_str(out, one_in(3) ? "\"/nowhere\"" : "\"/\"");
	else if (strcmp(name, "pid") == 0) /* not of this test, nor of the daemon */
		(void)buf_append_str(out, "999999999");
	else
		return false;
	return true;
}

static void put_items(
    struct buf *out, const struct json *property, const char *method, unsigned depth)
{
	const struct json *items = json_member(property, "items"), *one = at(items, "oneOf");
	uint64_t count = rnd(4);
	(void)buf_append_byte(out, '[');
	for (uint64_t i = 0; i < count; i++) {
		const struct json *schema = one != NULL ? one->child : items;
		for (uint64_t skip = one != NULL ? rnd(one->count) : 0; skip > 0; skip--)
			schema = schema->next;
		(void)buf_append_str(out, i > 0 ? "," : "");
		put_value(out, schema, method, depth + 1);
	}
	(void)buf_append_byte(out, ']');
}

static void put_value(
    struct buf *out, const struct json *property, const char *method, unsigned depth)
{
	const char *type = at_str(property, "type");
	const char *name = property != NULL && property->name != NULL ? property->name : "";
	const struct json *choices = at(property, "enum");
	if (depth > 3 || one_in(25) || type == NULL) {
		put_odd(out);
	} else if (put_named(out, name, method)) {
		return;
	} else if (choices != NULL) {
		const struct json *choice = choices->child;
		for (uint64_t skip = rnd(choices->count); skip > 0; skip--)
			choice = choice->next;
		(void)buf_printf(out, "\"%s\"", choice->text);
	} else if (strcmp(type, "object") == 0) {
		put_object(out, property, method, depth + 1);
	} else if (strcmp(type, "array") == 0) {
		put_items(out, property, method, depth);
	} else if (strcmp(type, "boolean") == 0) {
		(void)buf_append_str(out, one_in(2) ? "true" : "false");
	} else if (strcmp(type, "string") == 0) {
		(void)buf_append_str(out, ANY(texts));
	} else {
		put_number(out, property, type);
	}
}

/* Lines. */

/* The id that stands in a line which is not valid, as far as it is certain. */
static const struct json *lost_id(const char *line, size_t len)
{
	struct lost_id lost = {0};
	lost_id_add(&lost, line, len);
	return message_lost_id(fuzz.reader, &lost);
}

/* The id that a line is answered with, as JSON; NULL if it gets no answer. The caller frees. */
static char *expected_id(const char *line, size_t len)
{
	struct json_error error;
	struct json_writer writer;
	struct message message = {0};
	char reason[256];
	struct buf id;
	const struct json *value =
	    len <= LINE_LIMIT ? json_read(fuzz.reader, line, len, &error) : NULL;
	if (value != NULL)
		(void)message_read(value, &message, reason, sizeof reason);
	else
		message.id = lost_id(line, len);
	if (message.is_response || message.is_notification)
		return NULL;
	buf_init(&id, MESSAGE_ID_BYTES);
	json_writer_init(&writer, &id);
	message_write_id(&writer, message.id);
	return (char *)buf_steal(&id, NULL);
}

static bool is_blank(const char *line, size_t len)
{
	return strspn(line, " \t\r") >= len;
}

/* Appends a line, without its newline, to what a peer sends. own_id: if that is sure, NULL: not. */
static void add_line(
    struct peer *peer, const char *line, size_t len, const char *own_id, bool may_wait)
{
	char *id = is_blank(line, len) ? NULL : expected_id(line, len);
	(void)buf_append(&peer->out, line, len);
	(void)buf_append_byte(&peer->out, '\n');
	fuzz.lines++;
	if (own_id != NULL && (id == NULL || strcmp(id, own_id) != 0))
		fault("the id is not found", line);
	if (id != NULL)
		peer->lines[peer->count++] = (struct line){.id = id, .may_wait = may_wait};
}

/* Changes bytes of a line, which stays one. */
static void spoil(struct buf *line)
{
	if (buf_reserve(line, 256) < 0)
		return;
	line->len = fuzzing_mutate(&fuzz.chance, line->data, line->len, line->len + 255);
	for (size_t at = 0; at < line->len; at++)
		if (line->data[at] == '\n' || line->data[at] == '\0')
			line->data[at] = ' ';
	line->data[line->len] = '\0';
}

static const struct json *any_method(void)
{
	const struct json *row;
	do {
		row = fuzz.methods->child;
		for (uint64_t skip = rnd(fuzz.methods->count); skip > 0; skip--)
			row = row->next;
	} while (strcmp(row->name, "shutdown") == 0);
	return row;
}

/* A request for a method with an id of its own, native or of MCP. */
static void add_request(
    struct peer *peer, const struct json *row, const char *params, bool is_spoiled)
{
	static unsigned last;
	char id[32];
	struct buf line;
	buf_init(&line, OUT_MAX);
	(void)snprintf(id, sizeof id, one_in(2) ? "%u" : "\"i%u\"", ++last);
	if (peer->is_mcp)
		(void)buf_printf(&line,
		    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":"
		    "\"%s\",\"arguments\":%s}}",
		    id, row->name, params);
	else
		(void)buf_printf(
		    &line, "{\"id\":%s,\"method\":\"%s\",\"params\":%s}", id, row->name, params);
	if (is_spoiled)
		spoil(&line);
	add_line(peer, (const char *)line.data, line.len, is_spoiled ? NULL : id,
	    is_spoiled || !strstr(params, "timeout_sec\":0."));
	buf_finish(&line);
}

static void add_random(struct peer *peer)
{
	const struct json *row = any_method();
	struct buf params;
	buf_init(&params, OUT_MAX);
	put_object(&params, json_member(row, "params"), row->name, 0);
	for (uint64_t times = one_in(4) ? 2 : 1; times > 0 && peer->count < LINES_MAX; times--)
		add_request(peer, row, (const char *)params.data, one_in(9));
	buf_finish(&params);
}

/* A text that must be typed at most once, though it is asked for again. */
static void add_typing(struct peer *peer)
{
	static const struct json row = {.name = "send_text"};
	char params[160];
	uint64_t number = rnd(1000000);
	snprintf(params, sizeof params,
	    "{\"pane\":\"%s\",\"text\":\"<%" PRIu64 "-%" PRIu64 ">\",\"key\":\"%" PRIu64 "-%" PRIu64
	    "\"}",
	    fuzz.target, fuzz.seed, number, fuzz.seed, number);
	for (uint64_t times = 1 + rnd(3); times > 0 && peer->count < LINES_MAX; times--)
		add_request(peer, &row, params, false);
}

/* A line over the limit, or a blank one, or one that gets no answer. */
static void add_other(struct peer *peer)
{
	static const char *const lines[] = {"", "  ", "[]", "1", "{}", "{\"id\":1}", "null",
	    "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", "{\"id\":7,\"result\":{}}",
	    "{\"id\":[],\"method\":\"ping\"}", "{\"id\":{\"a\":1},\"method\":\"ping\"}",
	    "{\"id\":null,\"method\":\"nosuch\"}", "\xff\xfe", "{\"id\":1,\"id\":2}"};
	const char *line = ANY(lines);
	struct buf big;
	if (!one_in(4)) {
		add_line(peer, line, strlen(line), NULL, false);
		return;
	}
	buf_init(&big, OUT_MAX);
	(void)buf_append_str(&big, "{\"id\":\"big\",\"method\":\"ping\",\"params\":{\"x\":\"");
	for (uint64_t len = LINE_LIMIT - 50 + rnd(100); big.len < len;)
		(void)buf_append_byte(&big, 'y');
	(void)buf_append_str(&big, "\"}}");
	add_line(peer, (const char *)big.data, big.len, "\"big\"", false);
	buf_finish(&big);
}

/* Peers. */

static void peer_open(struct peer *peer)
{
	struct talk *talk = talk_new(fuzz.live);
	if (talk == NULL)
		live_bail(
		    "seed %" PRIu64 ": no connection: %s", fuzz.seed, live_daemon_log(fuzz.live));
	*peer = (struct peer){.fd = dup(talk_fd(talk)), .cut = SIZE_MAX, .step = SIZE_MAX};
	talk_free(talk);
	(void)fcntl(peer->fd, F_SETFL, O_NONBLOCK);
	buf_init(&peer->out, OUT_MAX);
	buf_init(&peer->in, 4 * OUT_MAX);
}

static void peer_close(struct peer *peer)
{
	if (peer->fd >= 0)
		(void)close(peer->fd);
	peer->fd = -1;
}

static void peer_finish(struct peer *peer)
{
	peer_close(peer);
	for (size_t i = 0; i < peer->count; i++)
		mem_free(peer->lines[i].id);
	buf_finish(&peer->out);
	buf_finish(&peer->in);
}

/* The line that an answer is for. */
static struct line *find_line(struct peer *peer, const char *id)
{
	for (size_t i = 0; i < peer->count; i++)
		if (!peer->lines[i].is_answered && strcmp(peer->lines[i].id, id) == 0)
			return &peer->lines[i];
	return NULL;
}

static void take_answer(struct peer *peer, const char *text, size_t len)
{
	struct json_error error;
	struct json_writer writer;
	const struct json *value = json_read(fuzz.reader, text, len, &error), *id;
	struct line *line;
	struct buf written;
	if (value == NULL || value->type != JSON_OBJECT) {
		fault("no JSON object came", value == NULL ? error.text : text);
		return;
	}
	if (json_member(value, "method") != NULL)
		return; /* an event */
	fuzz.answers++;
	if ((json_member(value, "result") != NULL) == (json_member(value, "error") != NULL))
		fault("neither a result nor an error", text);
	if (at_str(value, "result.id") != NULL && strlen(at_str(value, "result.id")) < 60)
		strcpy(fuzz.id, at_str(value, "result.id"));
	id = json_member(value, "id");
	buf_init(&written, MESSAGE_ID_BYTES);
	json_writer_init(&writer, &written);
	message_write_id(&writer, id);
	line = find_line(peer, (const char *)written.data);
	if (line == NULL)
		fault("an answer that is not due", text);
	else
		line->is_answered = true;
	buf_finish(&written);
}

static void take_lines(struct peer *peer)
{
	size_t begin = 0;
	for (size_t at = 0; at < peer->in.len; at++) {
		if (peer->in.data[at] != '\n')
			continue;
		peer->in.data[at] = '\0';
		take_answer(peer, (const char *)peer->in.data + begin, at - begin);
		begin = at + 1;
	}
	memmove(peer->in.data, peer->in.data + begin, peer->in.len - begin);
	peer->in.len -= begin;
}

static void peer_read(struct peer *peer)
{
	char bytes[65536];
	ssize_t got = read(peer->fd, bytes, sizeof bytes);
	if (got > 0) {
		(void)buf_append(&peer->in, bytes, (size_t)got);
		take_lines(peer);
	} else if (got == 0 || errno != EAGAIN) {
		fault("the daemon has closed", live_daemon_log(fuzz.live));
		peer_close(peer);
	}
}

static void peer_write(struct peer *peer)
{
	size_t end = peer->out.len < peer->cut ? peer->out.len : peer->cut;
	size_t len = end - peer->sent < peer->step ? end - peer->sent : peer->step;
	ssize_t put = send(peer->fd, peer->out.data + peer->sent, len, MSG_NOSIGNAL);
	if (put > 0)
		peer->sent += (size_t)put;
	if (peer->sent == peer->cut)
		peer_close(peer); /* without reading the rest */
}

/* Whether there is no answer that is still due at once. */
static bool is_settled(const struct peer *peer)
{
	if (peer->fd < 0)
		return true;
	if (peer->sent < peer->out.len)
		return false;
	for (size_t i = 0; i < peer->count; i++)
		if (!peer->lines[i].is_answered && !peer->lines[i].may_wait)
			return false;
	return true;
}

/* Lets the peers talk until all are settled. */
static void converse(struct peer *peers, size_t count)
{
	int64_t end_ms = live_now_ms() + ANSWER_MS;
	bool is_open = true;
	while (is_open && live_now_ms() < end_ms) {
		struct pollfd polled[PEERS];
		is_open = false;
		for (size_t i = 0; i < count; i++) {
			struct peer *peer = &peers[i];
			polled[i] = (struct pollfd){.fd = peer->fd, .events = POLLIN};
			if (peer->sent < peer->out.len)
				polled[i].events |= POLLOUT;
			is_open |= !is_settled(peer);
		}
		if (!is_open || poll(polled, count, 100) <= 0)
			continue;
		for (size_t i = 0; i < count; i++) {
			if (peers[i].fd >= 0 && polled[i].revents & POLLOUT)
				peer_write(&peers[i]);
			if (peers[i].fd >= 0 && polled[i].revents & (POLLIN | POLLHUP))
				peer_read(&peers[i]);
		}
	}
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; peers[i].fd >= 0 && at < peers[i].count; at++)
			if (!peers[i].lines[at].is_answered && !peers[i].lines[at].may_wait)
				fault("never answered", peers[i].lines[at].id);
}

/* Rounds. */

static size_t typed_size(void)
{
	struct stat st;
	char path[80];
	snprintf(path, sizeof path, "%s/victim", fuzz.live->dir);
	return stat(path, &st) == 0 ? (size_t)st.st_size : 1;
}

/* Texts that stand twice in what was typed. */
static void check_typed(void)
{
	const char *out = live_run(fuzz.live, "grep -ao '<[0-9]*-[0-9]*>' typed | sort | uniq -d");
	if (out[0] != '\0')
		fault("typed twice", out);
	if (typed_size() != 0)
		fault("typed into a pane that was not named", "");
}

/* A pane for the requests; what they made is closed. */
static void begin_round(void)
{
	(void)live_tmux(fuzz.live, "kill-window -a -t main:");
	(void)live_tmux(fuzz.live, "new-session -d -s spare cat");
	snprintf(fuzz.target, sizeof fuzz.target, "%s",
	    live_tmux(fuzz.live,
		"new-window -d -P -F '#{pane_id}' -t main: 'stty raw -echo; exec cat >>%s/typed'",
		fuzz.live->dir));
}

static void meet_mcp(struct peer *peer)
{
	static const char hello[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":{"
	    "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"f\","
	    "\"version\":\"1\"}}}";
	peer->is_mcp = true;
	add_line(peer, hello, sizeof hello - 1, NULL, false);
}

static void run_round(void)
{
	struct peer peers[PEERS];
	size_t count = 1 + rnd(PEERS);
	for (size_t i = 0; i < count; i++) {
		struct peer *peer = &peers[i];
		uint64_t lines = 4 + rnd(LINES_MAX - 8);
		peer_open(peer);
		if (one_in(4))
			meet_mcp(peer);
		while (peer->count < lines && peer->out.len < OUT_MAX / 2)
			if (one_in(10))
				add_other(peer);
			else if (one_in(10))
				add_typing(peer);
			else
				add_random(peer);
		if (one_in(3))
			peer->step = 1 + rnd(300);
		if (one_in(4))
			peer->cut = rnd(peer->out.len);
	}
	converse(peers, count);
	for (size_t i = 0; i < count; i++)
		peer_finish(&peers[i]);
}

/* Whether the daemon answers, and nothing was typed in vain. */
static void end_round(void)
{
	struct talk *talk = talk_new(fuzz.live);
	if (talk == NULL || at(talk_call(talk, "ping", NULL), "result") == NULL)
		fault("the daemon is gone", live_daemon_log(fuzz.live));
	talk_free(talk);
	check_typed();
}

/* The corpus. */

/* Lines that broke the law, twice in a stream of one peer, beside those of another one. */
static const char *const corpus[] = {
    "{\"id\":7,\"method\":\"respond\",\"params\":{\"agent\":\"x\",\"text\":\"1\",\"key\":\"K\"}}",
    "{\"id\":7,\"method\":\"wait_for\",\"params\":{\"any\":[{\"sec\":9}],\"wait\":\"w\",\"key\":"
    "\"K\","
    "\"timeout_sec\":0.05}}",
    "{\"id\":7,\"method\":\"wait_for\",\"params\":{\"any\":[{\"notification\":\"Z9Z9\"}]}}",
    "{\"id\":7,\"method\":\"ping\",\"params\":{\"x\":\"\\u0000\"}}",
    "{\"method\":\"ping\",\"params\":{\"x\":\"\\ud800\"},\"id\":7}",
    "{\"id\":7,\"method\":\"ping\",\"method\":\"ping\"}",
};

static void test_corpus(void)
{
	for (size_t at = 0; at < sizeof corpus / sizeof *corpus; at++) {
		struct peer peers[2];
		for (size_t i = 0; i < 2; i++) {
			peer_open(&peers[i]);
			for (size_t times = 0; times < LINES_MAX; times++)
				add_line(&peers[i], corpus[at], strlen(corpus[at]), "7", false);
		}
		converse(peers, 2);
		peer_finish(&peers[0]);
		peer_finish(&peers[1]);
	}
	is_int(fuzz.faults, 0, "each line of the corpus is answered once");
}

/* The parameters of an example, with a key, and a bound for what waits. */
static void put_keyed(struct buf *out, const struct json *row, const char *key)
{
	const struct json *example = json_member(row, "example");
	const char *comma = "";
	struct json_writer writer;
	(void)buf_append_byte(out, '{');
	for (const struct json *member = example != NULL ? example->child : NULL; member != NULL;
	     member = member->next) {
		if (strstr(member->name, "timeout_sec") != NULL)
			continue;
		(void)buf_printf(out, "%s\"%s\":", comma, member->name);
		comma = ",";
		json_writer_init(&writer, out);
		if (strcmp(member->name, "pane") == 0)
			json_put_str(&writer, NULL, fuzz.target);
		else
			json_put_value(&writer, NULL, member);
	}
	if (at(row, "params.properties.timeout_sec") != NULL)
		(void)buf_printf(out, "%s\"timeout_sec\":0.05", comma);
	(void)buf_printf(out, "%s\"key\":\"%s\"}", out->data[out->len - 1] == '{' ? "" : ",", key);
}

/* Each method with a key, asked twice: on one connection, and on two. */
static void test_twice(void)
{
	unsigned count = 0;
	for (const struct json *row = fuzz.methods->child; row != NULL; row = row->next) {
		struct peer peers[2];
		struct buf line;
		if (at(row, "params.properties.key") == NULL || strcmp(row->name, "shutdown") == 0)
			continue;
		buf_init(&line, OUT_MAX);
		for (size_t i = 0; i < 2; i++) {
			peer_open(&peers[i]);
			for (int times = 0; times < 3; times++) {
				buf_clear(&line);
				(void)buf_printf(&line,
				    "{\"id\":%d,\"method\":\"%s\",\"params\":", times, row->name);
				put_keyed(&line, row, row->name);
				(void)buf_append_byte(&line, '}');
				add_line(&peers[i], (const char *)line.data, line.len, NULL, false);
			}
		}
		converse(peers, 2);
		peer_finish(&peers[0]);
		peer_finish(&peers[1]);
		buf_finish(&line);
		count++;
	}
	is_int(fuzz.faults, 0, "each of %u methods with a key, asked six times, answers six times",
	    count);
}

int main(void)
{
	static const char setup[] = "-o line_bytes=65536 -o waits=64";
	struct talk *talk;
	struct json_error error;
	char *text;
	(void)live_daemon_path();
	fuzz.live = live_new(NULL);
	live_start_tmux(fuzz.live, "stty raw -echo; exec cat >>victim");
	live_start_daemon(fuzz.live, setup);
	fuzz.reader = json_reader_new(16 * 1024 * 1024);
	fuzz.described = json_reader_new(16 * 1024 * 1024);
	strcpy(fuzz.id, "A1B2");
	talk = talk_new(fuzz.live);
	(void)talk_call(talk, "describe", NULL);
	text = xstrdup(talk_text(talk));
	fuzz.methods = at(json_read(fuzz.described, text, strlen(text), &error), "result.methods");
	talk_free(talk);
	fuzzing_init(&fuzz.chance, FUZZ_SEC);
	begin_round();
	test_corpus();
	test_twice();
	while (fuzz.faults == 0 && fuzzing_goes_on(&fuzz.chance)) {
		fuzz.seed = fuzz.chance.state = fuzz.chance.seed + fuzz.chance.rounds - 1;
		begin_round();
		run_round();
		end_round();
	}
	is_int(fuzz.faults, 0,
	    "%" PRIu64 " rounds, %" PRIu64 " lines, %" PRIu64 " answers: the law holds",
	    fuzz.chance.rounds, fuzz.lines, fuzz.answers);
	if (!is_int(live_stop_daemon(fuzz.live, SIGTERM), 0, "the daemon ends well"))
		diag("%s", live_daemon_log(fuzz.live));
	json_reader_free(fuzz.reader);
	json_reader_free(fuzz.described);
	mem_free(text);
	live_free(fuzz.live);
	return done_testing();
}
