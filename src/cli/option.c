/* SPDX-License-Identifier: ISC */
#include "cli/option.h"

#include <math.h>

#define DURATION_MAX_SEC (10.0 * 366 * 86400)

struct option_reader {
	int argc;
	char **argv;
	int at;
	void *data;
};

static const struct option_row *find_row(
    const struct option_row *rows, const char *name, bool is_long)
{
	size_t len = strcspn(name, "=");
	for (; rows != NULL && rows->name != NULL; rows++) {
		bool is_it = is_long
		    ? len > 0 && strlen(rows->name) == len && strncmp(name, rows->name, len) == 0
		    : rows->letter && *name == rows->letter;
		if (is_it)
			return rows;
	}
	return NULL;
}

static const struct option_row *find_word_row(const struct option_row *rows, const void *data)
{
	for (; rows != NULL && rows->name != NULL; rows++) {
		const char *const *member = (const void *)((const char *)data + rows->offset);
		if (*rows->name == '\0' && !rows->letter &&
		    (rows->type == OPTION_TAKE || *member == NULL))
			return rows;
	}
	return NULL;
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

static bool put_value(const struct option_reader *reader, const struct option_row *row,
    const char *name, const char *value)
{
	char *member = (char *)reader->data + row->offset;
	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)(void *)member = true;
		return true;
	case OPTION_TEXT:
		*(const char **)(void *)member = value;
		return true;
	case OPTION_COUNT:
		if (str_parse_u32(value, strlen(value), (uint32_t *)(void *)member) &&
		    *(uint32_t *)(void *)member > 0)
			return true;
		(void)cli_usage(reader->argv[0], "%s: must be a whole number from 1 on, not \"%s\"",
		    name, value);
		return false;
	case OPTION_DURATION:
		if (option_parse_duration(value, (int64_t *)(void *)member))
			return true;
		(void)cli_usage(reader->argv[0],
		    "%s: must be a time such as 30, 1.5s, 10m or 2h, not \"%s\"", name, value);
		return false;
	case OPTION_TAKE:
	case OPTION_TAKE_FLAG:
	case OPTION_TAKE_GIVEN:
		break;
	}
	return row->take(reader->data, row, value);
}

static bool take_option(
    struct option_reader *reader, const struct option_row *rows, const char *word)
{
	bool is_long = word[1] == '-';
	const char *name = word + (is_long ? 2 : 1), *rest, *value = NULL;
	const struct option_row *row;
	for (;; name++) {
		row = find_row(rows, name, is_long);
		rest = is_long ? strchr(name, '=') : name + 1;
		if (row == NULL) {
			(void)cli_usage(reader->argv[0], "unknown option %s", word);
			return false;
		}
		if (row->type != OPTION_FLAG && row->type != OPTION_TAKE_FLAG)
			break;
		if (is_long && rest != NULL) {
			(void)cli_usage(reader->argv[0], "%s: takes no value", word);
			return false;
		}
		if (!put_value(reader, row, word, NULL))
			return false;
		if (is_long || *rest == '\0')
			return true;
	}
	if (is_long && rest != NULL)
		value = rest + 1;
	else if (!is_long && *rest != '\0')
		value = rest;
	else if (row->type != OPTION_TAKE_GIVEN && reader->at < reader->argc)
		value = reader->argv[reader->at++];
	if (value != NULL || row->type == OPTION_TAKE_GIVEN)
		return put_value(reader, row, word, value);
	(void)cli_usage(reader->argv[0], "%s needs a value", word);
	return false;
}

bool option_read(struct cli *cli, int argc, char **argv, const struct option_row *rows, void *data,
    int *ret_rest, enum cli_status *ret_status)
{
	struct option_reader reader = {argc, argv, 1, data};
	bool is_verbatim = false, is_good = true;
	*ret_status = CLI_DONE;
	while (is_good && reader.at < argc) {
		const char *word = argv[reader.at++];
		const struct option_row *row;
		if (!is_verbatim && strcmp(word, "--") == 0) {
			is_verbatim = true;
		} else if (is_verbatim || word[0] != '-' || !word[1]) {
			if (ret_rest != NULL) {
				reader.at--;
				break;
			}
			row = find_word_row(rows, data);
			if (row == NULL)
				(void)cli_usage(argv[0], "unexpected argument \"%s\"", word);
			is_good = row != NULL && put_value(&reader, row, word, word);
		} else if (cli_help(argv[0], word)) {
			return false;
		} else if (!cli_option(cli, word)) {
			is_good = take_option(&reader, rows, word);
		}
	}
	if (ret_rest != NULL)
		*ret_rest = reader.at;
	*ret_status = is_good ? CLI_DONE : CLI_USAGE;
	return is_good;
}
