/* SPDX-License-Identifier: ISC */
/*
 * What turns.c records of one turn of the daemon's loop: how long it was, how long of it the
 * loop had no processor although it wanted one, and how long it used one. What is left it
 * was blocked for.
 */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

struct turn {
	double wall_us;
	double queued_us;
	double cpu_us;
};

#endif
