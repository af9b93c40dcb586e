/* SPDX-License-Identifier: ISC */
/* The store on libevent. */
#include "daemon/queue/store_loop.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "daemon/queue/journal.h"
#include "daemon/queue/journal_disk.h"
#include "daemon/queue/store.h"
#include "wire/json.h"

struct keeper {
	struct event_base *base;
	struct journal_disk_dir *dir;
	struct store *store;
	struct event *synced; /* the helper thread has ended a sync */
	struct event *due;
	char loss[64]; /* "": none */
	char trouble[160]; /* why it is degraded; "": it is not */
};

static void keeper_gap(void *data, uint64_t count, const char *reason)
{
	struct keeper *keeper = data;

	snprintf(keeper->loss, sizeof keeper->loss, "%s", reason);
	log_error("the journal is damaged (%s): %llu records are lost; the file was set aside",
	    reason, (unsigned long long)count);
}

static void keeper_degraded(void *data, bool is_degraded, const char *reason)
{
	struct keeper *keeper = data;

	snprintf(keeper->trouble, sizeof keeper->trouble, "%s", is_degraded ? reason : "");
	if (is_degraded)
		log_error("%s; notifications are kept in memory until it can be", reason);
	else
		log_info("the disk keeps notifications again: %s", reason);
}

/* Sets the timer for what the journal wants to do next. */
static void keeper_arm(struct keeper *keeper)
{
	int timeout_ms = journal_timeout_ms(store_journal(keeper->store));
	struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (timeout_ms < 0 || keeper->due == NULL)
		return;
	if (!event_pending(keeper->due, EV_TIMEOUT, NULL))
		event_add(keeper->due, &timeout);
}

static void keeper_pending(void *data)
{
	struct keeper *keeper = data;

	if (keeper->store != NULL)
		keeper_arm(keeper);
}

static void on_synced(evutil_socket_t fd, short what, void *data)
{
	struct keeper *keeper = data;

	(void)fd;
	(void)what;
	journal_dispatch(store_journal(keeper->store));
	keeper_arm(keeper);
}

static void on_due(evutil_socket_t fd, short what, void *data)
{
	struct keeper *keeper = data;

	(void)fd;
	(void)what;
	journal_tick(store_journal(keeper->store));
	keeper_arm(keeper);
}

struct keeper *keeper_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size)
{
	const struct store_handlers handlers = {
	    .gap = keeper_gap, .degraded = keeper_degraded, .pending = keeper_pending};
	struct keeper *keeper = xcalloc(1, sizeof *keeper);

	keeper->base = base;
	keeper->dir = journal_disk_dir_open(state_dir);
	if (keeper->dir != NULL)
		keeper->store =
		    store_open(&journal_disk_dir_table, keeper->dir, true, &handlers, keeper);
	if (keeper->store == NULL) {
		snprintf(ret_reason, reason_size, "%s: %s", state_dir, strerror(errno));
		keeper_free(keeper);
		return NULL;
	}
	keeper->synced = event_new(base, journal_fd(store_journal(keeper->store)),
	    EV_READ | EV_PERSIST, on_synced, keeper);
	keeper->due = evtimer_new(base, on_due, keeper);
	if (keeper->synced == NULL || keeper->due == NULL || event_add(keeper->synced, NULL) < 0) {
		snprintf(ret_reason, reason_size, "out of memory");
		keeper_free(keeper);
		return NULL;
	}
	keeper_arm(keeper);
	return keeper;
}

void keeper_free(struct keeper *keeper)
{
	if (keeper == NULL)
		return;
	if (keeper->synced != NULL)
		event_free(keeper->synced);
	if (keeper->due != NULL)
		event_free(keeper->due);
	keeper->due = NULL;
	store_close(keeper->store);
	journal_disk_dir_close(keeper->dir);
	mem_free(keeper);
}

struct store *keeper_store(struct keeper *keeper)
{
	return keeper->store;
}

const char *keeper_loss(const struct keeper *keeper)
{
	return keeper->loss[0] != '\0' ? keeper->loss : NULL;
}

void keeper_write(struct keeper *keeper, struct json_writer *writer, const char *name)
{
	struct journal_stats stats;

	journal_stats(store_journal(keeper->store), &stats);
	json_object_begin(writer, name);
	json_put_str(writer, "state", stats.is_degraded ? "degraded" : "sound");
	json_put_str(writer, "trouble", stats.is_degraded ? keeper->trouble : NULL);
	json_put_int(writer, "bytes", (int64_t)stats.bytes);
	json_put_int(writer, "entries", (int64_t)store_count(keeper->store));
	json_put_int(writer, "syncs", (int64_t)stats.syncs);
	json_put_int(writer, "rewrites", (int64_t)stats.rewrites);
	json_put_int(writer, "longest_sync_us", stats.longest_sync_us);
	json_object_end(writer);
}
