/* SPDX-License-Identifier: ISC */
/* Hosts: their links and calls, with a scripted far side (tests/fake_relay) in place of ssh. */
#include "daemon/fleet/host.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "io/loop_timer.h"
#include "tap.h"
#include "wire/json.h"

enum { WAIT_MS = 20000, TEXT_MAX = 512 };

static struct event_base *base;
static char folder[64];
static int states, lines, removed;
static char event_text[192];

static void on_state(void *data, struct host *host)
{
	(void)data;
	(void)host;
	states++;
}

static void on_line(void *data, struct host *host, const struct json *message)
{
	const struct json *method = json_member(message, "method");
	(void)data;
	lines++;
	(void)snprintf(event_text, sizeof event_text, "%s %s", host->label, method->text);
}

static void on_removed(void *data, struct host *host)
{
	(void)data;
	(void)host;
	removed++;
}

static const struct host_handlers handlers = {
    .state = on_state, .line = on_line, .removed = on_removed};

static struct host_set *new_set(int64_t connect_ms, int64_t answer_ms)
{
	states = lines = removed = 0;
	return host_set_new(&(struct host_set_parts){
	    .base = base, .handlers = &handlers, .connect_ms = connect_ms, .answer_ms = answer_ms});
}

static struct host *add(struct host_set *set, const char *name, const char *habits)
{
	return host_add(set, &(struct host_spec){.name = name, .server = "default", .ssh = habits});
}

/* A call and its outcome. */
struct outcome {
	int done;
	char text[TEXT_MAX]; /* "from method", or "kind: message" */
	size_t filler;
};

static void on_done(void *data, const struct json *message)
{
	struct outcome *outcome = data;
	const struct json *error = json_member(message, "error");
	const struct json *result = json_member(message, "result");
	outcome->done++;
	if (error != NULL)
		(void)snprintf(outcome->text, sizeof outcome->text, "%s: %s",
		    json_member(json_member(error, "data"), "kind")->text,
		    json_member(error, "message")->text);
	else
		(void)snprintf(outcome->text, sizeof outcome->text, "%s %s",
		    json_member(result, "from")->text, json_member(result, "method")->text);
	if (json_member(result, "filler") != NULL)
		outcome->filler = json_member(result, "filler")->len;
}

static struct host_call *call(struct host *host, struct outcome *outcome, const char *method,
    unsigned flags, int64_t deadline_ms)
{
	*outcome = (struct outcome){0};
	return host_call(host,
	    &(struct host_order){.method = method,
		.params = "{\"a\":1}",
		.flags = flags,
		.deadline_ms = deadline_ms,
		.done = on_done,
		.data = outcome});
}

static void turn(void)
{
	struct timeval tick = {0, 5000};
	(void)event_base_loopexit(base, &tick);
	(void)event_base_loop(base, EVLOOP_ONCE);
}

static bool run_until(const int *flag, int want)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (*flag < want && clock_mono_ms() < end_ms)
		turn();
	return *flag >= want;
}

static bool run_to(const struct host *host, enum host_state want)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (host->state != want && clock_mono_ms() < end_ms)
		turn();
	return host->state == want;
}

/* Runs until the host has tried and is down. */
static bool run_to_reason(const struct host *host)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while ((host->state != HOST_DOWN || strcmp(host->reason, "not connected yet") == 0) &&
	    clock_mono_ms() < end_ms)
		turn();
	return host->state == HOST_DOWN;
}

/* Returns how many lines in the log of a name contain a text. */
static int count_in_log(const char *name, const char *text)
{
	char path[128], line[1024];
	int count = 0;
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		count += strstr(line, text) != NULL;
	if (file != NULL)
		(void)fclose(file);
	return count;
}

static void check_calls(const char *habits, const char *label)
{
	struct host_set *set = new_set(0, 0);
	struct host *host = add(set, "far", habits);
	struct outcome first, second, third;
	(void)call(host, &first, "ping", 0, 0); /* before the link is up */
	ok(run_until(&first.done, 1), "%s: a call waits for the link", label);
	is_str(first.text, "fake ping", "%s: and is answered", label);
	is_str(host->version, "1.2", "%s: the version comes from the hello", label);
	is_int(host->state, HOST_UP, "%s: the host is up", label);
	(void)call(host, &second, "one", 0, 0);
	(void)call(host, &third, "two", 0, 0);
	ok(run_until(&third.done, 1) && second.done == 1, "%s: calls are pipelined", label);
	is_str(second.text, "fake one", "%s: the first answer belongs to the first call", label);
	is_str(third.text, "fake two", "%s: the second to the second", label);
	host_call_cancel(call(host, &second, "three", 0, 0));
	(void)call(host, &third, "four", 0, 0);
	ok(run_until(&third.done, 1) && second.done == 0, "%s: a cancelled call has no answer",
	    label);
	host_set_free(set);
}

static void check_events(void)
{
	struct host_set *set = new_set(0, 0);
	struct host *host = add(set, "far", "events");
	struct outcome outcome;
	(void)call(host, &outcome, "ping", 0, 0);
	ok(run_until(&outcome.done, 1), "an answer behind an event is taken");
	is_int(lines, 1, "the event is handed out");
	is_str(event_text, "far event", "with its host");
	host_set_free(set);
}

/* A result that is no object. */
static void check_malformed(void)
{
	struct host_set *set = new_set(0, 400);
	struct host *host = add(set, "odd", "name=odd,result=[[1]]");
	struct outcome outcome;
	(void)call(host, &outcome, "ping", 0, 0);
	ok(run_until(&outcome.done, 1), "an answer without a result that can be read is one");
	is_str(outcome.text, "internal: odd answered ping with neither a result nor an error",
	    "it is an error");
	(void)call(host, &outcome, "ping", HOST_CALL_WAITS, 0);
	ok(run_until(&outcome.done, 1), "of a wait too");
	is_int(host->state, HOST_UP, "the link goes on");
	host_set_free(set);
}

static void check_large(void)
{
	struct host_set *set = new_set(0, 0);
	struct host *host = add(set, "far", "big=4096");
	struct host *huge = add(set, "huge", "name=huge,big=13000");
	struct outcome outcome;
	(void)call(host, &outcome, "ping", 0, 0);
	ok(run_until(&outcome.done, 1), "a message of 4 MiB is read");
	is_int((long long)outcome.filler, 4096 * 1024, "whole");
	(void)call(huge, &outcome, "ping", 0, 0);
	ok(run_until(&outcome.done, 1), "a longer line than 12 MiB ends the link");
	is_str(outcome.text,
	    "gone: the connection to huge was cut (a message of it is longer than 12 MiB); the "
	    "effect of ping is unknown",
	    "the call fails with the reason");
	host_set_free(set);
}

/* Checks a fault in the first link's second answer. answer_ms: delay if the link stays; or 0. */
static void check_cut(const char *fault, const char *reason, int64_t answer_ms)
{
	struct host_set *set = new_set(0, answer_ms);
	struct outcome outcome[4];
	char habits[128];
	struct host *host;
	(void)snprintf(habits, sizeof habits, "name=%s,once,%s=2", fault, fault);
	host = add(set, "far", habits);
	(void)call(host, &outcome[0], "zero", 0, 0);
	ok(run_until(&outcome[0].done, 1), "%s: the first answer is whole", fault);
	(void)call(host, &outcome[1], "write", 0, 0);
	(void)call(host, &outcome[2], "read", HOST_CALL_READS, 0);
	(void)call(host, &outcome[3], "keyed", HOST_CALL_KEYED, 0);
	ok(run_until(&outcome[1].done, 1), "%s: a call that writes fails", fault);
	ok(strstr(outcome[1].text, "gone: the connection to far was cut") != NULL &&
		strstr(outcome[1].text, reason) != NULL,
	    "%s: with the reason: %s", fault, outcome[1].text);
	ok(run_until(&outcome[2].done, 1) && run_until(&outcome[3].done, 1),
	    "%s: calls that read or have a key are asked again", fault);
	is_int(outcome[2].done + outcome[3].done, 2, "%s: and answered once", fault);
	is_int(host->state, HOST_UP, "%s: the link is up again", fault);
	host_set_free(set);
	is_int(count_in_log(fault, "\"write\""), 1, "%s: the write was sent once", fault);
	is_int(count_in_log(fault, "start"), 2, "%s: there were two links", fault);
}

/* Calls that are made while a link ends, once a turn, wait for the next link. */
static void check_ending(void)
{
	enum { COUNT = 1000 };
	static struct outcome outcomes[COUNT];
	struct host_set *set = new_set(0, 0);
	struct host *host = add(set, "far", "name=deaf,once,deaf=2");
	struct outcome first;
	int count = 0, right = 0;
	(void)call(host, &first, "zero", 0, 0);
	ok(run_until(&first.done, 1), "a link that is to end");
	for (; count < COUNT && host->state == HOST_UP; count++) {
		(void)call(host, &outcomes[count], "read",
		    HOST_CALL_READS | (count % 2 ? HOST_CALL_URGENT : 0), 0);
		host_tell(host, "told", 0, WAIT_MS, "{}");
		turn();
	}
	ok(count > 1 && count < COUNT, "calls are made until its end is known: %d", count);
	for (int at = 0; at < count; at++)
		right +=
		    run_until(&outcomes[at].done, 1) && strcmp(outcomes[at].text, "deaf read") == 0;
	is_int(right, count, "the next link answers all");
	is_int(count_in_log("deaf", "told"), 0, "and does not get what may not be sent twice");
	for (int at = 0; at < count; at++)
		if (strcmp(outcomes[at].text, "deaf read") != 0)
			diag("call %d: %s", at, outcomes[at].text);
	host_set_free(set);
}

/* After a cut and a failed attempt: the effect of requests that were sent is unknown. */
static void check_away(void)
{
	struct host_set *set = new_set(0, 0);
	struct host *host = add(set, "far", "name=away,once,end=2,away=2");
	struct outcome first, keyed, read, again;
	(void)call(host, &first, "zero", 0, 0);
	ok(run_until(&first.done, 1), "a link that is to be cut");
	(void)call(host, &keyed, "keyed", HOST_CALL_KEYED | HOST_CALL_URGENT, 0);
	(void)call(host, &read, "read", HOST_CALL_READS | HOST_CALL_URGENT, 0);
	(void)call(host, &again, "again", HOST_CALL_KEYED, 0);
	ok(run_until(&keyed.done, 1) && run_until(&read.done, 1), "urgent calls fail");
	is_str(keyed.text,
	    "gone: the connection to far was cut, and far cannot be reached (ssh: No route to "
	    "host); the effect of keyed is unknown",
	    "one that writes may be done");
	is_str(read.text, "not_ready: far cannot be reached: ssh: No route to host",
	    "one that reads has no effect");
	ok(run_until(&again.done, 1), "the next attempt succeeds");
	is_str(again.text, "away again", "and a call that is not urgent waited for it");
	host_set_free(set);
}

static void check_silent(void)
{
	struct host_set *set = new_set(400, 0);
	struct host *silent = add(set, "silent", "hello=none");
	ok(run_to_reason(silent), "a far side without a hello is given up");
	is_str(silent->reason, "no hello within 0.4 s", "after a time");
	host_set_free(set);
}

static void check_unreachable(void)
{
	struct host_set *set = new_set(0, 0);
	struct host *refused = add(set, "refused", "refuse=connect to host b port 22: refused");
	struct host *other = add(set, "other", "hello=other");
	struct host *closed = add(set, "closed", "hello=nologin");
	struct host *local = host_add(set,
	    &(struct host_spec){
		.name = "local", .server = "work", .socket = "/nonexistent/work.muxbus"});
	struct outcome outcome;
	ok(run_to_reason(refused), "ssh that fails");
	is_str(refused->reason, "ssh: connect to host b port 22: refused", "says why");
	ok(run_to_reason(closed), "a login shell that refuses");
	is_str(closed->reason,
	    "ssh has ended: exit status 1, and said \"This account is currently not available.\": "
	    "the login shell must run commands on hello=nologin",
	    "has said why");
	ok(run_to_reason(other), "another protocol is refused");
	ok(strncmp(other->reason, "muxbus 9.9 on other and muxbus ", 31) == 0,
	    "with both versions: %s", other->reason);
	ok(run_to_reason(local), "a socket that is not there");
	is_str(local->reason, "No such file or directory", "says so");
	(void)call(refused, &outcome, "ping", HOST_CALL_URGENT, 0);
	ok(run_until(&outcome.done, 1), "an urgent call fails with the next attempt");
	is_str(outcome.text,
	    "not_ready: refused cannot be reached: ssh: connect to host b port 22: refused",
	    "with the reason");
	(void)call(refused, &outcome, "ping", 0, 50);
	ok(run_until(&outcome.done, 1), "another one at its deadline");
	is_str(outcome.text, "timeout: refused was not reached in time", "as timeout");
	(void)call(refused, &outcome, "ping", 0, 0);
	host_remove(refused);
	is_int(outcome.done + removed, 2, "calls of a host that is removed end");
	is_str(outcome.text, "gone: refused: it is in the list of hosts no more", "as gone");
	host_set_free(set);
}

/* A daemon of this machine that closes, and one whose message is too long. */
static void check_local(void)
{
	static char filler[64 * 1024];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct host_set *set = new_set(0, 0);
	struct host *host;
	int fd, peer;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s/local", folder);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 5) < 0)
		diag("cannot listen");
	host = host_add(set,
	    &(struct host_spec){.name = "local", .server = "work", .socket = address.sun_path});
	ok(run_to(host, HOST_UP), "a daemon of this machine is up at once");
	(void)close(accept(fd, NULL, NULL));
	ok(run_to_reason(host), "it closes");
	is_str(host->reason, "the daemon has closed it", "and the host says so");
	ok(run_to(host, HOST_UP), "it is connected again");
	peer = accept(fd, NULL, NULL);
	memset(filler, 'x', sizeof filler);
	while (host->state == HOST_UP) {
		(void)!send(peer, filler, sizeof filler, MSG_DONTWAIT | MSG_NOSIGNAL);
		turn();
	}
	is_str(host->reason, "a message of it is longer than 12 MiB", "until it floods");
	host_set_free(set);
	(void)close(peer);
	(void)close(fd);
	(void)unlink(address.sun_path);
}

/* A listener of another user gets no connection that lasts, and no byte. */
static void check_others(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct host_set *set;
	struct outcome outcome;
	struct host *host;
	char byte;
	int fd, peer;
	if (geteuid() != 0) {
		skip("only root can be another user");
		return;
	}
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s/theirs", folder);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || seteuid(12345) < 0 ||
	    listen(fd, 5) < 0 || seteuid(0) < 0)
		diag("cannot listen as another user");
	set = new_set(0, 0);
	host = host_add(set,
	    &(struct host_spec){.name = "local", .server = "work", .socket = address.sun_path});
	(void)call(host, &outcome, "send_text", HOST_CALL_URGENT, 0);
	ok(run_until(&outcome.done, 1), "the socket of another user");
	is_str(outcome.text, "not_ready: local cannot be reached: another user listens there",
	    "is no host");
	peer = accept(fd, NULL, NULL);
	is_int(read(peer, &byte, 1), 0, "and nothing is written there");
	host_set_free(set);
	(void)close(peer);
	(void)close(fd);
	(void)unlink(address.sun_path);
}

static void check_slow(void)
{
	struct host_set *set = new_set(0, 5000);
	struct host *host = add(set, "slow", "name=slow,delay=400");
	struct outcome first, second;
	ok(run_to(host, HOST_UP), "the slow host is up");
	(void)call(host, &first, "list", HOST_CALL_READS, 100);
	ok(run_until(&first.done, 1), "a call ends at its deadline");
	is_str(first.text, "timeout: slow did not answer list in time", "as timeout");
	ok(host_is_unreachable(host), "the host is out of reach then");
	is_str(host->reason, "it does not answer", "with a reason");
	(void)call(host, &second, "ping", 0, 0);
	ok(run_until(&second.done, 1), "the link goes on");
	is_str(second.text, "slow ping", "and late answers are passed over");
	ok(!host_is_unreachable(host) && *host->reason == '\0', "an answer ends that");
	is_int(count_in_log("slow", "start"), 1, "on the same link");
	host_set_free(set);
}

static void check_names(void)
{
	struct host_set *set = new_set(0, 0);
	struct host *b = host_add(set, &(struct host_spec){.name = "b", .server = "work"});
	struct host *a = host_add(set, &(struct host_spec){.name = "a", .server = "default"});
	struct host *other;
	ok(host_set_find(set, "b", NULL) == b, "the only server of a name needs no name");
	is_str(b->label, "b", "and has no label");
	other = host_add(set, &(struct host_spec){.name = "b", .server = "play"});
	ok(host_set_find(set, "b", NULL) == NULL, "two servers: the name is ambiguous");
	is_str(b->label, "b/work", "labels name the server");
	ok(host_set_find(set, "b", "play") == other, "a server is found by its name");
	ok(host_set_next(set, NULL) == a && host_set_next(set, a) == other &&
		host_set_next(set, other) == b && host_set_next(set, b) == NULL,
	    "hosts are sorted");
	host_remove(other);
	is_str(b->label, "b", "the label is short again");
	is_int((long long)host_set_count(set), 2, "two hosts are left");
	host_set_free(set);
}

int main(void)
{
	static const char *const logs[] = {
	    "fake", "away", "deaf", "end", "garbage", "half", "huge", "odd", "slow"};
	const char *build = getenv("MUXBUS_BUILDDIR");
	char program[512];
	(void)snprintf(program, sizeof program, "%s/tests/fake_relay", build != NULL ? build : ".");
	(void)snprintf(folder, sizeof folder, "/tmp/muxbus-host.XXXXXX");
	if (mkdtemp(folder) == NULL || setenv("FAKE_RELAY_LOG", folder, 1) < 0 ||
	    setenv("MUXBUS_SSH", program, 1) < 0)
		return 1;
	(void)signal(SIGPIPE, SIG_IGN);
	base = event_base_new();
	check_calls("bytes", "byte by byte");
	check_calls("hello=late", "noise first");
	check_events();
	check_malformed();
	check_large();
	check_cut("end", "exit status 1", 0);
	check_cut("garbage", "no message of muxbusd", 0);
	check_cut("half", "no answer to write within 2 s", 2000);
	check_ending();
	check_away();
	check_silent();
	check_unreachable();
	check_local();
	check_others();
	check_slow();
	check_names();
	event_base_free(base);
	for (size_t at = 0; at < sizeof logs / sizeof *logs; at++) {
		(void)snprintf(program, sizeof program, "%s/%s", folder, logs[at]);
		(void)unlink(program); /* not every far side was started */
	}
	ok(rmdir(folder) == 0, "all logs are known");
	return done_testing();
}
