/* SPDX-License-Identifier: ISC */
/*
 * The options of a verb as a table: --name value, --name=value, -n value, -qn value after a flag,
 * and words between them. "--" ends the options.
 */
#pragma once

#include "cli/cli.h"

enum option_type {
	OPTION_FLAG, /* bool: it is there; no value */
	OPTION_TEXT, /* const char * */
	OPTION_COUNT, /* uint32_t, from 1 on */
	OPTION_DURATION, /* int64_t, ms: of "2", "1.5s", "10m", "2h", "1d"; at most ten years */
	OPTION_TAKE, /* its value goes to take() */
	OPTION_TAKE_FLAG, /* no value: take() gets NULL */
};

/*
 * An option, or with the name "" a word: OPTION_TEXT takes one, as long as its member is NULL,
 * and OPTION_TAKE takes each.
 */
struct option_row {
	const char *name; /* "timeout"; NULL ends a table */
	char letter; /* 't'; 0: none */
	enum option_type type;
	size_t offset; /* of the member in the struct of the verb; unless take() */
	/* Prints its error and returns false if the value, which is lent from argv, is wrong. */
	bool (*take)(void *data, const struct option_row *row, const char *value);
};

/*
 * Reads all words by the rows (NULL: none) into data. Global options (--json, --color=WHEN) are
 * taken on the way. Returns false with *ret_status if the verb ends here: --help was printed, or
 * an error. With ret_rest the first word that is no option ends the reading: its index in argv,
 * or argc.
 */
bool option_read(struct cli *cli, int argc, char **argv, const struct option_row *rows, void *data,
    int *ret_rest, enum cli_status *ret_status);

/* Parses a duration, as of OPTION_DURATION. */
bool option_parse_duration(const char *text, int64_t *ret_ms);
