/* SPDX-License-Identifier: ISC */
/* The options of a verb: --name value, --name=value, -n value, and words between them. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"

struct option_reader {
	struct cli *cli;
	int argc;
	char **argv;
	int at;
	bool is_verbatim; /* after "--" */
	const char *name; /* of the current option, as written */
	const char *attached; /* the text after its "=" */
};

enum option_read {
	OPTION_END,
	OPTION_WORD, /* not an option */
	OPTION_NAME, /* --name, or -n */
};

void option_start(struct option_reader *reader, struct cli *cli, int argc, char **argv);

/*
 * Reads the next word, and takes global options (--json, --color=WHEN) on the way. *ret_word is
 * the word, or the option without its value.
 */
enum option_read option_next(struct option_reader *reader, const char **ret_word);

/* Whether the current option has one of these names; letter 0: none. */
bool option_is(const struct option_reader *reader, char letter, const char *name);

/*
 * The value of the current option. Without a valid value prints an error and returns NULL, or
 * false for the others: then return CLI_USAGE.
 */
const char *option_value(struct option_reader *reader);
bool option_count(struct option_reader *reader, uint32_t *ret_count);
/* Milliseconds of "2", "1.5s", "10m", "2h", "1d"; at most ten years. */
bool option_duration(struct option_reader *reader, int64_t *ret_ms);

/* Parses the same format from any text. */
bool option_parse_duration(const char *text, int64_t *ret_ms);

/* Prints that the option is unknown, or its error; returns CLI_USAGE. */
enum cli_status option_unknown(const struct option_reader *reader);

#endif
