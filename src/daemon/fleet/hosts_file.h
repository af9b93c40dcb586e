/* SPDX-License-Identifier: ISC */
/*
 * The list of hosts: the user's hosts file, and the daemons of the tmux servers on this machine.
 * Changes of both are read at once.
 */
#pragma once

#include "base/base.h"

#define HOSTS_FILE_ERRORS 20 /* errors kept; later ones are only logged */
#define HOSTS_FILE_ERROR_SIZE 256

struct event_base;
struct host_set;

struct hosts_file_error {
	unsigned line; /* 0: the whole file */
	char text[HOSTS_FILE_ERROR_SIZE];
};

/* Adds the hosts to the set, and updates the set after changes. The set must outlive the file. */
struct hosts_file *hosts_file_new(struct event_base *base, struct host_set *hosts);
void hosts_file_free(struct hosts_file *file); /* file may be NULL */

const char *hosts_file_path(const struct hosts_file *file); /* "" if none */
/* Returns an error of the last read by index, or NULL behind the last error. */
const struct hosts_file_error *hosts_file_error(const struct hosts_file *file, size_t at);
