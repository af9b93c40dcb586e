/* SPDX-License-Identifier: ISC */
/*
 * Counts instructions with callgrind, because the count does not vary with the load: for a byte of
 * an event (G10), for a request (G9), and of a tmux server for a byte of output: without a daemon,
 * with one that has no subscriber, and followed by a pipe (G5). bench_parse counts those of G2.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum { BURST_BYTES = 512 * 1024, REQUESTS = 1000, FEW_ROUNDS = 5, MANY_ROUNDS = 25 };

static const char valgrind[] = "valgrind --tool=callgrind --callgrind-out-file=cg.%p -q";

/* The instructions that a process under callgrind has executed since the last call. */
static double take_instructions(struct live *live, pid_t pid)
{
	live_run(live, "rm -f cg.%d.*", (int)pid);
	live_run(live, "callgrind_control -d %d", (int)pid);
	for (int i = 0; i < 500; i++) {
		const char *total =
		    live_run(live, "sed -n 's/^totals: //p' cg.%d.* 2>/dev/null", (int)pid);
		if (*total != '\0')
			return strtod(total, NULL);
		live_sleep_ms(20);
	}
	live_bail("callgrind says nothing: %s", live_run(live, "ls; cat muxbusd.log"));
}

/* Waits until a process is idle. */
static void wait_until_idle(pid_t pid)
{
	int quiet = 0;
	for (int i = 0; i < 2000 && quiet < 10; i++) {
		uint64_t before = live_usage(pid).cpu_ns;
		live_sleep_ms(20);
		quiet = live_usage(pid).cpu_ns == before ? quiet + 1 : 0;
	}
}

static double burst_instructions(struct live *live, struct feeder *feeder, pid_t pid)
{
	int64_t took_ns;
	wait_until_idle(pid);
	(void)take_instructions(live, pid);
	feeder_start(feeder, BURST_BYTES);
	if (!feeder_wait(feeder, 120000, &took_ns))
		live_bail("a burst never ends");
	wait_until_idle(pid);
	return take_instructions(live, pid) / BURST_BYTES;
}

/* All instructions that a program executes, from the file that callgrind leaves. */
static double run_counted(struct live *live, const char *command)
{
	const char *total = live_run(live,
	    "valgrind --tool=callgrind --callgrind-out-file=cg.run -q %s >/dev/null 2>&1;"
	    " sed -n 's/^totals: //p' cg.run",
	    command);
	return strtod(total, NULL);
}

/* bench_escape gets the number of rounds: the difference of two runs is the cost of the rounds. */
static void bench_escape(struct live *live)
{
	char *few = xasprintf("%.*s/bench_escape ansi %d",
	    (int)(strrchr(bench_self(), '/') - bench_self()), bench_self(), FEW_ROUNDS);
	char *many = xasprintf("%.*s/bench_escape ansi %d",
	    (int)(strrchr(bench_self(), '/') - bench_self()), bench_self(), MANY_ROUNDS);
	const char *bytes = live_run(live, "%s | sed 's/[^ ]* \\([0-9]*\\).*/\\1/'", few);
	double per_round = strtod(bytes, NULL) / FEW_ROUNDS;
	double count = run_counted(live, many) - run_counted(live, few);
	if (per_round > 0 && count > 0)
		bench_row("ir_escape", count / (per_round * (MANY_ROUNDS - FEW_ROUNDS)), "Ir/B",
		    "coloured log");
	mem_free(few);
	mem_free(many);
}

/* A request again and again, the next one after each response. */
static void count_request(
    struct live *live, struct talk *talk, const char *row, const char *method, const char *params)
{
	for (int i = 0; i < 100; i++)
		if (at(talk_call_json(talk, method, params), "result") == NULL)
			live_bail("%s: %s", method, talk_text(talk));
	wait_until_idle(live->daemon_pid);
	(void)take_instructions(live, live->daemon_pid);
	for (int i = 0; i < REQUESTS; i++)
		(void)talk_call_json(talk, method, params);
	bench_row(row, take_instructions(live, live->daemon_pid) / REQUESTS, "Ir", "%s, one by one",
	    method);
}

static void bench_requests(void)
{
	struct live *live = live_start(bench_tmux(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	count_request(live, talk, "ir_request", "ping", "{}");
	count_request(live, talk, "ir_command", "run_tmux",
	    "{\"command\":[\"display-message\",\"-p\",\"#{pane_id}\"]}");
	count_request(live, talk, "ir_wait", "wait_for", "{\"any\":[{\"sec\":0}]}");
	count_request(live, talk, "ir_post", "post_notification", "{\"text\":\"hello\"}");
	talk_free(talk);
	live_free(live);
}

/* A tmux server that runs under callgrind; the daemon is configured with this tmux. */
static void bench_server(void)
{
	struct live *live = live_new(bench_tmux());
	char *arguments = xasprintf("--tmux '%s'", live->tmux);
	double with, bare;
	struct feeder *feeder;
	struct talk *talk;
	/* -D: the server itself, without the fork after which callgrind cannot be asked. */
	live->server_pid = live_spawn(
	    live, "exec %s '%s' -D -S '%s' -f /dev/null", valgrind, live->tmux, live->tmux_socket);
	live_run(live, "until test -S '%s'; do sleep 0.1; done; sleep 1", live->tmux_socket);
	live_tmux(live, "new-session -d -s main 'exec sleep 3600'");
	if (live->status != 0)
		live_bail("tmux does not start under callgrind");
	feeder = feeder_new(live, TEXT_ASCII);
	bare = burst_instructions(live, feeder, live->server_pid);
	(void)unsetenv("MUXBUS_WRAPPER");
	live_start_daemon(live, arguments);
	live_sleep_ms(1000);
	with = burst_instructions(live, feeder, live->server_pid);
	bench_row("ir_unwatched", with / bare, "x", "tmux %s: %.1f against %.1f Ir/B",
	    live->version, with, bare);
	talk = talk_new(live);
	if (!talk_send(talk,
		"{\"id\":\"w\",\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":\"never "
		"written\",\"pane\":\"%s\"}],\"timeout_sec\":3600}}",
		feeder_pane(feeder)) ||
	    !live_tmux_until(
		live, "1", "display-message -p -t %s '#{pane_pipe}'", feeder_pane(feeder)))
		live_bail("the pane is not followed by a pipe");
	with = burst_instructions(live, feeder, live->server_pid);
	bench_row("ir_piped", with / bare, "x", "tmux %s: %.1f against %.1f Ir/B", live->version,
	    with, bare);
	talk_free(talk);
	feeder_free(feeder);
	mem_free(arguments);
	bench_escape(live);
	live_free(live);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "feed") == 0)
		return feeder_main(argv[2]);
	if (system("command -v valgrind >/dev/null && command -v callgrind_control >/dev/null") !=
	    0) {
		(void)printf("# valgrind is not installed\n");
		return 0;
	}
	(void)setenv("MUXBUS_WRAPPER", valgrind, 1);
	bench_requests();
	bench_server();
	return 0;
}
