/* SPDX-License-Identifier: ISC */
#include "daemon/file/inotify_hub.h"

#include "io/loop_timer.h"

#define READ_SIZE (64 * 1024)
/* The rate of wake-ups: at first this many in a row, then one per period. */
#define BURST 32
#define PERIOD_US 1040
/* ms between tries to make an instance: at first, and at most */
#define RETRY_MS 1000
#define RETRY_MAX_MS 60000

struct node {
	struct list watches;
};

struct inotify_hub {
	struct event_base *base;
	int fd; /* -1: no instance yet */
	struct event *readable;
	struct loop_timer *later;
	struct loop_timer *retry;
	int64_t retry_ms; /* the next wait for an instance */
	struct map nodes; /* by wd */
	struct list watches; /* all watches of all nodes, and those that wait for an instance */
	struct list *cursor; /* the next entry that tell_each() visits; NULL: no walk */
	void (*idle)(void *data);
	void *data;
	int64_t credit_us; /* time not used for wake-ups; each one takes PERIOD_US */
	int64_t refilled_us;
	uint8_t *bytes;
};

static struct node *find_node(const struct inotify_hub *hub, int wd)
{
	return map_get(&hub->nodes, (uint64_t)wd);
}

/*
 * Calls the callback of each listener of a list. A callback may remove any watch; this moves the
 * cursor.
 */
static void tell_each(
    struct inotify_hub *hub, struct list *list, bool is_all, const struct inotify_event *event)
{
	for (hub->cursor = list->next; hub->cursor != list;) {
		struct list *link = hub->cursor;
		struct inotify_watch *watch = is_all
		    ? list_entry(link, struct inotify_watch, all_link)
		    : list_entry(link, struct inotify_watch, link);
		hub->cursor = link->next;
		watch->told(watch, event);
		/* If a callback has removed the node's last watch, node and list are freed. */
		if (!is_all && find_node(hub, event->wd) == NULL)
			break;
	}
	hub->cursor = NULL;
}

static void take_out(struct inotify_hub *hub, struct inotify_watch *watch)
{
	if (hub->cursor == &watch->link)
		hub->cursor = watch->link.next;
	if (hub->cursor == &watch->all_link)
		hub->cursor = watch->all_link.next;
	list_remove(&watch->link);
	list_remove(&watch->all_link);
	watch->wd = -1;
}

/* The kernel has dropped a watch, because the inode is deleted or its file system unmounted. */
static void forget_node(struct inotify_hub *hub, const struct inotify_event *event)
{
	struct node *node = map_remove(&hub->nodes, (uint64_t)event->wd);
	if (node == NULL)
		return;
	while (!list_is_empty(&node->watches)) {
		struct inotify_watch *watch =
		    list_entry(node->watches.next, struct inotify_watch, link);
		take_out(hub, watch);
		watch->told(watch, event);
	}
	mem_free(node);
}

static void tell(struct inotify_hub *hub, const struct inotify_event *event)
{
	struct node *node;
	if (event->mask & IN_Q_OVERFLOW) {
		log_info("the inotify queue overflowed: all followed files are checked");
		tell_each(hub, &hub->watches, true, event);
		return;
	}
	node = find_node(hub, event->wd);
	if (event->mask & IN_IGNORED)
		forget_node(hub, event);
	else if (node != NULL)
		tell_each(hub, &node->watches, false, event);
}

bool inotify_hub_take(struct inotify_hub *hub)
{
	bool has_any = false;
	while (hub->fd >= 0) {
		ssize_t n = read(hub->fd, hub->bytes, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return has_any;
		has_any = true;
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(hub->bytes + at);
			at += (ssize_t)(sizeof *event + event->len);
			tell(hub, event);
		}
		/* The buffer is not full, so this read has emptied the queue. */
		if (n < READ_SIZE / 2)
			return true;
	}
	return false;
}

void inotify_hub_read(struct inotify_hub *hub)
{
	if (inotify_hub_take(hub) && hub->idle != NULL)
		hub->idle(hub->data);
}

/* Counts a wake-up. Returns how long to wait before the next one, in us. */
static int64_t spend(struct inotify_hub *hub)
{
	int64_t now_us = clock_mono_us();
	hub->credit_us += now_us - hub->refilled_us;
	if (hub->credit_us > (int64_t)BURST * PERIOD_US)
		hub->credit_us = (int64_t)BURST * PERIOD_US;
	hub->refilled_us = now_us;
	hub->credit_us -= PERIOD_US;
	return hub->credit_us >= 0 ? 0 : -hub->credit_us;
}

static void wait_for(struct inotify_hub *hub, int64_t wait_us)
{
	(void)event_del(hub->readable);
	loop_timer_arm(hub->later, (wait_us + 999) / 1000);
}

static void on_readable(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct inotify_hub *hub = data;
	int64_t wait_us = spend(hub);
	if (wait_us > 0)
		wait_for(hub, wait_us);
	inotify_hub_read(hub);
}

/* Reads at intervals while events keep coming, then waits for the descriptor again. */
static void on_later(void *data)
{
	struct inotify_hub *hub = data;
	int64_t wait_us = spend(hub);
	bool has_any = inotify_hub_take(hub);
	if (has_any && wait_us > 0)
		wait_for(hub, wait_us);
	else
		(void)event_add(hub->readable, NULL);
	if (has_any && hub->idle != NULL)
		hub->idle(hub->data);
}

/* Returns false, and tries again later, if there is no instance. */
static bool start(struct inotify_hub *hub)
{
	hub->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (hub->fd >= 0)
		hub->readable =
		    event_new(hub->base, hub->fd, EV_READ | EV_PERSIST, on_readable, hub);
	if (hub->readable != NULL && event_add(hub->readable, NULL) == 0)
		return true;
	if (hub->retry_ms == RETRY_MS)
		log_warning("files are polled: inotify is not available: %s", strerror(errno));
	if (hub->readable != NULL)
		event_free(hub->readable);
	hub->readable = NULL;
	if (hub->fd >= 0)
		(void)close(hub->fd);
	hub->fd = -1;
	loop_timer_arm(hub->retry, hub->retry_ms);
	hub->retry_ms = hub->retry_ms < RETRY_MAX_MS / 2 ? 2 * hub->retry_ms : RETRY_MAX_MS;
	return false;
}

/* Since a watch was refused, changes had no event, as after an overflow. */
static void on_retry(void *data)
{
	static const struct inotify_event missed = {.wd = -1, .mask = IN_Q_OVERFLOW};
	struct inotify_hub *hub = data;
	if (list_is_empty(&hub->watches) || !start(hub))
		return;
	log_info("inotify is available: files are watched");
	tell_each(hub, &hub->watches, true, &missed);
	if (hub->idle != NULL)
		hub->idle(hub->data);
}

struct inotify_hub *inotify_hub_new(struct event_base *base, void (*idle)(void *data), void *data)
{
	struct inotify_hub *hub = xcalloc(1, sizeof *hub);
	hub->base = base;
	hub->fd = -1;
	hub->idle = idle;
	hub->data = data;
	hub->bytes = xalloc(READ_SIZE);
	hub->credit_us = (int64_t)BURST * PERIOD_US;
	hub->refilled_us = clock_mono_us();
	hub->retry_ms = RETRY_MS;
	map_init(&hub->nodes);
	list_init(&hub->watches);
	hub->later = loop_timer_new(base, on_later, hub);
	hub->retry = loop_timer_new(base, on_retry, hub);
	return hub;
}

void inotify_hub_free(struct inotify_hub *hub)
{
	if (hub == NULL)
		return;
	while (!list_is_empty(&hub->watches))
		inotify_hub_remove(
		    hub, list_entry(hub->watches.next, struct inotify_watch, all_link));
	if (hub->readable != NULL)
		event_free(hub->readable);
	loop_timer_free(hub->later);
	loop_timer_free(hub->retry);
	map_finish(&hub->nodes);
	if (hub->fd >= 0)
		(void)close(hub->fd);
	mem_free(hub->bytes);
	mem_free(hub);
}

void inotify_watch_init(struct inotify_watch *watch,
    void (*told)(struct inotify_watch *watch, const struct inotify_event *event))
{
	list_init(&watch->link);
	list_init(&watch->all_link);
	watch->wd = -1;
	watch->told = told;
}

int inotify_hub_add(
    struct inotify_hub *hub, struct inotify_watch *watch, const char *path, uint32_t mask)
{
	struct node *node;
	int wd;
	take_out(hub, watch);
	if (hub->fd < 0 && (loop_timer_is_armed(hub->retry) || !start(hub))) {
		list_append(&hub->watches, &watch->all_link);
		return -EMFILE;
	}
	/* IN_MASK_ADD: watches that share the inode keep their events. */
	wd = inotify_add_watch(hub->fd, path, mask | IN_MASK_ADD);
	if (wd < 0)
		return -errno;
	node = find_node(hub, wd);
	if (node == NULL) {
		node = xcalloc(1, sizeof *node);
		list_init(&node->watches);
		if (map_set(&hub->nodes, (uint64_t)wd, node) < 0) {
			mem_free(node);
			(void)inotify_rm_watch(hub->fd, wd);
			return -ENOMEM;
		}
	}
	watch->wd = wd;
	list_append(&node->watches, &watch->link);
	list_append(&hub->watches, &watch->all_link);
	return 0;
}

void inotify_hub_remove(struct inotify_hub *hub, struct inotify_watch *watch)
{
	int wd = watch->wd;
	struct node *node;
	take_out(hub, watch);
	node = wd >= 0 ? find_node(hub, wd) : NULL;
	if (node == NULL || !list_is_empty(&node->watches))
		return;
	(void)map_remove(&hub->nodes, (uint64_t)wd);
	mem_free(node);
	(void)inotify_rm_watch(hub->fd, wd);
}
