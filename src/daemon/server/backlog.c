/* SPDX-License-Identifier: ISC */
/* Events that wait until a peer reads. */
#include "daemon/server/backlog.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/event/event_log.h"

struct item {
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
	struct item *item = xcalloc(1, sizeof *item);
	item->event = event_entry_ref(event);
	(void)snprintf(item->subscription, sizeof item->subscription, "%s", subscription);
	list_append(&backlog->items, &item->link);
	backlog->bytes += event->json_len;
}

struct event_entry *backlog_take(
    struct backlog *backlog, char ret_subscription[SUBSCRIPTION_NAME_SIZE])
{
	struct event_entry *event;
	struct item *item;
	if (backlog_is_empty(backlog))
		return NULL;
	item = list_entry(backlog->items.next, struct item, link);
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
