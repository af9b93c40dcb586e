/* SPDX-License-Identifier: ISC */
/* Peers: framing, the order of responses, half-closed ones, limits, and peers that do not read. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "served.h"
#include "tap.h"

/* A sanitizer keeps freed memory for a while. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

static struct served served;

/* Ends the test: the rest needs a connection. */
static void meet(struct guest *guest)
{
	if (!guest_connect(guest, &served)) {
		printf("Bail out! cannot connect\n");
		(void)kill(served.pid, SIGKILL);
		exit(99);
	}
}

static bool hears(struct guest *guest, const char *part)
{
	const char *line = guest_line(guest, SERVED_TIMEOUT_MS);
	bool is_there = line != NULL && strstr(line, part);
	if (!is_there)
		diag("got: %.300s, wanted: %s", line != NULL ? line : "nothing", part);
	return is_there;
}

/* All that comes until the end of the connection, in one string. */
static char *hear_all(struct guest *guest)
{
	struct buf all;
	const char *line;
	buf_init(&all, (size_t)1 << 24);
	while ((line = guest_line(guest, SERVED_TIMEOUT_MS)) != NULL)
		(void)buf_printf(&all, "%s\n", line);
	(void)buf_append_byte(&all, '\0');
	return (char *)buf_steal(&all, &(size_t){0});
}

/* The answers to a peer that sends these bytes in two pieces, and then half-closes. */
static char *answers_to(const char *bytes, size_t len, size_t cut)
{
	struct guest guest;
	char *all;
	meet(&guest);
	(void)guest_send(&guest, bytes, cut);
	if (cut > 0 && cut < len)
		(void)poll(NULL, 0, 1); /* so that it arrives as a piece */
	(void)guest_send(&guest, bytes + cut, len - cut);
	guest_half_close(&guest);
	all = hear_all(&guest);
	guest_close(&guest);
	return all;
}

static void test_every_cut(void)
{
	static const char bytes[] =
	    "{\"id\":1,\"method\":\"echo\",\"params\":{\"text\":\"a\xc3\xa4\"}}\r\n"
	    "\n  \t\r\n"
	    "{\"method\":\"ping\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n"
	    "[]\n"
	    "{\n"
	    "{\"id\":\"x\\\"\\u0001\",\"method\":\"nothing\"}\n"
	    "{\"id\":1.50,\"method\":\"ping\"}";
	size_t len = sizeof bytes - 1;
	char *whole = answers_to(bytes, len, 0);
	int lines = 0;
	int failures;
	for (const char *p = whole; *p; p++)
		lines += *p == '\n';
	is_int(lines, 6, "each line but empty ones and notifications is answered");
	ok(strstr(whole, "\"id\":1,\"result\":{\"text\":\"a\xc3\xa4\"}"), "the text comes back");
	ok(strstr(whole, "\"id\":\"x\\\"\\u0001\",\"error\":{\"code\":-32601"),
	    "an id comes back as it was");
	ok(strstr(whole, "\"id\":1.50,\"result\":{}"), "a number as it was written");
	failures = 0;
	for (size_t cut = 1; cut <= len; cut++) {
		char *again = answers_to(bytes, len, cut);
		if (strcmp(again, whole) != 0 && failures++ == 0)
			diag("cut at %zu: %s", cut, again);
		mem_free(again);
	}
	is_int(failures, 0, "split at each of %zu bytes it is the same", len);
	mem_free(whole);
}

static void test_order(void)
{
	struct guest guest;
	int failures;
	struct buf many;
	meet(&guest);
	guest_say(&guest,
	    "{\"id\":1,\"method\":\"late\",\"params\":{\"ms\":60}}\n"
	    "{\"id\":2,\"method\":\"wait\",\"params\":{\"ms\":120}}\n"
	    "{\"id\":3,\"method\":\"wait\",\"params\":{\"ms\":10}}\n"
	    "{\"id\":4,\"method\":\"late\",\"params\":{\"ms\":10}}\n"
	    "{\"id\":5,\"method\":\"ping\"}\n"
	    "{\"id\":6,\"method\":\"nothing\"}");
	ok(hears(&guest, "\"id\":3,"), "a finished wait overtakes");
	ok(hears(&guest, "\"id\":1,"), "requests that do not wait are answered in order: 1");
	ok(hears(&guest, "\"id\":4,"), "4 was ready before");
	ok(hears(&guest, "\"id\":5,"), "and 5");
	ok(hears(&guest, "\"id\":6,\"error\""), "errors too");
	ok(hears(&guest, "\"id\":2,"), "the long wait comes last");
	guest_close(&guest);

	meet(&guest);
	buf_init(&many, (size_t)1 << 22);
	for (int i = 0; i < 5000; i++)
		(void)buf_printf(&many, "{\"id\":%d,\"method\":\"%s\",\"params\":{\"ms\":%d}}\n", i,
		    i % 50 == 0 ? "late" : "echo", i % 3);
	guest_send(&guest, (const char *)many.data, many.len);
	failures = 0;
	for (int i = 0; i < 5000; i++) {
		char part[32];
		const char *line;
		(void)snprintf(part, sizeof part, "\"id\":%d,\"result\"", i);
		line = guest_line(&guest, SERVED_TIMEOUT_MS);
		failures += line == NULL || !strstr(line, part);
	}
	is_int(failures, 0, "5,000 pipelined requests are answered in order");
	buf_finish(&many);
	guest_close(&guest);
}

/* Returns true if the daemon comes to have so many peers; it may see late that others left. */
static bool is_among(struct guest *guest, unsigned peers)
{
	int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS;
	char member[32];
	bool is_true = false;
	(void)snprintf(member, sizeof member, "\"peers\":%u,", peers);
	while (!is_true && clock_mono_ms() < end_ms) {
		const char *line;
		guest_say(guest, "{\"method\":\"counts\"}");
		while (
		    (line = guest_line(guest, SERVED_TIMEOUT_MS)) != NULL && !strstr(line, "peers"))
			;
		is_true = line != NULL && strstr(line, member) != NULL;
	}
	return is_true;
}

static void test_half_close(void)
{
	struct guest guest, other;
	meet(&guest);
	guest_say(&guest,
	    "{\"id\":1,\"method\":\"wait\",\"params\":{\"ms\":80}}\n"
	    "{\"id\":2,\"method\":\"late\",\"params\":{\"ms\":40}}");
	guest_half_close(&guest);
	ok(hears(&guest, "\"id\":2,"), "requests accepted before a half-close are answered");
	ok(hears(&guest, "\"id\":1,"), "waits included");
	ok(guest_line(&guest, SERVED_TIMEOUT_MS) == NULL && guest.is_at_end,
	    "then the daemon closes");
	guest_close(&guest);

	meet(&guest);
	meet(&other);
	guest_say(&guest, "{\"id\":1,\"method\":\"subscribe\"}");
	guest_half_close(&guest);
	ok(hears(&guest, "\"subscription\":\"S1\""), "subscribed");
	guest_say(&other, "{\"id\":1,\"method\":\"publish\"}");
	ok(hears(&guest, "\"kind\":\"notification\""), "a subscription outlives the half-close");
	guest_close(&guest);
	ok(is_among(&other, 1), "and ends when the peer is really gone");
	guest_close(&other);
}

static void test_gone(void)
{
	struct guest guest;
	int64_t end_ms;
	bool is_cancelled;
	meet(&guest);
	for (int i = 0; i < 20; i++)
		guest_say(&guest, "{\"id\":%d,\"method\":\"wait\",\"params\":{\"ms\":3600000}}", i);
	guest_say(&guest, "{\"id\":1,\"method\":\"publish\"}");
	guest_close(&guest);
	end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS;
	is_cancelled = false;
	meet(&guest);
	while (!is_cancelled && clock_mono_ms() < end_ms) {
		const char *line, *count;
		guest_say(&guest, "{\"method\":\"cancelled\"}");
		line = guest_line(&guest, SERVED_TIMEOUT_MS);
		count = line != NULL ? strstr(line, "\"count\":") : NULL;
		is_cancelled = count != NULL && atoi(count + strlen("\"count\":")) >= 10;
	}
	/* More than its limit, if the peer left before all of its requests were read. */
	ok(is_cancelled,
	    "the waits of a peer that is gone are cancelled (10 at a time: its limit)");
	guest_say(&guest, "{\"method\":\"list_events\",\"params\":{\"limit\":1}}");
	ok(hears(&guest, "\"kind\":\"notification\""),
	    "the requests it had sent were done all the same");
	guest_close(&guest);
}

/* How many waits were cancelled until now. */
static int cancelled_count(struct guest *guest)
{
	const char *line, *count;
	guest_say(guest, "{\"method\":\"cancelled\"}");
	line = guest_line(guest, SERVED_TIMEOUT_MS);
	count = line != NULL ? strstr(line, "\"count\":") : NULL;
	return count != NULL ? atoi(count + strlen("\"count\":")) : -1;
}

static bool becomes_cancelled(struct guest *guest, int count)
{
	int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS;
	while (clock_mono_ms() < end_ms)
		if (cancelled_count(guest) >= count)
			return true;
	return false;
}

/* While the server stands still, the last request and the end of its peer become one event. */
static void leave_at_once(const char *request, bool has_unread)
{
	struct guest guest;
	struct pollfd readable;
	meet(&guest);
	if (has_unread)
		guest_say(&guest, "{\"id\":1,\"method\":\"echo\"}");
	readable = (struct pollfd){.fd = guest.fd, .events = POLLIN};
	if (has_unread)
		(void)poll(&readable, 1, SERVED_TIMEOUT_MS);
	(void)kill(served.pid, SIGSTOP);
	guest_say(&guest, "%s", request);
	guest_close(&guest);
	(void)kill(served.pid, SIGCONT);
}

static void test_end_at_once(void)
{
	static const char wait[] = "{\"id\":2,\"method\":\"wait\",\"params\":{\"ms\":3600000}}";
	static const char late[] = "{\"id\":2,\"method\":\"wait\",\"params\":{\"ms\":3600000}}\n"
				   "{\"id\":3,\"method\":\"late\",\"params\":{\"ms\":20}}";
	struct guest other;
	int count;
	meet(&other);
	count = cancelled_count(&other);
	leave_at_once(wait, false);
	ok(becomes_cancelled(&other, count + 1), "a peer that ends behind a wait is noticed");
	leave_at_once(wait, true);
	ok(becomes_cancelled(&other, count + 2), "also one with unread output");
	leave_at_once(late, true);
	ok(becomes_cancelled(&other, count + 3), "also while a response is due");
	guest_close(&other);
}

/* Sends a line with a descriptor, which the server does not take. */
static void pass_descriptor(int fd, const char *line)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = {(void *)(uintptr_t)line, strlen(line)};
	struct msghdr message = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof control};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int passed = STDERR_FILENO;
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof passed);
	memcpy(CMSG_DATA(header), &passed, sizeof passed);
	(void)sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* A read of the server ends at each descriptor. */
static void test_descriptors(void)
{
	struct guest guest;
	int answers = 0;
	meet(&guest);
	(void)kill(served.pid, SIGSTOP);
	for (int i = 0; i < 3; i++)
		pass_descriptor(guest.fd, "{\"id\":1,\"method\":\"echo\"}\n");
	guest_say(&guest, "{\"id\":2,\"method\":\"echo\"}");
	(void)kill(served.pid, SIGCONT);
	while (answers < 4 && hears(&guest, "\"result\""))
		answers++;
	is_int(answers, 4, "descriptors that a peer passes hide no request");
	guest_close(&guest);
}

static void test_limits(void)
{
	struct guest guest;
	char *line;
	meet(&guest);
	for (int i = 0; i < 12; i++)
		guest_say(&guest, "{\"id\":%d,\"method\":\"wait\",\"params\":{\"ms\":3600000}}", i);
	ok(hears(&guest, "\"id\":10,\"error\":{\"code\":16"), "too many waits: limit");
	ok(hears(&guest, "\"id\":11,\"error\":{\"code\":16"), "each of them gets an error");
	guest_say(&guest, "{\"id\":\"p\",\"method\":\"ping\"}");
	ok(hears(&guest, "\"id\":\"p\",\"result\""), "and the others continue");

	line = xalloc(100001);
	memset(line, 'x', 100000);
	line[100000] = '\0';
	guest_say(&guest, "%s", line);
	ok(hears(&guest, "\"id\":null,\"error\":{\"code\":-32600"),
	    "a line over the limit: one error");
	guest_say(&guest, "{\"id\":\"q\",\"method\":\"ping\"}");
	ok(hears(&guest, "\"id\":\"q\",\"result\""), "and the next line is read");
	guest_say(&guest, "{\"id\":\"%.2000s\",\"method\":\"ping\"}", line);
	ok(hears(&guest, "-32600"), "an id that is too long is refused");
	guest_say(&guest, "{\"id\":\"r\",\"method\":\"big\",\"params\":{\"bytes\":200000}}");
	ok(hears(&guest, "\"id\":\"r\",\"error\":{\"code\":16"), "a result over the limit: limit");
	guest_say(&guest, "{\"id\":\"r\",\"method\":\"big\",\"params\":{\"bytes\":90000}}");
	ok(hears(&guest, "\"id\":\"r\",\"result\""), "a result below it passes");
	mem_free(line);
	guest_close(&guest);

	meet(&guest);
	for (int i = 0; i < 65; i++)
		guest_say(&guest, "{\"id\":%d,\"method\":\"subscribe\"}", i);
	for (int i = 0; i < 64; i++)
		(void)guest_line(&guest, SERVED_TIMEOUT_MS);
	ok(hears(&guest, "\"id\":64,\"error\":{\"code\":16"), "too many subscriptions: limit");
	guest_close(&guest);
}

/* Reads all lines with a seq, and checks that missing ones were reported. Returns the last one. */
static uint64_t check_row(struct guest *guest, uint64_t after, uint64_t until, int *ret_holes)
{
	uint64_t last = after;
	const char *line;
	while (last < until && (line = guest_line(guest, SERVED_TIMEOUT_MS)) != NULL) {
		const char *seq_text = strstr(line, "\"seq\":");
		const char *from_text = strstr(line, "\"from\":");
		uint64_t seq, from;
		if (seq_text == NULL || !strstr(line, "\"method\":\"event\""))
			continue;
		seq = strtoull(seq_text + 6, NULL, 10);
		from = from_text != NULL ? strtoull(from_text + 7, NULL, 10) : seq;
		if (from != last + 1) {
			diag("after %" PRIu64 " comes %.200s", last, line);
			(*ret_holes)++;
		}
		last = seq;
	}
	return last;
}

static void test_slow(void)
{
	struct guest slow;
	struct guest other;
	int holes = 0;
	int count;
	uint64_t last, start;
	const char *line, *text;
	meet(&slow);
	meet(&other);
	guest_say(&other, "{\"id\":1,\"method\":\"list_events\",\"params\":{\"limit\":1}}");
	line = guest_line(&other, SERVED_TIMEOUT_MS);
	text = line != NULL ? strstr(line, "\"last\":") : NULL;
	start = text != NULL ? strtoull(text + 7, NULL, 10) : 0;
	guest_say(&slow, "{\"id\":1,\"method\":\"subscribe\"}");
	ok(hears(&slow, "S1"), "a peer subscribes, and reads no more");
	for (int i = 0; i < 20; i++) {
		guest_say(&other,
		    "{\"id\":1,\"method\":\"publish\",\"params\":{\"count\":100,\"bytes\":%d}}",
		    i % 2 ? 5000 : 10);
		(void)guest_line(&other, SERVED_TIMEOUT_MS);
	}
	guest_say(&other, "{\"id\":1,\"method\":\"counts\"}");
	line = guest_line(&other, SERVED_TIMEOUT_MS);
	ok(line != NULL && !strstr(line, "\"events_dropped\":0"), "its events are dropped");
	ok(is_among(&other, 2), "and it stays");
	last = check_row(&slow, start, start + 2000, &holes);
	is_int((long long)(last - start), 2000, "when it reads again it comes to the end");
	is_int(holes, 0, "and each hole was reported");
	guest_say(&other, "{\"id\":1,\"method\":\"publish\",\"params\":{\"count\":3}}");
	last = check_row(&slow, last, last + 3, &holes);
	is_int((long long)(last - start), 2003, "and events continue");
	guest_close(&slow);

	/*
	 * Responses are not dropped: they pile up to the limit, and then the peer is disconnected.
	 */
	meet(&slow);
	for (int i = 0; i < 40; i++)
		guest_say(&slow, "{\"id\":%d,\"method\":\"big\",\"params\":{\"bytes\":60000}}", i);
	count = 0;
	while (guest_line(&slow, SERVED_TIMEOUT_MS) != NULL && ++count < 40)
		;
	is_int(count, 40, "a slow peer that comes to read gets all responses");
	guest_close(&slow);
	guest_close(&other);
}

/*
 * Sends request after request, and reads nothing: the peer must be disconnected, and cost the
 * other peers nothing.
 */
static void test_greedy(void)
{
	struct guest greedy;
	struct guest other;
	bool is_out, is_open;
	int64_t start_ms;
	meet(&greedy);
	meet(&other);
	start_ms = clock_mono_ms();
	is_open = true;
	while (is_open && clock_mono_ms() - start_ms < 3 * SERVED_TIMEOUT_MS) {
		is_open = guest_say(
		    &greedy, "{\"id\":1,\"method\":\"big\",\"params\":{\"bytes\":30000}}");
		/*
		 * guest_say() waits, and so sees a peer that the daemon merely does not read any
		 * more.
		 */
	}
	ok(!is_open, "a peer that only sends requests is not read without end");
	guest_say(&other, "{\"id\":1,\"method\":\"ping\"}");
	ok(hears(&other, "\"id\":1,\"result\""), "others are served");
	is_out = false;
	for (int64_t end_ms = clock_mono_ms() + 2 * SERVED_TIMEOUT_MS;
	     !is_out && clock_mono_ms() < end_ms; (void)poll(NULL, 0, 50)) {
		const char *line;
		guest_say(&other, "{\"id\":1,\"method\":\"counts\"}");
		line = guest_line(&other, SERVED_TIMEOUT_MS);
		is_out = line != NULL && strstr(line, "\"disconnected\":1,");
	}
	ok(is_out, "and it is disconnected");
	guest_close(&greedy);
	guest_close(&other);
}

/* Returns a number of the server's counts; -1 if there is none. */
static int64_t count_of(struct guest *guest, const char *name)
{
	char member[40];
	const char *line, *at;
	guest_say(guest, "{\"id\":1,\"method\":\"counts\"}");
	line = guest_line(guest, SERVED_TIMEOUT_MS);
	snprintf(member, sizeof member, "\"%s\":", name);
	at = line != NULL ? strstr(line, member) : NULL;
	return at != NULL ? strtoll(at + strlen(member), NULL, 10) : -1;
}

/* Waits until the figure is at least so much. */
static bool counts_to(struct guest *guest, const char *name, int64_t want)
{
	for (int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS; clock_mono_ms() < end_ms;
	     (void)poll(NULL, 0, 50))
		if (count_of(guest, name) >= want)
			return true;
	return false;
}

static int64_t rss_kb(pid_t pid)
{
	char path[40], line[200];
	int64_t kb = -1;
	FILE *file;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file != NULL && kb < 0 && fgets(line, sizeof line, file) != NULL)
		(void)sscanf(line, "VmRSS: %" SCNd64, &kb);
	if (file != NULL)
		(void)fclose(file);
	return kb;
}

/* Large responses that are not read have a maximum together; each of them is whole or none. */
static void check_responses(struct served *many, struct guest *other)
{
	enum { GUESTS = 20, BYTES = 4000000, LEFT_MAX = 8 };
	struct guest guests[GUESTS];
	int64_t before = rss_kb(many->pid), after;
	int whole = 0, partial = 0;
	for (int i = 0; i < GUESTS; i++) {
		if (!guest_connect(&guests[i], many))
			return;
		guest_say(
		    &guests[i], "{\"id\":1,\"method\":\"big\",\"params\":{\"bytes\":%d}}", BYTES);
	}
	ok(counts_to(other, "disconnected", GUESTS - LEFT_MAX),
	    "%d peers that do not read %d bytes each: some are disconnected", GUESTS, BYTES);
	after = rss_kb(many->pid);
	ok(after - before < 40 * 1024 || IS_SANITIZED, "the rest costs %d MiB",
	    (int)((after - before) / 1024));
	for (int i = 0; i < GUESTS; i++) {
		const char *line = guest_line(&guests[i], SERVED_TIMEOUT_MS);
		whole += line != NULL && strlen(line) > BYTES;
		partial += line != NULL && strlen(line) < BYTES;
		guest_close(&guests[i]);
	}
	ok(whole >= LEFT_MAX - 1 && whole <= LEFT_MAX,
	    "%d of them read late, and have the whole response", whole);
	is_int(partial, 0, "no line is cut");
}

/* Events wait for a peer that reads, not for one that does not. */
static void check_events(struct served *many, struct guest *other)
{
	struct guest idle;
	int holes = 0;
	uint64_t last;
	if (!guest_connect(&idle, many))
		return;
	guest_say(&idle, "{\"id\":1,\"method\":\"subscribe\",\"params\":{\"output\":true}}");
	ok(hears(&idle, "S1"), "a peer subscribes");
	guest_say(other,
	    "{\"id\":1,\"method\":\"publish\",\"params\":{\"count\":200,"
	    "\"bytes\":5000}}");
	(void)guest_line(other, SERVED_TIMEOUT_MS);
	is_int(count_of(other, "events_dropped"), 0, "a megabyte of events waits for it");
	ok(counts_to(other, "events_dropped", 1), "it reads nothing, and they are dropped");
	last = check_row(&idle, 0, 200, &holes);
	ok(last >= 200 && holes == 0, "it reads a gap then, and nothing is missing silently");
	guest_close(&idle);
}

static void test_memory(void)
{
	static const char *const settings[] = {"result_bytes=6000000", NULL};
	char reason[256];
	struct served many;
	struct guest other;
	served_init(&many, settings);
	if (!ok(served_start(&many, 0, reason, sizeof reason), "another server") ||
	    !guest_connect(&other, &many))
		return;
	check_events(&many, &other);
	check_responses(&many, &other);
	guest_close(&other);
	served_finish(&many);
}

static void test_shutdown(void)
{
	struct guest guest;
	int status;
	meet(&guest);
	guest_say(&guest,
	    "{\"id\":1,\"method\":\"big\",\"params\":{\"bytes\":90000}}\n"
	    "{\"id\":2,\"method\":\"shutdown\"}");
	ok(hears(&guest, "\"id\":1,"), "requests before a shutdown are answered");
	ok(hears(&guest, "\"id\":2,"), "the shutdown is answered");
	ok(guest_line(&guest, SERVED_TIMEOUT_MS) == NULL && guest.is_at_end, "then it closes");
	guest_close(&guest);
	status = -1;
	(void)waitpid(served.pid, &status, 0);
	is_int(status, 0, "and ends with 0");
	served.pid = 0;
	is_int(access(served.socket, F_OK), -1, "its socket is gone");
}

/* A signal while the server ends does not end the writing. */
static void test_signals(void)
{
	char reason[256];
	struct served other;
	struct guest guest;
	int lines = 0, unread = 0, last = -1;
	served_init(&other, NULL);
	if (!ok(served_start(&other, 0, reason, sizeof reason), "another server") ||
	    !guest_connect(&guest, &other))
		return;
	for (int i = 0; i < 9; i++)
		guest_say(&guest, "{\"id\":%d,\"method\":\"big\",\"params\":{\"bytes\":90000}}", i);
	/* until the socket is full */
	for (int i = 0; i < 5000 && (unread == 0 || unread != last); i += 50) {
		last = unread;
		(void)poll(NULL, 0, 50);
		(void)ioctl(guest.fd, FIONREAD, &unread);
	}
	(void)kill(other.pid, SIGTERM);
	for (int i = 0; i < 5000 && access(other.socket, F_OK) == 0; i++)
		(void)poll(NULL, 0, 1);
	for (int i = 0; i < 20; i++, (void)poll(NULL, 0, 2))
		(void)kill(other.pid, SIGTERM);
	while (guest_line(&guest, SERVED_TIMEOUT_MS) != NULL)
		lines++;
	ok(lines > 2 && guest.is_at_end && guest.input.len == guest.taken,
	    "all that was answered is whole: %d", lines);
	guest_close(&guest);
	served_finish(&other);
}

int main(void)
{
	static const char *const settings[] = {"waits=10", "line_bytes=65536",
	    "result_bytes=100000", "unread_bytes=1000000", "event_bytes=65536", "stuck_ms=500",
	    NULL};
	char reason[256];
	served_init(&served, settings);
	if (!served_start(&served, 0, reason, sizeof reason)) {
		printf("Bail out! %s\n", reason);
		return 99;
	}
	test_every_cut();
	test_order();
	test_half_close();
	test_gone();
	test_end_at_once();
	test_descriptors();
	test_limits();
	test_slow();
	test_greedy();
	test_memory();
	test_signals();
	test_shutdown();
	served_finish(&served);
	return done_testing();
}
