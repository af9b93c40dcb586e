/* SPDX-License-Identifier: ISC */
/* The condition sec: a time has passed. */
#include "daemon/wait/condition.h"
#include "io/loop_timer.h"

struct sec_args {
	double sec;
};

static const struct field sec_fields[] = {
    {FIELD_ROW(NUMBER, struct sec_args, sec, "sec"), .flags = FIELD_REQUIRED, .unit = "s",
	.max = 10 * 366 * 86400.0, .help = "So much time has passed."},
    {.name = NULL},
};

static void sec_due(void *data)
{
	condition_settle(data, CONDITION_MATCHED);
}

static bool sec_arm(struct condition *condition, struct request *request UNUSED, const void *data)
{
	const struct sec_args *args = data;
	int64_t ms = clock_seconds_to_ms(args->sec);
	condition->watch = loop_timer_new(condition->parts->base, sec_due, condition);
	loop_timer_arm(condition->watch, ms);
	return true;
}

static void sec_disarm(struct condition *condition)
{
	loop_timer_free(condition->watch);
}

const struct condition_kind condition_kinds_sec[] = {
    {.name = "sec",
	.help = "So much time has passed.",
	.example = "{\"sec\":30}",
	FIELDS_OF(sec_args, sec_fields),
	.arm = sec_arm,
	.disarm = sec_disarm},
    {.name = NULL},
};
