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
	bool is_verbatim; /* behind "--" */
	const char *name; /* of the option that was read, as it was written */
	const char *attached; /* what stood behind its "=" */
};

enum option_read {
	OPTION_END,
	OPTION_WORD, /* no option */
	OPTION_NAME, /* --name, or -n */
};

void option_start(struct option_reader *reader, struct cli *cli, int argc, char **argv);

/*
 * The next word; options that may stand anywhere (--json, --color=WHEN) are taken on the way.
 * *ret_word is the word, or the option without its value.
 */
enum option_read option_next(struct option_reader *reader, const char **ret_word);

/* Whether the option that was read has one of these names; letter 0: none. */
bool option_is(const struct option_reader *reader, char letter, const char *name);

/*
 * Its value. NULL after saying that there is none, and false for the others: then return
 * CLI_USAGE.
 */
const char *option_value(struct option_reader *reader);
bool option_count(struct option_reader *reader, uint32_t *ret_count);
/* Milliseconds of "2", "1.5s", "10m", "2h", "1d"; at most ten years. */
bool option_duration(struct option_reader *reader, int64_t *ret_ms);

/* The same, of any text. */
bool option_parse_duration(const char *text, int64_t *ret_ms);

/* Says that the option is not known, or what is wrong with it; returns CLI_USAGE. */
enum cli_status option_unknown(const struct option_reader *reader);

#endif
