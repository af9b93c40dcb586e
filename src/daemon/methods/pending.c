/* SPDX-License-Identifier: ISC */
#include "daemon/methods/pending.h"

#include "daemon/deliver/self_command.h"
#include "daemon/deliver/way_promise.h"
#include "daemon/job/job.h"
#include "daemon/queue/queue.h"
#include "daemon/timer/timer.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"

struct pending_walk {
	const struct pane_ref *address;
	pending_fn *fn;
	void *data;
};

static void show(const struct pending_walk *walk, const struct pending_entry *pending)
{
	if (walk->address == NULL || pane_ref_equal(pending->address, walk->address))
		walk->fn(walk->data, pending);
}

void pending_each(
    const struct daemon *daemon, const struct pane_ref *address, pending_fn *fn, void *data)
{
	const struct pending_walk walk = {.address = address, .fn = fn, .data = data};
	const struct notification *note = NULL;
	const struct timer *timer = NULL;
	while ((timer = address != NULL ? timer_of_pane(daemon->timers, address, timer)
					: timer_next(daemon->timers, timer)) != NULL)
		show(&walk,
		    &(struct pending_entry){
			"timer", timer->id, &timer->pane, timer->real_due_ms, timer->text});
	next_each (const struct job, job, job_next, daemon->jobs)
		if (job->state == JOB_RUNNING && !job->is_silent)
			show(&walk,
			    &(struct pending_entry){"job", job->id, &job->pane,
				job->timeout_ms > 0 ? job->created_ms + job->timeout_ms : 0,
				job->command});
	next_each (const struct watch, watch, watch_next, daemon->watches)
		show(&walk,
		    &(struct pending_entry){
			"watch", watch->id, &watch->pane, watch->real_due_ms, watch->file});
	next_each (const struct wait, wait, wait_next_background, daemon->waits)
		show(&walk,
		    &(struct pending_entry){
			"wait", wait->name, &wait->pane, wait->due_ms, wait->parts[0].spec});
	next_each (const struct self_command, command, self_command_next, daemon->self_commands)
		show(&walk,
		    &(struct pending_entry){
			"command", command->id, &command->pane, 0, command->text});
	while (address != NULL && (note = queue_next_for(daemon->queue, address, note)) != NULL)
		show(&walk,
		    &(struct pending_entry){"notification", note->id, &note->pane, 0, note->text});
}

static void find_any(void *data, const struct pending_entry *pending UNUSED)
{
	*(bool *)data = true;
}

bool pending_is_any(const struct daemon *daemon, const struct pane_ref *address)
{
	bool is_any = false;
	pending_each(daemon, address, find_any, &is_any);
	return is_any;
}

static void restore(void *data, const struct pending_entry *pending)
{
	way_promise_restore(data, pending->address);
}

void pending_restore(struct daemon *daemon)
{
	pending_each(daemon, NULL, restore, daemon->promises);
}
