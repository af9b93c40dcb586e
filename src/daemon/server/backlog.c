/* SPDX-License-Identifier: ISC */
/* Events that wait until a peer reads. */
#include "daemon/server/backlog.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/event/event_log.h"
#include "daemon/server/output.h"

#define EVENT_COPY_BYTES_MAX 2048 /* longer events are referenced instead */

struct backlog_item {
	struct list link;
	struct event_entry *event;
	char subscription[SUBSCRIPTION_NAME_SIZE];
};

void backlog_init(struct backlog *backlog)
{
	list_init(&backlog->items);
	backlog->bytes = 0;
}

bool backlog_is_empty(const struct backlog *backlog)
{
	return list_is_empty(&backlog->items);
}

void backlog_put(struct backlog *backlog, const char *subscription, struct event_entry *event)
{
	struct backlog_item *item = xcalloc(1, sizeof *item);
	item->event = event_entry_ref(event);
	(void)snprintf(item->subscription, sizeof item->subscription, "%s", subscription);
	list_append(&backlog->items, &item->link);
	backlog->bytes += event->json_len;
}

struct event_entry *backlog_take(
    struct backlog *backlog, char ret_subscription[SUBSCRIPTION_NAME_SIZE])
{
	struct event_entry *event;
	struct backlog_item *item;
	if (backlog_is_empty(backlog))
		return NULL;
	item = list_entry(backlog->items.next, struct backlog_item, link);
	event = item->event;
	memcpy(ret_subscription, item->subscription, SUBSCRIPTION_NAME_SIZE);
	list_remove(&item->link);
	mem_free(item);
	backlog->bytes -= event->json_len;
	return event;
}

void backlog_finish(struct backlog *backlog)
{
	char name[SUBSCRIPTION_NAME_SIZE];
	struct event_entry *event;
	while ((event = backlog_take(backlog, name)) != NULL)
		event_entry_unref(event);
}

static void drop_reference(const void *bytes, size_t len, void *data)
{
	(void)bytes;
	(void)len;
	event_entry_unref(data);
}

int backlog_write(struct output *output, const char *subscription, struct event_entry *event)
{
	static const char tail[] = "}}\n";
	char head[128];
	int head_len, r;
	head_len = snprintf(head, sizeof head,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"subscription\":\"%s\",",
	    subscription);
	r = output_add(output, head, (size_t)head_len);
	if (r == 0 && event->json_len <= EVENT_COPY_BYTES_MAX)
		r = output_add(output, event->json, event->json_len);
	else if (r == 0)
		r = output_add_reference(
		    output, event->json, event->json_len, drop_reference, event_entry_ref(event));
	if (r == 0)
		r = output_add(output, tail, sizeof tail - 1);
	return r;
}
