/* SPDX-License-Identifier: ISC */
/* The command line of muxbus-nats. */
#ifndef NATS_OPTIONS_H
#define NATS_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "nats/broker.h"
#include "nats/name.h"
#include "nats/stores.h"

struct options {
	struct broker_options broker;
	struct stores_options stores;
	struct names names;
	char socket[PATH_MAX]; /* of muxbusd */
	char cursor[PATH_MAX + NAME_SIZE + 16]; /* the file */
	char consumer[NAME_SIZE + 8];
	const char *kinds; /* of events; NULL: those of subscribe */
	const char *allow;
	bool takes_posts;
	bool takes_requests;
	int verbosity; /* -1: errors only */
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE, /* help or the version was printed */
	OPTIONS_WRONG, /* an error was printed */
};

/* Texts are lent from argv. */
enum options_result options_read(struct options *out, int argc, char **argv);

#endif
