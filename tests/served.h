/* SPDX-License-Identifier: ISC */
/*
 * The server of muxbusd alone, in a process of its own, without tmux and with methods that
 * tests need: echo, late (in order), wait (not), big, publish, count (with keys) and so on. And a
 * peer to talk to it. All waiting has a bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "daemon/core/config.h"

#define SERVED_TIMEOUT_MS 10000

struct served {
	char dir[40];
	char socket[64];
	struct config config;
	pid_t pid;
};

/* Makes the directory and the configuration; settings ("peers=4"), ended by NULL, are limits. */
void served_init(struct served *served, const char *const *settings);
/* Starts the server with at most files_max descriptors (0: as now). False with the reason. */
bool served_start(struct served *served, unsigned files_max, char *ret_reason, size_t size);
/* Ends the server with a signal. Returns its wait status. */
int served_stop(struct served *served, int signal_number);
/* Ends the server if it runs, and removes the directory. */
void served_finish(struct served *served);

struct guest {
	int fd;
	struct buf input;
	size_t taken; /* bytes of input that belong to the last line */
	bool is_at_end;
};

bool guest_connect(struct guest *guest, const struct served *served);
void guest_close(struct guest *guest);
bool guest_send(struct guest *guest, const char *bytes, size_t len);
bool guest_say(struct guest *guest, const char *format, ...) __attribute__((format(printf, 2, 3)));
void guest_half_close(struct guest *guest);
/* Returns the next line without its newline, valid until the next call; NULL at end or timeout. */
const char *guest_line(struct guest *guest, int timeout_ms);
