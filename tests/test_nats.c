/* SPDX-License-Identifier: ISC */
/*
 * The parts of muxbus-nats without NATS: names in subjects, the cursor in its file, the grant, and
 * replies of JetStream.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nats/broker.h"
#include "nats/feed.h"
#include "nats/name.h"
#include "nats/service.h"
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
	    "\"none\":{\"effects\":[]},\"odd\":{},\"subscribe\":{\"effects\":[\"reads\"]},"
	    "\"narrow\":{\"effects\":[\"reads\"]},"
	    "\"tool\":{\"effects\":[\"reads\"],\"group\":\"mine\"}}";
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
	    {"*", "narrow", GRANT_REFUSED},
	    {"reads,sees,types,runs,closes,speaks_for,writes,administers", "tool", GRANT_REFUSED},
	    {"reads,tool", "tool", GRANT_ALLOWED},
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
	ok(!reply.is_error && reply.seq == 7, "a duplicate is stored, too");
	message.len = 5;
	js_reply_read(&reply, &message, NULL);
	ok(reply.is_error, "half a reply is an error");
	js_reply_read(&reply, NULL, "no reply");
	is_str(reply.text, "no reply", "so is none");
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
	(void)snprintf(command, sizeof command, "rm -r %s", top);
	if (system(command) != 0)
		diag("%s is left", top);
	return done_testing();
}
