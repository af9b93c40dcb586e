/* SPDX-License-Identifier: ISC */
/* The options of a verb. */
#include "cli/option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

#define DURATION_MAX_SEC (10.0 * 366 * 86400)

void option_start(struct option_reader *reader, struct cli *cli, int argc, char **argv)
{
	*reader = (struct option_reader){.cli = cli, .argc = argc, .argv = argv, .at = 1};
}

enum option_read option_next(struct option_reader *reader, const char **ret_word)
{
	while (reader->at < reader->argc) {
		const char *word = reader->argv[reader->at++];
		const char *equals;
		*ret_word = word;
		if (reader->is_verbatim || word[0] != '-' || !word[1])
			return OPTION_WORD;
		if (strcmp(word, "--") == 0) {
			reader->is_verbatim = true;
			continue;
		}
		if (cli_option(reader->cli, word))
			continue;
		equals = word[1] == '-' ? strchr(word, '=') : NULL;
		reader->name = word;
		reader->attached = equals != NULL ? equals + 1
		    : word[1] != '-' && word[2]   ? word + 2
						  : NULL;
		return OPTION_NAME;
	}
	return OPTION_END;
}

bool option_is(const struct option_reader *reader, char letter, const char *name)
{
	const char *word = reader->name;
	size_t len;
	if (word[1] != '-')
		return letter && word[1] == letter;
	len = strcspn(word + 2, "=");
	return strlen(name) == len && strncmp(word + 2, name, len) == 0;
}

const char *option_value(struct option_reader *reader)
{
	if (reader->attached != NULL)
		return reader->attached;
	if (reader->at < reader->argc)
		return reader->argv[reader->at++];
	(void)cli_usage(reader->argv[0], "%s needs a value", reader->name);
	return NULL;
}

bool option_count(struct option_reader *reader, uint32_t *ret_count)
{
	const char *text = option_value(reader);
	if (text == NULL)
		return false;
	if (str_parse_u32(text, strlen(text), ret_count) && *ret_count > 0)
		return true;
	(void)cli_usage(reader->argv[0], "%s: must be a whole number from 1 on, not \"%s\"",
	    reader->name, text);
	return false;
}

bool option_parse_duration(const char *text, int64_t *ret_ms)
{
	static const struct {
		const char *name;
		double sec;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
	char *end;
	double number;
	if (strchr("0123456789.", *text) == NULL || !*text || strpbrk(text, "xXpP") != NULL)
		return false;
	number = strtod(text, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		double sec;
		if (end == text || strcmp(end, units[i].name) != 0)
			continue;
		sec = number * units[i].sec;
		if (!isfinite(sec) || sec > DURATION_MAX_SEC)
			return false;
		*ret_ms = clock_seconds_to_ms(sec);
		return true;
	}
	return false;
}

bool option_duration(struct option_reader *reader, int64_t *ret_ms)
{
	const char *text = option_value(reader);
	if (text == NULL)
		return false;
	if (option_parse_duration(text, ret_ms))
		return true;
	(void)cli_usage(reader->argv[0],
	    "%s: must be a time such as 30, 1.5s, 10m or 2h, not \"%s\"", reader->name, text);
	return false;
}

enum cli_status option_unknown(const struct option_reader *reader)
{
	return cli_usage(reader->argv[0], "unknown option %s", reader->name);
}
