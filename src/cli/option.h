/* SPDX-License-Identifier: ISC */
/*
 * The options of a verb as a table. Forms: --name value, --name=value, -n value, -nvalue, and -qn
 * value for a flag q and an option n. Words may stand between options; "--" ends the options.
 */
#pragma once

#include "cli/cli.h"

enum option_type {
	OPTION_FLAG, /* bool, set to true; takes no value */
	OPTION_TEXT, /* const char * */
	OPTION_COUNT, /* uint32_t, at least 1 */
	OPTION_DURATION, /* int64_t in ms, from "2", "1.5s", "10m", "2h", "1d"; at most ten years */
	OPTION_TAKE, /* take() gets the value */
	OPTION_TAKE_FLAG, /* takes no value; take() gets NULL */
	OPTION_TAKE_GIVEN, /* take() gets a value from the same word, as in --name=value, or NULL */
};

/*
 * An option. A row without name and letter takes the words that are no options. OPTION_TEXT takes
 * one word, if the row's member is still NULL; OPTION_TAKE takes any number of words.
 */
struct option_row {
	const char *name; /* such as "timeout", or ""; NULL ends the table */
	char letter; /* such as 't'; 0 if none */
	enum option_type type;
	size_t offset; /* of the member in the struct `data` of option_read(); take() may use it */
	/* Handles a value, lent from argv. Prints an error and returns false if it is not valid. */
	bool (*take)(void *data, const struct option_row *row, const char *value);
};

/*
 * Reads all words by the rows (or NULL), and --json, --text and --color. Returns false with
 * *ret_status if --help or an error was printed. With ret_rest, reading ends at the first word that
 * is no option, and *ret_rest is the index of that word.
 */
bool option_read(struct cli *cli, int argc, char **argv, const struct option_row *rows, void *data,
    int *ret_rest, enum cli_status *ret_status);

/* Parses a duration in the form of OPTION_DURATION. */
bool option_parse_duration(const char *text, int64_t *ret_ms);
