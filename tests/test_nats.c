/* SPDX-License-Identifier: ISC */
/*
 * The parts of muxbus-nats without NATS: names in subjects, the cursor in its file, the grant, replies
 * of JetStream, and the link to muxbusd with lines in pieces of any size.
 */
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nats/cursor.h"
#include "nats/grant.h"
#include "nats/js_reply.h"
#include "nats/link.h"
#include "nats/name.h"
#include "tap.h"

static char top[64] = "/tmp/muxbus-test-XXXXXX";

static void test_names(void)
{
	const struct names names = {"f", "h", "s"};
	char long_name[NAME_SIZE + 1], subject[NAME_SUBJECT_SIZE], token[NAME_SIZE];
	memset(long_name, 'x', sizeof long_name);
	long_name[NAME_MAX_BYTES + 1] = '\0';
	ok(!name_is_token(long_name), "a name of 64 bytes is too long");
	long_name[NAME_MAX_BYTES] = '\0';
	ok(name_is_token(long_name), "one of 63 is not");
	for (int byte = 1; byte < 256; byte++) {
		const char text[2] = {(char)byte, '\0'};
		bool is_good = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
		    (byte >= 'a' && byte <= 'z') || byte == '_' || byte == '-';
		name_make_token(token, text);
		if (name_is_token(text) != is_good || !name_is_token(token))
			ok(false, "byte %d in a token", byte);
	}
	ok(!name_is_token(""), "an empty name is no token");
	name_subject(subject, &names, "event", "pane_created");
	is_str(subject, "muxbus.f.h.s.event.pane_created", "a subject with a kind");
	name_subject(subject, &names, "request", NULL);
	is_str(subject, "muxbus.f.h.s.request", "and one without");
	name_of_server(token, "/tmp/tmux-0/default.muxbus");
	is_str(token, "default", "a server is named by its socket");
	name_of_server(token, "/tmp/tmux-0/a.b >c");
	is_str(token, "a-b--c", "as a token");
	name_of_host(token);
	ok(name_is_token(token), "the host is a token");
}

static void test_cursor(void)
{
	char path[96], reason[256], id[CURSOR_ID_SIZE];
	struct cursor *cursor, *other;
	int fd;
	(void)snprintf(path, sizeof path, "%s/cursor", top);
	cursor = cursor_open(path, reason, sizeof reason);
	is_int((long long)cursor_seq(cursor), 0, "a new cursor begins at 0");
	(void)snprintf(id, sizeof id, "%s", cursor_id(cursor));
	cursor_set(cursor, UINT64_C(9007199254740991));
	cursor_set(cursor, 5);
	cursor_keep(cursor);
	other = cursor_open(path, reason, sizeof reason);
	ok(other == NULL && strstr(reason, "another") != NULL, "only one holds the file");
	cursor_close(cursor);
	cursor = cursor_open(path, reason, sizeof reason);
	is_int((long long)cursor_seq(cursor), 9007199254740991, "the largest number is kept");
	is_str(cursor_id(cursor), id, "with the id");
	cursor_renew(cursor);
	ok(cursor_seq(cursor) == 0 && strcmp(cursor_id(cursor), id) != 0, "it can begin again");
	cursor_close(cursor);
	/* Each byte of the file damaged in turn. */
	for (off_t at = 0; at < 47; at++) {
		char byte;
		cursor = cursor_open(path, reason, sizeof reason);
		(void)snprintf(id, sizeof id, "%s", cursor_id(cursor));
		cursor_set(cursor, 1234);
		cursor_close(cursor);
		fd = open(path, O_RDWR);
		if (pread(fd, &byte, 1, at) != 1)
			diag("byte %d cannot be read", (int)at);
		byte ^= 1;
		if (pwrite(fd, &byte, 1, at) != 1)
			diag("byte %d cannot be written", (int)at);
		close(fd);
		cursor = cursor_open(path, reason, sizeof reason);
		if (cursor_seq(cursor) != 0 || strcmp(cursor_id(cursor), id) == 0)
			ok(false, "a file with byte %d damaged begins again", (int)at);
		cursor_close(cursor);
	}
	ok(cursor_open("/nowhere/cursor", reason, sizeof reason) == NULL, "no directory: %s",
	    reason);
}

static enum grant_answer check(const char *allowed, const char *method)
{
	static const char line[] =
	    "{\"get\":{\"effects\":[\"reads\"]},\"type\":{\"effects\":[\"types\"]},"
	    "\"both\":{\"effects\":[\"reads\",\"runs\"]},\"new\":{\"effects\":[\"flies\"]},"
	    "\"none\":{\"effects\":[]},\"odd\":{},\"subscribe\":{\"effects\":[\"reads\"]}}";
	struct json_reader *reader = json_reader_new(sizeof line);
	struct json_error error;
	char reason[256];
	struct grant *grant = grant_new(allowed, reason, sizeof reason);
	enum grant_answer answer;
	grant_learn(grant, json_read(reader, line, sizeof line - 1, &error));
	answer = grant_check(grant, method, reason, sizeof reason);
	grant_free(grant);
	json_reader_free(reader);
	return answer;
}

static void test_grant(void)
{
	static const struct {
		const char *allowed, *method;
		enum grant_answer answer;
	} rows[] = {
	    {"reads", "get", GRANT_ALLOWED},
	    {"reads", "type", GRANT_REFUSED},
	    {"reads", "both", GRANT_REFUSED},
	    {"reads,runs", "both", GRANT_ALLOWED},
	    {"runs", "get", GRANT_REFUSED},
	    {"reads,types,runs,closes,administers", "new", GRANT_REFUSED},
	    {"reads", "none", GRANT_REFUSED},
	    {"reads", "odd", GRANT_UNKNOWN},
	    {"reads", "absent", GRANT_UNKNOWN},
	    {"reads", "", GRANT_UNKNOWN},
	    {"reads", "subscribe", GRANT_REFUSED},
	    {"*", "subscribe", GRANT_REFUSED},
	    {"t*", "type", GRANT_ALLOWED},
	    {"t*", "get", GRANT_REFUSED},
	    {"type", "type", GRANT_ALLOWED},
	    {"", "get", GRANT_REFUSED},
	};
	char reason[256];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_int(check(rows[i].allowed, rows[i].method), rows[i].answer, "--allow \"%s\": %s",
		    rows[i].allowed, rows[i].method);
	ok(grant_new("reads,type text", reason, sizeof reason) == NULL, "a wrong word: %s", reason);
}

static void test_reply(void)
{
	static const char full[] =
	    "{\"error\":{\"code\":503,\"err_code\":10077,\"description\":\"maximum\\u0007\"}}";
	static const char again[] = "{\"stream\":\"MUXBUS\",\"seq\":7,\"duplicate\":true}";
	struct broker_message message = {.payload = full, .len = sizeof full - 1};
	struct js_reply reply;
	js_reply_read(&reply, &message, NULL);
	ok(reply.is_error && reply.err_code == 10077, "an error of JetStream");
	is_str(reply.text, "maximum\\x07", "its text cannot control a terminal");
	message = (struct broker_message){.payload = again, .len = sizeof again - 1};
	js_reply_read(&reply, &message, NULL);
	ok(!reply.is_error && reply.seq == 7 && reply.is_duplicate, "a duplicate");
	message.len = 5;
	js_reply_read(&reply, &message, NULL);
	ok(reply.is_error, "half a reply is an error");
	js_reply_read(&reply, NULL, "no reply");
	is_str(reply.text, "no reply", "so is none");
}

/* The link, and the other side of it. */
static struct event_base *base;
static int daemon_fd = -1;
static int listener;
static unsigned ups, downs, events, answers, losses;
static int64_t last_seq;

static void on_up(void *data)
{
	(void)data;
	ups++;
}

static void on_down(void *data, const char *reason)
{
	(void)data;
	(void)reason;
	downs++;
}

static void on_event(void *data, const struct json *params)
{
	(void)data;
	events += json_int(json_member(params, "seq"), &last_seq);
}

static void on_answer(void *data, const struct json *response)
{
	(void)data;
	if (response == NULL)
		losses++;
	else
		answers += json_member(response, "result") != NULL;
}

static void turn(void)
{
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

static void say(const char *bytes, size_t len)
{
	if (write(daemon_fd, bytes, len) != (ssize_t)len)
		diag("not written");
	turn();
}

static void test_split(struct link *link)
{
	static const char lines[] =
	    "{\"id\":%llu,\"result\":{}}\r\n"
	    "{\"method\":\"event\",\"params\":{\"seq\":41,\"text\":\"\xc3\xa9\\n\"}}\n"
	    "no JSON\n{\"method\":\"progress\",\"params\":{\"seq\":1}}\n{\"id\":\"x\"}\n[]\n\n"
	    "{\"method\":\"event\",\"params\":{\"seq\":42}}\n";
	char text[512];
	unsigned failed = 0;
	for (size_t at = 1; at < sizeof lines - 1; at++) {
		static unsigned long long id;
		int len;
		events = answers = 0;
		ok(link_ask(link, "ping", NULL, on_answer, NULL), "a request %zu", at);
		len = snprintf(text, sizeof text, lines, ++id);
		say(text, at);
		say(text + at, (size_t)len - at);
		failed += events != 2 || answers != 1 || last_seq != 42 || link_pending(link) != 0;
	}
	is_int(failed, 0, "lines in two pieces, wherever they are cut");
}

static void test_link(void)
{
	const struct link_handlers handlers = {on_up, on_down, on_event, NULL};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	static const char line[] = "{\"method\":\"event\",\"params\":{\"seq\":1}}\n";
	struct link *link;
	char bytes[4096];
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", top);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(listener, 5) < 0)
		exit(99);
	base = event_base_new();
	link = link_new(base, address.sun_path, &handlers);
	link_start(link);
	while (ups == 0)
		(void)event_base_loop(base, EVLOOP_ONCE);
	daemon_fd = accept(listener, NULL, NULL);
	test_split(link);
	link_pause(link, true);
	events = 0;
	say(line, sizeof line - 1);
	is_int(events, 0, "a paused link reads nothing");
	link_pause(link, false);
	turn();
	is_int(events, 1, "then it reads on");
	ok(link_ask(link, "ping", NULL, on_answer, NULL), "a request without an answer");
	turn();
	ok(read(daemon_fd, bytes, sizeof bytes) > 0, "is sent");
	close(daemon_fd);
	while (downs == 0)
		(void)event_base_loop(base, EVLOOP_ONCE);
	is_int(losses, 1, "it ends with the link");
	ok(!link_ask(link, "ping", NULL, on_answer, NULL),
	    "no request goes to a link that is down");
	while (ups == 1)
		(void)event_base_loop(base, EVLOOP_ONCE);
	ok(link_is_up(link), "the link connects again");
	link_free(link);
	event_base_free(base);
	close(listener);
}

int main(void)
{
	char command[96];
	if (mkdtemp(top) == NULL)
		return 99;
	test_names();
	test_cursor();
	test_grant();
	test_reply();
	test_link();
	(void)snprintf(command, sizeof command, "rm -r %s", top);
	if (system(command) != 0)
		diag("%s is left", top);
	return done_testing();
}
