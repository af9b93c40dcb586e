/* SPDX-License-Identifier: ISC */
/*
 * Shared by the benches. A bench prints rows, "name median unit [min max rounds] note…"; each row has
 * its line in goals.tsv, and tests/bench/run writes the table. A bench measures two things in turns
 * and reports the median of the ratios of the pairs, because the speed of a machine varies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/harness.h"

/* Both sort values. */
double bench_median(double *values, size_t count);
double bench_percentile(double *values, size_t count, double percent);

/* A row of one figure. For something measured in rounds use the next two functions. */
void bench_row(const char *name, double value, const char *unit, const char *note, ...)
    LIVE_PRINTF(4, 5);
/* A row of the median, minimum and maximum of count rounds. Sorts values. */
void bench_rounds(const char *name, double *values, size_t count, const char *unit,
    const char *note, ...) LIVE_PRINTF(5, 6);
/*
 * A row of the ratios ours[i] / theirs[i]. The note begins with the medians of both, in unit
 * (NULL: without them). Sorts both.
 */
void bench_pairs(const char *name, double *ours, double *theirs, size_t count, const char *unit,
    const char *note, ...) LIVE_PRINTF(6, 7);
/* A row that cannot be measured here, and why: a peer is not installed, say. */
void bench_absent(const char *name, const char *why, ...) LIVE_PRINTF(2, 3);

/* Starts the daemon so that it records the turns of its loop (turns.c). */
void bench_start_recording(struct live *live, const char *arguments);
/*
 * Ends the daemon. Reports the given percentile of its turns and the totals: "own" is the time
 * that the loop itself was at work or blocked; "wall" adds the time in which other processes had
 * its processor.
 */
struct bench_turns {
	size_t count;
	double own_ms;
	double own_max_ms;
	double cpu_max_ms;
	double wall_ms;
	double wall_max_ms;
};
struct bench_turns bench_stop_recording(struct live *live, double percent);

/* The tmux to measure with: $MUXBUS_BENCH_TMUX, else the one of the PATH. */
const char *bench_tmux(void);
/* This program, to be run in a pane in another role. */
const char *bench_self(void);

/* Servers with many panes. */

/* Adds windows of one pane each, per_session of them in a session, until there are count panes. */
void bench_fill(struct live *live, unsigned count, unsigned per_session);
/* The CPU time of a process with one thread, from its schedstat; cheap enough to ask often. */
double bench_cpu_ns(pid_t pid);
/* Waits until these processes have slept for quiet_ms; false if that takes over 10 s. */
bool bench_settle(const pid_t *pids, size_t count, int quiet_ms);

/*
 * Keeps this process and count others on one processor, or lets them run on all again. A p50 of
 * single exchanges is steady on one: a wake-up of a second processor that sleeps costs 50 us on a
 * virtual machine, and the scheduler's choice between the two differs from round to round.
 */
void bench_share_processor(bool is_shared, const pid_t *pids, size_t count);

/*
 * Starts a process that holds so many peers, each with a subscription for each of the params, and
 * reads what they get. It ends with bench_end(), or with the bench.
 */
pid_t bench_subscribers(struct live *live, unsigned peers, const char *const *params);
/*
 * Starts a process that answers a byte with a byte, after wait_ms by a timerfd: the least that a
 * daemon does. Returns its socket; it ends with that, or with the bench.
 */
int bench_hop(int wait_ms);
/* Sends it a byte, and returns when the answer has come, in us. */
double bench_hop_us(int fd);
/* Kills a process that the bench has started, and waits for its end. */
void bench_end(pid_t pid);

/* Runs a program to its end, reads and drops what it prints, and returns how long that took. */
double bench_spawn_ms(const char *const *argv);

/* A raw control client: the minimal use of tmux -C. */

struct raw {
	pid_t pid;
	int to_fd;
	int from_fd;
	char *bytes; /* the last bytes read */
	size_t len;
};

/* flags are those of attach-session -f, such as "ignore-size,no-output". */
struct raw *raw_new(struct live *live, const char *flags);
void raw_free(struct raw *raw);
/* Reads once into bytes; false at the end, or if nothing comes in time. */
bool raw_read(struct raw *raw, int timeout_ms);
/* Sends lines of commands, and reads until that many replies have ended. */
void raw_run(struct raw *raw, const char *lines, size_t replies);

/* A feeder: a program in a pane that writes bursts. */

enum bench_text {
	TEXT_ASCII,
	TEXT_ANSI, /* a coloured log */
	TEXT_SHORT, /* lines of 0 to 8 characters */
};
/* The main() of a process that was started as feeder: "PROGRAM feed TEXT". */
int feeder_main(const char *text);

struct feeder;
/* Starts one in a window of its own of live. */
struct feeder *feeder_new(struct live *live, enum bench_text text);
void feeder_free(struct feeder *feeder);
/*
 * Lets the feeder write len bytes, waits until tmux has parsed all of them, and returns the time
 * that took.
 */
void feeder_start(struct feeder *feeder, size_t len);
/* False if the time is up. */
bool feeder_wait(struct feeder *feeder, int timeout_ms, int64_t *ret_ns);
const char *feeder_pane(const struct feeder *feeder);
