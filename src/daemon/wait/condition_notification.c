/* SPDX-License-Identifier: ISC */
/* The condition notification: a notification that matches a filter comes. */
#include "daemon/job/job.h"
#include "daemon/queue/consumer.h"
#include "daemon/server/handler.h"
#include "daemon/wait/condition.h"

struct note_watch {
	struct queue_listener listener;
	struct condition *condition;
	struct consumer_filter filter;
	char id[CONSUMER_FILTER_ID_MAX + 1];
};

struct note_args {
	const struct json *notification;
};

static const struct field note_fields[] = {
    {FIELD_ROW(VALUE, struct note_args, notification, "notification"), .flags = FIELD_REQUIRED,
	.help = "A filter: an object of pane, source, id, urgent; {} is any. An id that was "
		"cancelled, replaced or never given is gone.",
	.members = consumer_filter_fields},
    {.name = NULL},
};

/* Matches or ends the condition. note NULL: no notification has the id in the filter. */
static void settle_note(
    struct note_watch *watch, const struct notification *note, enum condition_state state)
{
	struct json_writer writer;
	condition_begin_details(watch->condition, &writer);
	if (note != NULL)
		notification_write_members(&writer, note, false);
	else
		json_put_str(&writer, "id", watch->filter.id);
	condition_end_details(watch->condition, &writer, state);
}

static void note_take(struct note_watch *watch, const struct notification *note)
{
	uint64_t seq = note->seq;
	if (watch->condition->state != CONDITION_PENDING || note->state == NOTE_CANCELLED ||
	    !consumer_filter_matches(&watch->filter, note))
		return;
	if (condition_takes(watch->condition, &note->pane))
		consumer_settle(watch->condition->parts->queue, seq, NULL);
	settle_note(watch, note, CONDITION_MATCHED);
}

/* Returns true if a notification with this id can still come. A job that has ended keeps its id. */
static bool may_come(const struct note_watch *watch)
{
	const struct daemon *parts = watch->condition->parts;
	const struct job *job = job_find(parts->jobs, watch->filter.id);
	return job != NULL ? job->state == JOB_RUNNING
			   : queue_holds_id(parts->queue, watch->filter.id);
}

/* Ends the condition as gone if no notification with its id can come. */
static void look_ahead(struct note_watch *watch)
{
	const struct queue *queue = watch->condition->parts->queue;
	const struct notification *note = NULL, *cancelled = NULL;
	if (watch->condition->state != CONDITION_PENDING || may_come(watch))
		return;
	while ((note = queue_next(queue, note)) != NULL)
		if (consumer_filter_matches(&watch->filter, note))
			cancelled = note;
	settle_note(watch, cancelled, CONDITION_GONE);
}

static void note_posted(struct queue_listener *listener, const struct notification *note)
{
	struct note_watch *watch = list_entry(listener, struct note_watch, listener);
	note_take(watch, note);
	/* After a cancelled notification with this id, no other one will be posted. */
	if (watch->filter.id != NULL && note->state == NOTE_CANCELLED &&
	    consumer_filter_matches(&watch->filter, note) &&
	    watch->condition->state == CONDITION_PENDING)
		settle_note(watch, note, CONDITION_GONE);
}

static void note_look_back(struct note_watch *watch)
{
	const struct queue *queue = watch->condition->parts->queue;
	const struct notification *note = NULL;
	while (watch->condition->state == CONDITION_PENDING &&
	    (note = queue_next(queue, note)) != NULL)
		note_take(watch, note);
}

static bool note_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct note_args *args = data;
	struct consumer_filter filter;
	struct note_watch *watch;
	if (!target_filter(request, "notification", args->notification, &filter))
		return false;
	if (filter.id != NULL)
		filter.id = job_name_id(condition->parts->jobs, filter.id);
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->filter = filter;
	if (filter.id != NULL) {
		snprintf(watch->id, sizeof watch->id, "%s", filter.id);
		watch->filter.id = watch->id;
	}
	watch->listener.posted = note_posted;
	queue_listen(condition->parts->queue, &watch->listener);
	condition->watch = watch;
	if (filter.id != NULL)
		note_look_back(watch);
	/* not for a restored condition (without a method): jobs may be loaded later */
	if (filter.id != NULL && request_method(request) != NULL)
		look_ahead(watch);
	return true;
}

static void note_disarm(struct condition *condition)
{
	struct note_watch *watch = condition->watch;
	list_remove(&watch->listener.link);
	mem_free(watch);
}

const struct condition_kind condition_kinds_notification[] = {
    {.name = "notification",
	.help = "A notification that matches comes.",
	.example = "{\"notification\":{\"source\":\"timer\"}}",
	FIELDS_OF(note_args, note_fields),
	.arm = note_arm,
	.disarm = note_disarm},
    {.name = NULL},
};
