/* SPDX-License-Identifier: ISC */
/*
 * What the live benches share. Each prints lines "name value unit note…"; tests/bench/run
 * joins them with the goals. Two things are always measured in turns, and the median of
 * the ratios of the pairs is what counts, because machines have moods.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/harness.h"

/* Both sort values. */
double bench_median(double *values, size_t count);
double bench_percentile(double *values, size_t count, double percent);

void bench_row(const char *name, double value, const char *unit, const char *note, ...)
    LIVE_PRINTF(4, 5);

/* Starts the daemon so that it records the turns of its loop (turns.c). */
void bench_start_recording(struct live *live, const char *arguments);
/*
 * Ends it, and tells of its turns what lies at that percentile, and at the end: "own" is
 * what the loop itself was away, at work or blocked; "wall" what it was with the time for
 * which others had its processor.
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

/* ---- a raw control client: the least that can be done with tmux -C ---------------- */

struct raw {
	pid_t pid;
	int to_fd;
	int from_fd;
	char *bytes; /* what was read last */
	size_t len;
};

/* flags are those of attach-session -f, such as "ignore-size,no-output". */
struct raw *raw_new(struct live *live, const char *flags);
void raw_free(struct raw *raw);
/* Reads once into bytes; false at the end, or if nothing comes in time. */
bool raw_read(struct raw *raw, int timeout_ms);
/* Sends lines of commands, and reads until that many replies have ended. */
void raw_run(struct raw *raw, const char *lines, size_t replies);

/* ---- a feeder: a program in a pane that writes bursts ----------------------------- */

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
/* Has it write len bytes and wait until tmux has parsed them all; returns how long it took. */
void feeder_start(struct feeder *feeder, size_t len);
/* False if the time is up. */
bool feeder_wait(struct feeder *feeder, int timeout_ms, int64_t *ret_ns);
const char *feeder_pane(const struct feeder *feeder);

#endif
