/* SPDX-License-Identifier: ISC */
/*
 * muxbus-nats on a nats-server of its own: how many events a second it stores, against a plain
 * client that publishes the same messages with js_PublishAsync() (row "nats_rate"); its memory; and
 * 1,000 scripted daemons on one nats-server, each with its own connection, subscriptions, presence
 * and one event a second: the server's memory and CPU, and the time until JetStream acknowledges.
 */
#include <fcntl.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench.h"
#include "tap.h"

enum {
	EVENTS = 100000, /* of a round */
	ROUNDS = 5,
	DAEMONS = 1000,
	FLEET_SEC = 10,
	PORT_FIRST = 24222,
	THREADS = 8,
	LATENCIES_MAX = DAEMONS * (FLEET_SEC + 5),
};

static char dir[64] = "/tmp/mbt-XXXXXX";
static char url[64];
static pid_t server;

static void check(natsStatus status, const char *text)
{
	if (status != NATS_OK)
		live_bail("%s: %s", text, natsStatus_GetText(status));
}

static pid_t start(const char *const *argv, const char *log)
{
	pid_t pid = fork();
	int fd;
	if (pid != 0)
		return pid;
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	(void)dup2(fd, STDERR_FILENO);
	(void)dup2(fd, STDOUT_FILENO);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static natsConnection *connect_to_server(void)
{
	natsConnection *connection = NULL;
	for (int i = 0; i < 200; i++) {
		if (natsConnection_ConnectTo(&connection, url) == NATS_OK)
			return connection;
		(void)usleep(50000);
	}
	return NULL;
}

static void start_server(void)
{
	char port[16], store[96], log[96];
	const char *argv[] = {
	    "nats-server", "-js", "-sd", store, "-a", "127.0.0.1", "-p", port, NULL};
	natsConnection *connection;
	(void)snprintf(port, sizeof port, "%d", PORT_FIRST + (int)getpid() % 10000);
	(void)snprintf(url, sizeof url, "nats://127.0.0.1:%s", port);
	(void)snprintf(store, sizeof store, "%s/js", dir);
	(void)snprintf(log, sizeof log, "%s/nats.log", dir);
	(void)setenv("PATH", "/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/bin", 1);
	server = start(argv, log);
	connection = connect_to_server();
	if (connection == NULL)
		skip_all("nats-server does not start");
	natsConnection_Destroy(connection);
}

static size_t rss_kib(pid_t pid)
{
	char path[64], line[256];
	size_t kib = 0;
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		(void)sscanf(line, "VmRSS: %zu", &kib);
	if (file != NULL)
		fclose(file);
	return kib;
}

/* The members of the event with that number, as muxbusd writes them. */
static int event_text(char *out, size_t size, int seq)
{
	return snprintf(out, size,
	    "\"seq\":%d,\"time\":\"2026-11-22T21:00:00.000Z\",\"kind\":\"title_changed\","
	    "\"pane\":\"%%%d\",\"window\":\"@1\",\"title\":\"building target %d of the project\","
	    "\"previous\":\"building target %d of the project\"",
	    seq, seq % 40, seq, seq - 1);
}

/* A scripted muxbusd: answers the feed, and sends events as fast as they are read. */
static void serve(int fd)
{
	char line[65536], out[4096], event[1024];
	ssize_t len = 0, got;
	while ((got = read(fd, line + len, sizeof line - 1 - (size_t)len)) > 0) {
		char *at = line, *end;
		len += got;
		line[len] = '\0';
		while ((end = strchr(at, '\n')) != NULL) {
			long long id = 0;
			int n;
			*end = '\0';
			(void)sscanf(at, "{\"jsonrpc\":\"2.0\",\"id\":%lld", &id);
			n = snprintf(out, sizeof out,
			    "{\"id\":%lld,\"result\":{\"subscription\":\"S1\",\"seq\":0,"
			    "\"notifications\":[],\"last\":0,\"gap\":null}}\n",
			    id);
			if (write(fd, out, (size_t)n) < 0)
				_exit(0);
			for (int seq = 1; strstr(at, "\"subscribe\"") != NULL && seq <= EVENTS;
			     seq++) {
				(void)event_text(event, sizeof event, seq);
				n = snprintf(out, sizeof out,
				    "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{"
				    "\"subscription\":\"S1\",%s}}\n",
				    event);
				if (write(fd, out, (size_t)n) < 0)
					_exit(0);
			}
			at = end + 1;
		}
		len -= at - line;
		memmove(line, at, (size_t)len);
	}
	_exit(0);
}

static pid_t start_daemon(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	(void)unlink(path);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(listener, 5) < 0)
		live_bail("%s cannot be bound", path);
	pid = fork();
	while (pid == 0) {
		int fd = accept(listener, NULL, NULL);
		if (fork() == 0)
			serve(fd);
		(void)close(fd);
	}
	(void)close(listener);
	return pid;
}

static uint64_t messages(jsCtx *js, const char *stream)
{
	jsStreamInfo *info = NULL;
	uint64_t count = 0;
	if (js_GetStreamInfo(&info, js, stream, NULL, NULL) == NATS_OK)
		count = info->State.Msgs;
	jsStreamInfo_Destroy(info);
	return count;
}

/* Messages a second of muxbus-nats. */
static double bridge_rate(jsCtx *js, int round, double *ret_rss_kib)
{
	char socket_path[96], host[16], log[96], program[256];
	const char *argv[] = {
	    program, "--url", url, "-s", socket_path, "--host", host, "--no-requests", NULL};
	pid_t daemon, bridge;
	int64_t begin_us = 0, now_us;
	uint64_t before = messages(js, "MUXBUS"), first = 0, count;
	(void)snprintf(socket_path, sizeof socket_path, "%s/d%d.muxbus", dir, round);
	(void)snprintf(host, sizeof host, "h%d", round);
	(void)snprintf(log, sizeof log, "%s/bridge.log", dir);
	(void)snprintf(program, sizeof program, "%s/muxbus-nats", getenv("MUXBUS_BUILDDIR"));
	daemon = start_daemon(socket_path);
	bridge = start(argv, log);
	do { /* from the first look that finds some stored to the last */
		(void)usleep(2000);
		count = messages(js, "MUXBUS") - before;
		now_us = clock_mono_us();
		if (begin_us == 0 && count > 0) {
			begin_us = now_us;
			first = count;
		}
	} while (count < EVENTS && (begin_us == 0 || now_us - begin_us < 60000000));
	*ret_rss_kib = (double)rss_kib(bridge);
	bench_end(bridge);
	bench_end(daemon);
	if (count != EVENTS)
		live_bail("%d events, %d in the stream", EVENTS, (int)count);
	return (double)(count - first) * 1e6 / (double)(now_us - begin_us);
}

/* Messages a second of the plain client. */
static double plain_rate(jsCtx *js, int round)
{
	char payload[1024], event[900], id[64];
	int64_t begin_us = clock_mono_us();
	for (int seq = 1; seq <= EVENTS; seq++) {
		jsPubOptions options;
		int len;
		(void)event_text(event, sizeof event, seq);
		len = snprintf(
		    payload, sizeof payload, "{\"host\":\"h\",\"server\":\"s\",%s}", event);
		(void)snprintf(id, sizeof id, "plain-%d-%d", round, seq);
		(void)jsPubOptions_Init(&options);
		options.MsgId = id;
		check(js_PublishAsync(
			  js, "muxbus.default.plain.s.event.title_changed", payload, len, &options),
		    "publish");
	}
	check(js_PublishAsyncComplete(js, NULL), "acknowledgements");
	return EVENTS * 1e6 / (double)(clock_mono_us() - begin_us);
}

static void measure_rate(natsConnection *connection)
{
	double ours[ROUNDS], theirs[ROUNDS], rss[ROUNDS];
	jsOptions options;
	jsCtx *js;
	(void)jsOptions_Init(&options);
	options.PublishAsync.MaxPending = 1024;
	options.PublishAsync.StallWait = 10000;
	check(natsConnection_JetStream(&js, connection, &options), "JetStream");
	for (int round = 0; round < ROUNDS; round++) {
		ours[round] = bridge_rate(js, round, &rss[round]);
		theirs[round] = plain_rate(js, round);
	}
	bench_pairs("nats_rate", ours, theirs, ROUNDS, "messages/s",
	    "muxbus-nats / js_PublishAsync(), 1,024 in flight; %d events of 250 bytes", EVENTS);
	bench_rounds("nats_memory", rss, ROUNDS, "KiB", "RSS of muxbus-nats after that");
	jsCtx_Destroy(js);
}

/* The scripted daemons, as NATS sees them. */
static natsConnection *daemons[DAEMONS];
static jsCtx *contexts[DAEMONS];
static double latencies[LATENCIES_MAX];
static size_t latencies_count;
static pthread_mutex_t latencies_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t fleet_end_us;

static void ignore_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *data)
{
	(void)nc;
	(void)sub;
	(void)data;
	natsMsg_Destroy(msg);
}

static void connect_daemon(int number)
{
	char subject[128];
	natsSubscription *subscription;
	natsOptions *options;
	check(natsOptions_Create(&options), "options");
	check(natsOptions_SetURL(options, url), "url");
	check(natsOptions_UseGlobalMessageDelivery(options, true), "delivery");
	check(natsConnection_Connect(&daemons[number], options), "connection");
	natsOptions_Destroy(options);
	check(natsConnection_JetStream(&contexts[number], daemons[number], NULL), "JetStream");
	for (int i = 0; i < 11; i++) { /* as many as muxbus-nats has */
		(void)snprintf(
		    subject, sizeof subject, "muxbus.default.h%d.s.request%d", number, i);
		check(natsConnection_Subscribe(
			  &subscription, daemons[number], subject, ignore_message, NULL),
		    "subscribe");
	}
}

static void *run_daemons(void *data)
{
	int first = *(int *)data;
	char subject[128], payload[1024], event[900], id[64];
	for (int seq = 1; clock_mono_us() < fleet_end_us; seq++) {
		int64_t round_us = clock_mono_us();
		for (int number = first; number < DAEMONS; number += THREADS) {
			jsPubOptions options;
			int64_t begin_us = clock_mono_us();
			(void)event_text(event, sizeof event, seq);
			(void)snprintf(subject, sizeof subject,
			    seq % 30 == 1 ? "$KV.MUXBUS_PRESENCE.default.h%d.s"
					  : "muxbus.default.h%d.s.event.title_changed",
			    number);
			(void)snprintf(payload, sizeof payload, "{%s}", event);
			(void)snprintf(id, sizeof id, "fleet-%d-%d", number, seq);
			(void)jsPubOptions_Init(&options);
			options.MsgId = id;
			check(js_Publish(NULL, contexts[number], subject, payload,
				  (int)strlen(payload), &options, NULL),
			    "publish");
			(void)pthread_mutex_lock(&latencies_lock);
			if (latencies_count < LATENCIES_MAX)
				latencies[latencies_count++] =
				    (double)(clock_mono_us() - begin_us) / 1000;
			(void)pthread_mutex_unlock(&latencies_lock);
		}
		if (clock_mono_us() - round_us < 1000000)
			(void)usleep((useconds_t)(1000000 - (clock_mono_us() - round_us)));
	}
	return NULL;
}

/* muxbus-nats makes the streams, also without a daemon. */
static void make_streams(natsConnection *connection)
{
	char program[256], log[96], none[96];
	const char *argv[] = {program, "--url", url, "-s", none, NULL};
	jsCtx *js;
	pid_t bridge;
	(void)snprintf(program, sizeof program, "%s/muxbus-nats", getenv("MUXBUS_BUILDDIR"));
	(void)snprintf(log, sizeof log, "%s/bridge.log", dir);
	(void)snprintf(none, sizeof none, "%s/none", dir);
	bridge = start(argv, log);
	check(natsConnection_JetStream(&js, connection, NULL), "JetStream");
	for (int i = 0; i < 200 && messages(js, "KV_MUXBUS_PRESENCE") == 0; i++)
		(void)usleep(50000);
	jsCtx_Destroy(js);
	bench_end(bridge);
}

static void measure_fleet(void)
{
	pthread_t threads[THREADS];
	int first[THREADS];
	size_t before_kib = rss_kib(server), after_kib, count;
	uint64_t cpu_ns;
	for (int number = 0; number < DAEMONS; number++)
		connect_daemon(number);
	after_kib = rss_kib(server);
	bench_row("nats_fleet_memory", (double)(after_kib - before_kib) / DAEMONS, "KiB",
	    "memory of nats-server for one connected daemon of %d; %zu MiB in all", DAEMONS,
	    after_kib / 1024);
	cpu_ns = live_usage(server).cpu_ns;
	fleet_end_us = clock_mono_us() + FLEET_SEC * INT64_C(1000000);
	for (int i = 0; i < THREADS; i++) {
		first[i] = i;
		(void)pthread_create(&threads[i], NULL, run_daemons, &first[i]);
	}
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	count = latencies_count;
	bench_row("nats_fleet_cpu",
	    (double)(live_usage(server).cpu_ns - cpu_ns) / 1e3 / (double)count, "us",
	    "CPU of nats-server for a message; %zu messages in %d s", count, FLEET_SEC);
	bench_row("nats_fleet_rss", (double)rss_kib(server) / 1024, "MiB",
	    "memory of nats-server at the end of that");
	bench_row("nats_fleet_p50", bench_percentile(latencies, count, 50), "ms",
	    "from publishing to the acknowledgement of JetStream");
	bench_row("nats_fleet_p99", bench_percentile(latencies, count, 99), "ms", "the same");
}

int main(void)
{
	const struct rlimit files = {8192, 8192};
	natsConnection *connection;
	char command[96];
	if (mkdtemp(dir) == NULL)
		return 99;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)setenv("XDG_STATE_HOME", dir, 1);
	(void)signal(SIGPIPE, SIG_IGN);
	start_server();
	connection = connect_to_server();
	make_streams(connection);
	measure_fleet();
	measure_rate(connection);
	natsConnection_Destroy(connection);
	bench_end(server);
	(void)snprintf(command, sizeof command, "rm -rf %s", dir);
	return system(command) == 0 ? 0 : 1;
}
