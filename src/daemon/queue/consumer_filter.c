/* SPDX-License-Identifier: ISC */
/* Filters of notifications: reading and matching. */
#include "daemon/queue/consumer_filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

static const char *const source_choices[] = {
    "command", "condition", "job", "post", "program", "timer", "tool", "watch", NULL};

struct filter_args {
	const char *pane;
	int source;
	const char *id;
	bool urgent;
};

const struct field consumer_filter_fields[] = {
    {FIELD_ROW(STRING, struct filter_args, pane, "pane"),
	.help = "Only those addressed to this pane."},
    {FIELD_ROW(CHOICE, struct filter_args, source, "source"), .choices = source_choices,
	.help = "Only those from this source."},
    {FIELD_ROW(STRING, struct filter_args, id, "id"), .max = CONSUMER_FILTER_ID_MAX,
	.help = "Only those of this request; the name of a job is accepted."},
    {FIELD_ROW(BOOL, struct filter_args, urgent, "urgent"), .help = "Only those of high urgency."},
    {.name = NULL},
};

bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size)
{
	struct field_error error = {.text = "must be an object, or an id"};
	struct filter_args args;
	struct buf scratch;
	bool is_read;
	*ret_filter = (struct consumer_filter){.source = -1};
	*ret_pane = NULL;
	if (value == NULL)
		return true;
	if (value->type == JSON_STRING && value->len > 0 && value->len <= CONSUMER_FILTER_ID_MAX) {
		ret_filter->id = value->text;
		return true;
	}
	buf_init(&scratch, NOTIFICATION_DATA_MAX);
	is_read = value->type == JSON_OBJECT &&
	    field_read(consumer_filter_fields, value, &args, sizeof args, &scratch, &error) == 0;
	buf_finish(&scratch);
	if (!is_read) {
		snprintf(ret_reason, size, "filter: %s", error.text);
		return false;
	}
	ret_filter->source = args.source;
	ret_filter->is_urgent = args.urgent;
	ret_filter->id = args.id;
	*ret_pane = args.pane;
	return true;
}

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note)
{
	if (filter->has_pane && note->pane.pane != filter->pane)
		return false;
	if (filter->source >= 0 && note->source != (enum notification_source)filter->source)
		return false;
	if (filter->id != NULL && strcasecmp(note->id, filter->id) != 0)
		return false;
	return !filter->is_urgent || note->is_urgent;
}
