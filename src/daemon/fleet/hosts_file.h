/* SPDX-License-Identifier: ISC */
/*
 * The list of hosts: the user's hosts file, and the daemons of the tmux servers on this machine.
 * Both are read again when they change.
 */
#pragma once

#include "base/base.h"

#define HOSTS_FILE_BYTES ((size_t)1024 * 1024)
#define HOSTS_FILE_ERRORS 20 /* that are kept; later ones are counted with the last */
#define HOSTS_FILE_ERROR_SIZE 256

struct event_base;
struct host_set;

struct hosts_file_error {
	unsigned line; /* 0: of the whole file */
	char text[HOSTS_FILE_ERROR_SIZE];
};

/* Adds hosts to the set now, and adds and removes them later. The set outlives the file. */
struct hosts_file *hosts_file_new(struct event_base *base, struct host_set *hosts);
void hosts_file_free(struct hosts_file *file); /* NULL is accepted */

const char *hosts_file_path(const struct hosts_file *file); /* "": there is none */
/* The errors of the last reading; NULL: no more. */
const struct hosts_file_error *hosts_file_error(const struct hosts_file *file, size_t at);
