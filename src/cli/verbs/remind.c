/* SPDX-License-Identifier: ISC */
/* muxbus remind: sends a notification with a text after a time, or at a time of day. */
#include <time.h>

#include "cli/verb.h"

#define CLOCK_BACK_SEC (3 * 3600) /* time around a time of day in which clocks may change */

struct remind {
	const char *pane;
	int64_t ms;
	const char *text;
	bool is_clock;
	bool is_recurring;
};

/* Reads 14:30 or 14:30:15 into *at. Refuses 14:3. */
static bool read_clock(const char *text, struct tm *at)
{
	const char *colon = strchr(text, ':'), *end;
	if (colon == NULL || strspn(colon + 1, "0123456789") != 2)
		return false;
	end = strptime(text, "%H:%M:%S", at);
	if (end == NULL) {
		at->tm_sec = 0;
		end = strptime(text, "%H:%M", at);
	}
	at->tm_isdst = -1;
	return end != NULL && *end == '\0';
}

static int seconds_of(time_t time, const struct tm *day)
{
	struct tm at;
	int days;
	if (localtime_r(&time, &at) == NULL)
		return -1;
	days = at.tm_year != day->tm_year ? at.tm_year - day->tm_year : at.tm_yday - day->tm_yday;
	return ((days * 24 + at.tm_hour) * 60 + at.tm_min) * 60 + at.tm_sec;
}

/*
 * Returns the next time at which clocks show a time of day. If daylight saving skips the hour,
 * returns the time of the skip; if it repeats the hour, the first time. Returns 0 if the time of
 * day has passed.
 */
static time_t next_of_day(const struct tm *at, time_t now)
{
	struct tm any = *at, noon = *at;
	int want = (at->tm_hour * 60 + at->tm_min) * 60 + at->tm_sec, before, shown;
	time_t time = mktime(&any) - CLOCK_BACK_SEC, end = time + (time_t)2 * CLOCK_BACK_SEC;
	noon.tm_hour = 12;
	(void)mktime(&noon);
	time = time > now ? time : now;
	for (before = seconds_of(time, &noon); ++time <= end; before = shown) {
		shown = seconds_of(time, &noon);
		if (before < want && shown >= want)
			return time;
	}
	return 0;
}

static bool parse_clock(const char *text, int64_t *ret_ms)
{
	int64_t now_ms = clock_real_ms();
	time_t now = (time_t)(now_ms / 1000);
	struct tm at;
	*ret_ms = 0;
	for (int day = 0; day < 2 && *ret_ms <= 0; day++) {
		(void)localtime_r(&now, &at);
		at.tm_mday += day;
		if (!read_clock(text, &at))
			return false;
		*ret_ms = (int64_t)next_of_day(&at, now) * 1000 - now_ms;
	}
	return *ret_ms > 0;
}

static bool take_word(void *data, const struct option_row *row UNUSED, const char *word)
{
	struct remind *remind = data;
	if (remind->ms >= 0 && remind->text != NULL)
		(void)cli_usage("remind", "quote the text: \"%s\" is left over", word);
	else if (remind->ms >= 0)
		return (remind->text = word) != NULL;
	else if (!option_parse_duration(word, &remind->ms) &&
	    !(remind->is_clock = parse_clock(word, &remind->ms)))
		(void)cli_usage("remind",
		    "the time must be such as 30, 1.5s, 10m, 2h or 14:30, within ten years, not "
		    "\"%s\"",
		    word);
	else if (remind->ms == 0)
		(void)cli_usage("remind", "the time must be longer than 0");
	else
		return true;
	return false;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TAKE, 0, take_word},
    {"pane", 'p', OPTION_TEXT, offsetof(struct remind, pane), NULL},
    {"recurring", 'r', OPTION_FLAG, offsetof(struct remind, is_recurring), NULL},
    {0},
};

enum cli_status remind_run(struct cli *cli, int argc, char **argv)
{
	struct remind remind = {.ms = -1};
	const struct json *result;
	enum cli_status status;
	struct link *link;
	if (!option_read(cli, argc, argv, options, &remind, NULL, &status))
		return status;
	if (remind.text == NULL)
		return cli_usage("remind", "a time and a text are needed, such as: 10m tea");
	if (remind.is_clock && remind.is_recurring)
		return cli_usage("remind", "--recurring goes with a time such as 2h");
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	status = ask_method(link, "sleep",
	    ASK_PARAMS({"seconds", .seconds = (double)remind.ms / 1000},
		{"text", .text = remind.text}, {"recurring", .is_true = remind.is_recurring},
		{"pane", .text = remind.pane}),
	    &result);
	if (status == CLI_DONE)
		show_result(cli, "sleep", result);
	link_close(link);
	return cli_flush(status);
}
