/* SPDX-License-Identifier: ISC */
/* The condition cpu_below: the machine, or a pane's processes, use little processor time. */
#include "base/cpu_sample.h"
#include "daemon/server/target.h"
#include "daemon/wait/condition.h"
#include "io/loop_timer.h"

enum { CPU_STEP_MS = 1000 };

struct cpu_watch {
	struct condition *condition;
	struct loop_timer *timer;
	pid_t pid; /* first process of the pane; 0: the whole machine */
	double percent;
	int64_t for_ms;
	int64_t since_ms; /* CLOCK_MONOTONIC when use fell below the limit; 0: not below */
	double latest;
	struct cpu_sample sample;
};

struct cpu_args {
	double cpu_below, for_sec;
	const char *pane;
};

static const struct field cpu_fields[] = {
    {FIELD_ROW(NUMBER, struct cpu_args, cpu_below, "cpu_below"), .flags = FIELD_REQUIRED,
	.unit = "%", .max = 100000,
	.help = "Percent of the machine; with pane: of one processor, by the pane's processes."},
    {FIELD_ROW(NUMBER, struct cpu_args, for_sec, "for_sec"), .unit = "s", .max = 86400,
	.preset = "1", .help = "How long it must stay below that."},
    {FIELD_ROW(STRING, struct cpu_args, pane, "pane"), .help = "Only the processes of this pane."},
    {.name = NULL},
};

static void cpu_look(void *data)
{
	struct cpu_watch *watch = data;
	int64_t now_ms = clock_mono_ms();
	struct cpu_sample now;
	struct json_writer writer;
	if (cpu_sample_take(watch->pid, &now) < 0) {
		condition_settle(watch->condition, CONDITION_GONE);
		return;
	}
	watch->latest = cpu_percent(&watch->sample, &now, watch->pid);
	watch->sample = now;
	if (watch->latest >= watch->percent)
		watch->since_ms = 0;
	else if (watch->since_ms == 0)
		/* the sample covers the time since the last step */
		watch->since_ms = now_ms - CPU_STEP_MS;
	if (watch->since_ms == 0 || now_ms - watch->since_ms < watch->for_ms) {
		loop_timer_arm(watch->timer, CPU_STEP_MS);
		return;
	}
	condition_begin_details(watch->condition, &writer);
	json_put_double(&writer, "cpu_percent", watch->latest);
	json_put_double(&writer, "for_sec", (double)(now_ms - watch->since_ms) / 1000);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static bool cpu_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct cpu_args *args = data;
	const struct muxbus_pane *pane = NULL;
	struct cpu_watch *watch;
	if (args->pane != NULL && !target_pane(request, args->pane, &pane))
		return false;
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->pid = pane != NULL ? pane->pid : 0;
	condition->pane = pane != NULL ? pane->id : MUXBUS_NO_ID;
	watch->percent = args->cpu_below;
	watch->for_ms = clock_seconds_to_ms(args->for_sec);
	watch->timer = loop_timer_new(condition->parts->base, cpu_look, watch);
	condition->watch = watch;
	if (cpu_sample_take(watch->pid, &watch->sample) < 0)
		condition_settle(condition, CONDITION_GONE);
	else
		loop_timer_arm(watch->timer, CPU_STEP_MS);
	return true;
}

static void cpu_disarm(struct condition *condition)
{
	struct cpu_watch *watch = condition->watch;
	loop_timer_free(watch->timer);
	mem_free(watch);
}

const struct condition_kind condition_kinds_cpu[] = {
    {.name = "cpu_below",
	.help = "The machine, or a pane's processes, use less than so much.",
	.example = "{\"cpu_below\":10,\"for_sec\":30}",
	FIELDS_OF(cpu_args, cpu_fields),
	.pane_member = "pane",
	.arm = cpu_arm,
	.disarm = cpu_disarm},
    {.name = NULL},
};
