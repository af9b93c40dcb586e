/* SPDX-License-Identifier: ISC */
/* The server of muxbusd alone, and a peer to talk to it. */
#include "served.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/core/counters.h"
#include "daemon/event/event_log.h"
#include "daemon/mcp/mcp.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/once.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "daemon/server/server.h"
#include "torn_disk.h"

/* Methods for tests. */

struct test_args {
	const char *text;
	int64_t ms;
	int64_t bytes;
	int64_t count;
	bool keep;
};

static const struct field test_fields[] = {
    {.name = "text",
	.type = FIELD_STRING,
	.offset = offsetof(struct test_args, text),
	.help = "What to say."},
    {.name = "ms",
	.type = FIELD_INT,
	.offset = offsetof(struct test_args, ms),
	.help = "When to answer."},
    {.name = "bytes",
	.type = FIELD_INT,
	.offset = offsetof(struct test_args, bytes),
	.help = "How much to say."},
    {.name = "count",
	.type = FIELD_INT,
	.offset = offsetof(struct test_args, count),
	.preset = "1",
	.help = "How often."},
    {.name = "keep",
	.type = FIELD_BOOL,
	.offset = offsetof(struct test_args, keep),
	.preset = "true",
	.help = "Whether it is remembered."},
    {0},
};

static int cancelled_count;

static void handle_echo(struct request *request, const void *data)
{
	const struct test_args *args = data;
	json_put_str(request_result(request), "text", args->text);
	request_done(request);
}

/* A request that is answered later. */
struct delay {
	struct request *request;
	struct event *timer;
};

static void on_late(evutil_socket_t fd, short events, void *data)
{
	struct delay *delay = data;
	(void)fd;
	(void)events;
	json_put_bool(request_result(delay->request), "late", true);
	request_done(delay->request);
	event_free(delay->timer);
	mem_free(delay);
}

static void on_cancelled(void *data)
{
	struct delay *delay = data;
	cancelled_count++;
	event_free(delay->timer);
	mem_free(delay);
}

static void handle_late(struct request *request, const void *data)
{
	const struct test_args *args = data;
	struct timeval when = {args->ms / 1000, (args->ms % 1000) * 1000};
	struct delay *delay = xcalloc(1, sizeof *delay);
	delay->request = request;
	delay->timer = evtimer_new(request_daemon(request)->base, on_late, delay);
	(void)evtimer_add(delay->timer, &when);
	if (request_method(request)->flags & METHOD_WAITS)
		request_on_cancel(request, on_cancelled, delay, "nobody listens");
}

static void handle_big(struct request *request, const void *data)
{
	const struct test_args *args = data;
	char *text = xalloc((size_t)args->bytes + 1);
	memset(text, 'x', (size_t)args->bytes);
	text[args->bytes] = '\0';
	json_put_str(request_result(request), "text", text);
	mem_free(text);
	request_done(request);
}

static void handle_publish(struct request *request, const void *data)
{
	const struct test_args *args = data;
	struct event_log *log = request_daemon(request)->events;
	char *members = xasprintf("\"text\":\"%*s\"", (int)args->bytes, "x");
	for (int64_t i = 0; i < args->count; i++)
		(void)event_log_publish(log, args->keep ? EVENT_NOTIFICATION : EVENT_PANE_OUTPUT,
		    NULL, members, strlen(members), args->keep);
	mem_free(members);
	request_done(request);
}

static int counted;

/* This method has an effect, so that its requests have a key. */
static void handle_count(struct request *request, const void *data)
{
	const struct test_args *args = data;
	counted += (int)args->count;
	json_put_int(request_result(request), "counted", counted);
	request_done(request);
}

/* The reply to status about the server. */
static void handle_counts(struct request *request, const void *data)
{
	const struct daemon *daemon = request_daemon(request);
	struct json_writer *writer = request_result(request);
	(void)data;
	json_put_int(writer, "peers", (int64_t)server_peer_count(daemon->server));
	json_put_int(writer, "accepted", (int64_t)daemon->counters->accepted);
	json_put_int(writer, "disconnected", (int64_t)daemon->counters->disconnected);
	json_put_int(writer, "events_dropped", (int64_t)daemon->counters->events_dropped);
	request_done(request);
}

/* Descriptors that are held, so that none is free. */
static int hoard[4096];
static size_t hoard_count;

/* Takes all free descriptors; with count 0 also the spare one for errors. */
static void handle_starve(struct request *request, const void *data)
{
	const struct test_args *args = data;
	struct rlimit files;
	(void)getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = 64;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	while (hoard_count < 4096 && (hoard[hoard_count] = dup(STDERR_FILENO)) >= 0)
		hoard_count++;
	if (args->count == 0) {
		files.rlim_cur = 3;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	json_put_int(request_result(request), "held", (int64_t)hoard_count);
	request_done(request);
}

static void handle_feed(struct request *request, const void *data)
{
	struct rlimit files;
	(void)data;
	(void)getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = 64;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	while (hoard_count > 0)
		(void)close(hoard[--hoard_count]);
	request_done(request);
}

static void handle_ping(struct request *request, const void *data)
{
	(void)data;
	request_done(request);
}

static void handle_shutdown(struct request *request, const void *data)
{
	struct daemon *daemon = request_daemon(request);
	(void)data;
	request_done(request);
	daemon->stop(daemon, "a peer asked for it");
}

static void handle_cancelled(struct request *request, const void *data)
{
	(void)data;
	json_put_int(request_result(request), "count", cancelled_count);
	request_done(request);
}

#define TEST_METHOD_OF(method_name, method_effects, method_flags, handler)                        \
	{                                                                                         \
		.name = METHOD(method_name, method_effects), .title = "test", .summary = "Test.", \
		.fields = test_fields, .args_size = sizeof(struct test_args),                     \
		.flags = (method_flags), .handle = (handler)                                      \
	}
#define TEST_METHOD(method_name, method_flags, handler) \
	TEST_METHOD_OF(method_name, METHOD_READS, method_flags, handler)

/* Keep alphabetized. */
static const struct method methods_test[] = {
    TEST_METHOD("big", 0, handle_big),
    TEST_METHOD("cancelled", 0, handle_cancelled),
    TEST_METHOD_OF("count", METHOD_ADMINISTERS, 0, handle_count),
    TEST_METHOD("counts", 0, handle_counts),
    TEST_METHOD("echo", 0, handle_echo),
    TEST_METHOD("feed", 0, handle_feed),
    TEST_METHOD("late", 0, handle_late),
    TEST_METHOD("ping", 0, handle_ping),
    TEST_METHOD("publish", 0, handle_publish),
    TEST_METHOD("shutdown", METHOD_NO_TOOL, handle_shutdown),
    TEST_METHOD("starve", 0, handle_starve),
    TEST_METHOD("wait", METHOD_WAITS, handle_late),
    {0},
};

/* In place of the daemon's own tables. */
static const struct method_table tables[] = {
    {methods_subscribe, "events"},
    {methods_test, NULL},
    {NULL, NULL},
};

/* The process. */

static void stop(struct daemon *daemon, const char *reason)
{
	(void)reason;
	server_close_listener(daemon->server);
	(void)event_base_loopexit(daemon->base, NULL);
}

static void on_term(evutil_socket_t number, short events, void *data)
{
	(void)number;
	(void)events;
	stop(data, "a signal");
}

/* Serves until SIGTERM. Reports an error at word_fd, or nothing and closes it. */
static int serve(const struct served *served, int word_fd)
{
	char reason[512] = "";
	static struct counters counters;
	struct daemon daemon = {
	    .config = &served->config, .counters = &counters, .stop = stop, .started_ms = 0};
	struct event_config *base_config = event_config_new();
	struct mcp *mcp;
	struct event *term;
	bool is_up;
	struct torn_disk disk;
	struct store *store;
	struct queue *queue;
	(void)event_config_require_features(base_config, EV_FEATURE_ET | EV_FEATURE_EARLY_CLOSE);
	daemon.base = event_base_new_with_config(base_config);
	event_config_free(base_config);
	daemon.events = event_log_new(NULL, (size_t)served->config.limits.events,
	    (size_t)served->config.limits.event_bytes, reason, sizeof reason);
	torn_disk_init(&disk, 1);
	store = store_open(&torn_disk_table, &disk, false, NULL, NULL);
	queue = queue_new(store, daemon.events);
	daemon.onces = once_set_new(queue);
	method_set_tables(tables);
	daemon.server = server_new(&daemon, reason, sizeof reason);
	mcp = daemon.server != NULL ? mcp_new(&daemon, server_dispatch(daemon.server)) : NULL;
	term = evsignal_new(daemon.base, SIGTERM, on_term, &daemon);
	is_up = daemon.server != NULL && server_listen(daemon.server, reason, sizeof reason) == 0;
	if (is_up) {
		(void)event_add(term, NULL);
		(void)close(word_fd);
		(void)event_base_dispatch(daemon.base);
	} else {
		(void)!write(word_fd, reason, strlen(reason) + 1);
	}
	server_free(daemon.server);
	mcp_free(mcp);
	once_set_free(daemon.onces);
	queue_free(queue);
	store_close(store);
	torn_disk_finish(&disk);
	event_log_free(daemon.events);
	event_free(term);
	event_base_free(daemon.base);
	return is_up ? 0 : 1;
}

void served_init(struct served *served, const char *const *settings)
{
	char reason[256];
	*served = (struct served){0};
	(void)snprintf(served->dir, sizeof served->dir, "/tmp/muxbus-served-XXXXXX");
	if (!mkdtemp(served->dir))
		abort();
	(void)snprintf(served->socket, sizeof served->socket, "%s/s", served->dir);
	(void)snprintf(served->config.socket, sizeof served->config.socket, "%s", served->socket);
	(void)snprintf(
	    served->config.tmux_socket, sizeof served->config.tmux_socket, "%s/t", served->dir);
	config_limits_init(&served->config.limits);
	for (; settings != NULL && *settings != NULL; settings++)
		if (config_limits_set(&served->config.limits, *settings, reason, sizeof reason) < 0)
			abort();
}

bool served_start(struct served *served, unsigned files_max, char *ret_reason, size_t size)
{
	int ends[2];
	ssize_t n;
	if (pipe(ends) < 0)
		abort();
	(void)fflush(stdout);
	served->pid = fork();
	if (served->pid == 0) {
		struct rlimit files = {files_max, files_max};
		(void)close(ends[0]);
		log_open(STDERR_FILENO, "served",
		    getenv("SERVED_DEBUG") ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
		if (files_max)
			(void)setrlimit(RLIMIT_NOFILE, &files);
		exit(serve(served, ends[1]));
	}
	(void)close(ends[1]);
	n = read(ends[0], ret_reason, size - 1);
	(void)close(ends[0]);
	ret_reason[n > 0 ? n : 0] = '\0';
	if (n == 0)
		return true;
	(void)waitpid(served->pid, NULL, 0);
	served->pid = 0;
	return false;
}

int served_stop(struct served *served, int signal_number)
{
	int status = -1;
	if (served->pid == 0)
		return -1;
	(void)kill(served->pid, signal_number);
	for (int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS; clock_mono_ms() < end_ms;) {
		if (waitpid(served->pid, &status, WNOHANG) == served->pid) {
			served->pid = 0;
			return status;
		}
		(void)poll(NULL, 0, 5);
	}
	(void)kill(served->pid, SIGKILL);
	(void)waitpid(served->pid, NULL, 0);
	served->pid = 0;
	return -1;
}

void served_finish(struct served *served)
{
	(void)served_stop(served, SIGTERM);
	(void)unlink(served->socket);
	(void)rmdir(served->dir);
}

/* A peer. */

bool guest_connect(struct guest *guest, const struct served *served)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	*guest = (struct guest){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	buf_init(&guest->input, (size_t)256 * 1024 * 1024);
	memcpy(address.sun_path, served->socket, strlen(served->socket));
	if (connect(guest->fd, (struct sockaddr *)&address, sizeof address) == 0)
		return true;
	guest_close(guest);
	return false;
}

void guest_close(struct guest *guest)
{
	if (guest->fd >= 0)
		(void)close(guest->fd);
	guest->fd = -1;
	buf_finish(&guest->input);
}

bool guest_send(struct guest *guest, const char *bytes, size_t len)
{
	int64_t end_ms = clock_mono_ms() + SERVED_TIMEOUT_MS;
	while (len > 0) {
		ssize_t n = send(guest->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			struct pollfd writable = {.fd = guest->fd, .events = POLLOUT};
			int64_t left_ms = end_ms - clock_mono_ms();
			if (left_ms <= 0 || poll(&writable, 1, (int)left_ms) <= 0)
				return false;
			continue;
		}
		if (n < 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

bool guest_say(struct guest *guest, const char *format, ...)
{
	struct buf line;
	va_list args;
	bool is_sent;
	buf_init(&line, (size_t)64 * 1024 * 1024);
	va_start(args, format);
	(void)buf_vprintf(&line, format, args);
	va_end(args);
	(void)buf_append_byte(&line, '\n');
	is_sent = guest_send(guest, (const char *)line.data, line.len);
	buf_finish(&line);
	return is_sent;
}

void guest_half_close(struct guest *guest)
{
	(void)shutdown(guest->fd, SHUT_WR);
}

const char *guest_line(struct guest *guest, int timeout_ms)
{
	int64_t end_ms = clock_mono_ms() + timeout_ms;
	size_t scanned = 0;
	buf_consume(&guest->input, guest->taken);
	guest->taken = 0;
	for (;;) {
		uint8_t *newline = guest->input.len > scanned
		    ? memchr(guest->input.data + scanned, '\n', guest->input.len - scanned)
		    : NULL;
		ssize_t n;
		struct pollfd readable;
		int64_t left_ms;
		if (newline != NULL) {
			*newline = '\0';
			guest->taken = (size_t)(newline - guest->input.data) + 1;
			return (const char *)guest->input.data;
		}
		scanned = guest->input.len;
		readable = (struct pollfd){.fd = guest->fd, .events = POLLIN};
		left_ms = end_ms - clock_mono_ms();
		if (left_ms <= 0 || poll(&readable, 1, (int)left_ms) <= 0)
			return NULL;
		if (buf_reserve(&guest->input, 65536) < 0)
			abort();
		n = recv(guest->fd, guest->input.data + guest->input.len, 65536, 0);
		if (n <= 0) {
			guest->is_at_end = true;
			return NULL;
		}
		guest->input.len += (size_t)n;
	}
}
