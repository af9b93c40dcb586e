/* SPDX-License-Identifier: ISC */
/*
 * list_panes after a time without requests (G22), so that no listing is young: how long the answer
 * takes, and the CPU time of tmux for it. The same after a program has written to one pane, and
 * after a command of another client: a started `tmux list-panes -a`.
 * The worst case beside these: programs have written to more windows than are listed one by one.
 * get_pane of one pane, and an answer that may be old. The daemon follows tmux, and is at rest.
 * The listing at once after another comes from the model (G20).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { ROUNDS = 15, REPEATS = 20, SILENCE_MS = 110, SETTLE_MS = 18000, BUSY = 12 };

static const unsigned sizes[] = {10, 100, 500};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const char list_request[] = "{\"id\":1,\"method\":\"list_panes\"}\n";
static const char pane_request[] =
    "{\"id\":1,\"method\":\"get_pane\",\"params\":{\"pane\":\"%0\"}}\n";
static const char aged_request[] =
    "{\"id\":1,\"method\":\"get_pane\",\"params\":{\"pane\":\"%0\",\"max_age_ms\":60000}}\n";

/* From the first byte of the request to the last byte of the answer, which has min_len bytes. */
static double answer_ms(struct talk *talk, const char *request, size_t min_len)
{
	static char bytes[1024 * 1024];
	int64_t start_ns = live_now_ns();
	size_t len = 0;
	ssize_t n = 1;
	double took_ms;
	(void)talk_send_bytes(talk, request, strlen(request));
	while (n > 0 && (len == 0 || bytes[len - 1] != '\n')) {
		n = read(talk_fd(talk), bytes + len, sizeof bytes - len);
		len += n > 0 ? (size_t)n : 0;
	}
	took_ms = (double)(live_now_ns() - start_ns) / 1e6;
	if (memmem(bytes, len, "\"result\"", 8) == NULL || len < min_len)
		live_bail("no answer of %zu bytes to %s", min_len, request);
	return took_ms;
}

static double list_ms(struct talk *talk, unsigned size)
{
	return answer_ms(talk, list_request, (size_t)size * 100);
}

static double spawn_ms(struct live *live)
{
	const char *const argv[] = {live->tmux, "-S", live->tmux_socket, "list-panes", "-a", NULL};
	return bench_spawn_ms(argv);
}

static void print_size(const char *what, unsigned size, double *values, const char *note)
{
	char row[32];
	(void)snprintf(row, sizeof row, "list_%s_%u", what, size);
	bench_rounds(row, values, ROUNDS, "ms", "after %d ms %s", SILENCE_MS, note);
}

/* A listing after a silence, and tmux's CPU time for the listing. */
static void list_once(
    struct live *live, struct talk *talk, unsigned size, double *wall, double *cpu)
{
	double before;
	live_sleep_ms(SILENCE_MS);
	before = bench_cpu_ns(live->server_pid);
	*wall = list_ms(talk, size);
	*cpu = (bench_cpu_ns(live->server_pid) - before) / 1e6;
}

static double bench_silence(struct live *live, struct talk *talk, unsigned size)
{
	double wall[ROUNDS], cpu[ROUNDS];
	for (int i = 0; i < ROUNDS; i++)
		list_once(live, talk, size, &wall[i], &cpu[i]);
	print_size("wall", size, wall, "of silence");
	print_size("cpu", size, cpu, "of silence");
	return bench_median(wall, ROUNDS);
}

/* The same if programs have written to many panes, each in a window of its own. */
static void bench_busy(struct live *live, struct talk *talk, unsigned size)
{
	double wall[ROUNDS], cpu[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		for (int pane = 0; pane < BUSY; pane++) {
			int tty =
			    open(live_tmux(live, "display-message -p -t %%%d '#{pane_tty}'", pane),
				O_WRONLY | O_NOCTTY | O_CLOEXEC);
			if (write(tty, "text\r\n", 6) != 6)
				live_bail("the terminal of a pane cannot be written to");
			close(tty);
		}
		list_once(live, talk, size, &wall[i], &cpu[i]);
	}
	print_size("busy_wall", size, wall, "with a line in each of 12 windows");
	print_size("busy_cpu", size, cpu, "with a line in each of 12 windows");
}

/* get_pane after a silence, and after a command of another client; and one that may be old. */
static void bench_pane(struct live *live, struct talk *talk, unsigned size)
{
	double wall[ROUNDS], after[ROUNDS], aged[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		live_sleep_ms(SILENCE_MS);
		wall[i] = answer_ms(talk, pane_request, 100);
		live_tmux(live, "rename-window -t %%0 name%d", i);
		live_sleep_ms(SILENCE_MS);
		after[i] = answer_ms(talk, pane_request, 100);
		aged[i] = answer_ms(talk, aged_request, 100);
	}
	print_size("pane_wall", size, wall, "of silence");
	print_size("pane_command_wall", size, after, "and a command of another client");
	print_size("pane_aged_wall", size, aged, "max_age_ms 60000");
}

/* The same if a program has written to a pane. */
static void bench_written(struct live *live, struct talk *talk, unsigned size)
{
	double wall[ROUNDS], cpu[ROUNDS];
	int tty = open(live_tmux(live, "display-message -p -t %%0 '#{pane_tty}'"),
	    O_WRONLY | O_NOCTTY | O_CLOEXEC);
	for (int i = 0; i < ROUNDS; i++) {
		if (write(tty, "text\r\n", 6) != 6)
			live_bail("the terminal of a pane cannot be written to");
		list_once(live, talk, size, &wall[i], &cpu[i]);
	}
	close(tty);
	print_size("written_wall", size, wall, "with a line in one pane");
	print_size("written_cpu", size, cpu, "with a line in one pane");
}

/* The same if another client has run a command: a started `tmux list-panes -a`. */
static void bench_command(struct live *live, struct talk *talk, unsigned size)
{
	double wall[ROUNDS], cpu[ROUNDS], their_wall[ROUNDS], their_cpu[ROUNDS];
	char row[32];
	for (int i = 0; i < ROUNDS; i++) {
		double before = bench_cpu_ns(live->server_pid);
		their_wall[i] = spawn_ms(live);
		their_cpu[i] = (bench_cpu_ns(live->server_pid) - before) / 1e6;
		list_once(live, talk, size, &wall[i], &cpu[i]);
	}
	(void)snprintf(row, sizeof row, "list_spawn_%u", size);
	bench_pairs(row, wall, their_wall, ROUNDS, "ms", "as long as by starting tmux");
	(void)snprintf(row, sizeof row, "list_spawn_cpu_%u", size);
	bench_pairs(row, cpu, their_cpu, ROUNDS, "ms", "of tmux");
}

static void bench_repeated(struct live *live, struct talk *talk, unsigned size)
{
	double ours[REPEATS], theirs[REPEATS];
	(void)list_ms(talk, size);
	for (int i = 0; i < REPEATS; i++) {
		theirs[i] = spawn_ms(live);
		(void)list_ms(talk, size);
		ours[i] = list_ms(talk, size);
	}
	bench_pairs("list_panes", theirs, ours, REPEATS, "ms", "the second of two requests");
}

/* The silence begins when the terminals of all panes are known to be old: see details.c. */
static double bench_size(struct live *live, unsigned size)
{
	struct talk *talk = talk_new(live);
	double wall;
	(void)list_ms(talk, size);
	live_sleep_ms(SETTLE_MS);
	(void)list_ms(talk, size);
	wall = bench_silence(live, talk, size);
	bench_written(live, talk, size);
	bench_command(live, talk, size);
	bench_pane(live, talk, size);
	if (size > BUSY)
		bench_busy(live, talk, size);
	if (size == 100)
		bench_repeated(live, talk, size);
	talk_free(talk);
	return wall;
}

/* At rest nothing is announced, and each request has tmux list what it needs. */
static void bench_rest(struct live *live, unsigned size)
{
	struct talk *talk = talk_new(live);
	double wall[ROUNDS], cpu[ROUNDS], pane[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		list_once(live, talk, size, &wall[i], &cpu[i]);
		live_sleep_ms(SILENCE_MS);
		pane[i] = answer_ms(talk, pane_request, 100);
	}
	print_size("rest_wall", size, wall, "at rest");
	print_size("rest_cpu", size, cpu, "at rest");
	print_size("rest_pane", size, pane, "at rest");
	talk_free(talk);
}

int main(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	double walls[SIZES];
	for (size_t i = 0; i < SIZES; i++) {
		(void)live_stop_daemon(live, SIGTERM);
		bench_fill(live, sizes[i], sizes[i]);
		live_start_daemon(live, "-o attach=never");
		bench_rest(live, sizes[i]);
		(void)live_stop_daemon(live, SIGTERM);
		live_start_daemon(live, "-o attach=always");
		walls[i] = bench_size(live, sizes[i]);
	}
	bench_row("list_growth", walls[SIZES - 1] / walls[0], "x", "%.3g ms against %.3g",
	    walls[SIZES - 1], walls[0]);
	live_free(live);
	return 0;
}
