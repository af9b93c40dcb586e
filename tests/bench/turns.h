/* SPDX-License-Identifier: ISC */
/*
 * A record of turns.c about one turn of the daemon's loop: its duration, the time in which the
 * loop waited for a processor, and the time in which it used one. For the rest of the turn the
 * loop was blocked.
 */
#pragma once

struct turn {
	double wall_us;
	double queued_us;
	double cpu_us;
};
