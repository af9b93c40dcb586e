/* SPDX-License-Identifier: ISC */
/*
 * Measures the cost of durable notifications (G19): 64 publishers that each wait until their
 * notification survives a power cut, against one write and one sync after the other on the same
 * disk, and against XADD of redis-server with "appendfsync always", if it is installed; one
 * publisher against one of redis; and whether the loop ever waits for the disk.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

enum {
	PUBLISHERS = 64,
	ROUNDS = 7,
	POSTS = 64 * 60,
	ALONE = 150,
	PINGS = 2000,
	SYNCS = 100,
	RECORD_BYTES = 400,
	REPLY_MAX = 4096,
	REDIS_MS = 5000,
};

/* Publishers of either server: a socket each, and how one posts. */
struct server {
	const char *name;
	int fds[PUBLISHERS];
	size_t (*write)(char *out, size_t size, int number);
	char good; /* the first character of a good answer */
};

/* Events a second with one sync each. */
static double one_by_one(const struct live *live)
{
	char record[RECORD_BYTES];
	char path[4200];
	double rate;
	int64_t start_ns;
	int fd;
	(void)snprintf(path, sizeof path, "%s/syncs", live->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	memset(record, 'x', sizeof record);
	start_ns = live_now_ns();
	for (int i = 0; i < SYNCS; i++) {
		if (write(fd, record, sizeof record) != (ssize_t)sizeof record || fdatasync(fd) < 0)
			live_bail("the disk does not take it");
	}
	rate = SYNCS / ((double)(live_now_ns() - start_ns) / 1e9);
	(void)close(fd); /* synced */
	(void)unlink(path);
	return rate;
}

static size_t post_write(char *out, size_t size, int number)
{
	return (size_t)snprintf(out, size,
	    "{\"id\":%d,\"method\":\"post_notification\",\"params\":"
	    "{\"text\":\"the build of branch %d is done\",\"sync\":true}}\n",
	    number, number);
}

static size_t xadd_write(char *out, size_t size, int number)
{
	char text[64];
	int len = snprintf(text, sizeof text, "the build of branch %d is done", number);
	return (size_t)snprintf(out, size,
	    "*5\r\n$4\r\nXADD\r\n$5\r\nnotes\r\n$1\r\n*\r\n$4\r\ntext\r\n$%d\r\n%s\r\n", len, text);
}

static void post(const struct server *server, int publisher, int number)
{
	char text[256];
	size_t len = server->write(text, sizeof text, number);
	if (write(server->fds[publisher], text, len) != (ssize_t)len)
		live_bail("%s: a publisher is cut off", server->name);
}

/* The whole answer to a post: the id of redis comes as two lines. */
static void read_answer(const struct server *server, int publisher)
{
	char reply[REPLY_MAX];
	size_t len = 0;
	int lines = server->good == '$' ? 2 : 1;
	while (lines > 0) {
		ssize_t got = read(server->fds[publisher], reply + len, sizeof reply - 1 - len);
		if (got <= 0)
			live_bail("%s: a publisher gets no answer", server->name);
		for (ssize_t at = 0; at < got; at++)
			lines -= reply[len + (size_t)at] == '\n';
		len += (size_t)got;
	}
	reply[len] = '\0';
	if (reply[0] != server->good || strstr(reply, "\"error\"") != NULL)
		live_bail("%s: a post failed: %s", server->name, reply);
}

/* Events a second when every publisher waits for its own event. */
static double together(const struct server *server)
{
	struct pollfd fds[PUBLISHERS];
	int sent = 0, got = 0;
	int64_t start_ns = live_now_ns();
	for (; sent < PUBLISHERS; sent++) {
		fds[sent] = (struct pollfd){.fd = server->fds[sent], .events = POLLIN};
		post(server, sent, sent);
	}
	while (got < POSTS) {
		if (poll(fds, PUBLISHERS, LIVE_TIMEOUT_MS) <= 0)
			live_bail("%s: no answers", server->name);
		for (int i = 0; i < PUBLISHERS; i++) {
			if (fds[i].revents == 0)
				continue;
			read_answer(server, i);
			got++;
			if (sent < POSTS)
				post(server, i, sent++);
		}
	}
	return POSTS / ((double)(live_now_ns() - start_ns) / 1e9);
}

/* The time of a ping of another peer while all publish, p99.9 in ms. */
static double pinged_ms(struct live *live, const struct server *server)
{
	static double took_ms[PINGS];
	struct pollfd done;
	int fds[2];
	double value;
	pid_t pid;
	if (pipe2(fds, O_CLOEXEC) < 0)
		live_bail("pipe: %s", strerror(errno));
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct talk *talk = talk_new(live);
		for (int i = 0; i < PINGS; i++) {
			int64_t start_ns = live_now_ns();
			(void)talk_call(talk, "ping", NULL);
			took_ms[i] = (double)(live_now_ns() - start_ns) / 1e6;
		}
		value = bench_percentile(took_ms, PINGS, 99.9);
		_exit(write(fds[1], &value, sizeof value) != sizeof value);
	}
	done = (struct pollfd){.fd = fds[0], .events = POLLIN};
	while (poll(&done, 1, 0) == 0)
		(void)together(server);
	if (read(fds[0], &value, sizeof value) != sizeof value)
		live_bail("no pings");
	bench_end(pid);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return value;
}

/* The time of one post of one publisher. */
static double alone_us(const struct server *server)
{
	double took[ALONE];
	for (int i = 0; i < ALONE; i++) {
		int64_t start_ns = live_now_ns();
		post(server, 0, i);
		read_answer(server, 0);
		took[i] = (double)(live_now_ns() - start_ns) / 1e3;
	}
	return bench_median(took, ALONE);
}

static void connect_all(struct server *server, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%.107s", path);
	for (int i = 0; i < PUBLISHERS; i++) {
		int64_t end_ms = live_now_ms() + REDIS_MS;
		server->fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		while (connect(server->fds[i], (struct sockaddr *)&address, sizeof address) < 0) {
			if (live_now_ms() > end_ms)
				live_bail("%s: nothing listens", server->name);
			live_sleep_ms(10);
		}
	}
}

static void close_all(const struct server *server)
{
	for (int i = 0; i < PUBLISHERS; i++)
		(void)close(server->fds[i]); /* all was answered */
}

/* Starts redis-server in the directory of live; false if it is not installed. */
static bool start_redis(struct live *live, struct server *redis)
{
	char path[4200];
	(void)live_run(live, "command -v redis-server");
	if (live->status != 0)
		return false;
	(void)snprintf(path, sizeof path, "%s/redis", live->dir);
	(void)live_spawn(live,
	    "exec redis-server --port 0 --unixsocket %s --dir %s --save '' "
	    "--appendonly yes --appendfsync always --daemonize no >/dev/null",
	    path, live->dir);
	connect_all(redis, path);
	return true;
}

static void compare(const struct server *ours, const struct server *redis)
{
	double rates[ROUNDS], alone[ROUNDS], our_rate[ROUNDS], our_us[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		our_rate[i] = together(ours);
		rates[i] = our_rate[i] / together(redis);
		our_us[i] = alone_us(ours);
		alone[i] = our_us[i] / alone_us(redis);
	}
	bench_rounds("journal_redis", rates, ROUNDS, "x",
	    "%.0f a second, %d publishers; redis: appendfsync always",
	    bench_median(our_rate, ROUNDS), PUBLISHERS);
	bench_rounds("journal_redis_p50", alone, ROUNDS, "x", "%.0f us a post of one publisher",
	    bench_median(our_us, ROUNDS));
}

int main(void)
{
	struct server ours = {.name = "muxbusd", .write = post_write, .good = '{'};
	struct server redis = {.name = "redis", .write = xadd_write, .good = '$'};
	struct live *live = live_new(bench_tmux());
	double ratios[ROUNDS], theirs[ROUNDS], rate[ROUNDS];
	struct bench_turns turns;
	double ping_ms;
	live_start_tmux(live, "exec sleep 3600");
	bench_start_recording(live, NULL);
	connect_all(&ours, live->socket);
	for (int i = 0; i < ROUNDS; i++) {
		theirs[i] = one_by_one(live);
		rate[i] = together(&ours);
		ratios[i] = rate[i] / theirs[i];
	}
	bench_rounds("journal_rate", ratios, ROUNDS, "x",
	    "%.0f against %.0f a second, %d publishers", bench_median(rate, ROUNDS),
	    bench_median(theirs, ROUNDS), PUBLISHERS);
	if (start_redis(live, &redis)) {
		compare(&ours, &redis);
		close_all(&redis);
	} else {
		(void)printf("# redis-server: not installed\n");
	}
	ping_ms = pinged_ms(live, &ours);
	close_all(&ours);
	turns = bench_stop_recording(live, 99.9);
	bench_row("journal_stall", turns.own_ms, "ms",
	    "p99.9 of %zu turns; worst %.2f, at work %.2f; with others on its processor %.2f",
	    turns.count, turns.own_max_ms, turns.cpu_max_ms, turns.wall_max_ms);
	bench_row("journal_ping", ping_ms, "ms", "p99.9 of %d pings", PINGS);
	live_free(live);
	return 0;
}
