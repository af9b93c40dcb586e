/* SPDX-License-Identifier: ISC */
#include "daemon/queue/store_loop.h"

#include "daemon/core/rlimit.h"
#include "daemon/queue/store.h"
#include "io/loop_timer.h"
#include "wire/json.h"

struct store_loop {
	struct event_base *base;
	char path[PATH_MAX]; /* the state directory */
	struct journal_disk_dir *dir;
	struct store *store;
	struct event *synced; /* for journal_fd() */
	struct loop_timer *due;
	char trouble[160]; /* why the journal is degraded; "": it is not */
};

static void store_loop_gap(void *data, uint64_t count, const char *reason)
{
	const struct store_loop *store_loop = data;
	char number[24] = "an unknown number of";
	if (count > 0)
		snprintf(number, sizeof number, "%llu", (unsigned long long)count);
	if (strcmp(reason, "disk_full") == 0 || strcmp(reason, "disk_failed") == 0)
		log_error("the last daemon ended while the journal could not be written (%s): "
			  "what came then is lost",
		    reason);
	else
		log_error("%s/journal is damaged (%s): %s records are lost; the file was set aside",
		    store_loop->path, reason, number);
}

static void store_loop_degraded(void *data, bool is_degraded, const char *reason)
{
	struct store_loop *store_loop = data;
	snprintf(store_loop->trouble, sizeof store_loop->trouble, "%s", is_degraded ? reason : "");
	if (is_degraded)
		log_error("%s: %s; notifications are kept in memory until it can be",
		    store_loop->path, reason);
	else
		log_info("the disk keeps notifications again: %s", reason);
}

static void store_loop_arm(struct store_loop *store_loop)
{
	int timeout_ms = journal_timeout_ms(store_journal(store_loop->store));
	if (timeout_ms < 0 || store_loop->due == NULL)
		return;
	if (!loop_timer_is_armed(store_loop->due) || timeout_ms == 0)
		loop_timer_arm(store_loop->due, timeout_ms);
}

static void store_loop_pending(void *data)
{
	struct store_loop *store_loop = data;
	if (store_loop->store != NULL)
		store_loop_arm(store_loop);
}

static void on_synced(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct store_loop *store_loop = data;
	journal_dispatch(store_journal(store_loop->store));
	store_loop_arm(store_loop);
}

static void on_due(void *data)
{
	struct store_loop *store_loop = data;
	journal_tick(store_journal(store_loop->store));
	store_loop_arm(store_loop);
}

struct store_loop *store_loop_new(
    struct event_base *base, const char *state_dir, char *ret_reason, size_t reason_size)
{
	const struct store_handlers handlers = {
	    .gap = store_loop_gap, .degraded = store_loop_degraded, .pending = store_loop_pending};
	struct store_loop *store_loop = xcalloc(1, sizeof *store_loop);
	store_loop->base = base;
	snprintf(store_loop->path, sizeof store_loop->path, "%s", state_dir);
	store_loop->dir = journal_disk_dir_open(state_dir);
	if (store_loop->dir != NULL)
		store_loop->store = store_open(
		    &journal_disk_dir_table, store_loop->dir, true, &handlers, store_loop);
	if (store_loop->store == NULL) {
		const char *text = rlimit_text(errno);
		snprintf(ret_reason, reason_size, "%s: %s", state_dir,
		    text != NULL ? text : strerror(errno));
		store_loop_free(store_loop);
		return NULL;
	}
	store_loop->synced = event_new(base, journal_fd(store_journal(store_loop->store)),
	    EV_READ | EV_PERSIST, on_synced, store_loop);
	store_loop->due = loop_timer_new(base, on_due, store_loop);
	if (store_loop->synced == NULL || event_add(store_loop->synced, NULL) < 0) {
		snprintf(ret_reason, reason_size, "out of memory");
		store_loop_free(store_loop);
		return NULL;
	}
	store_loop_arm(store_loop);
	return store_loop;
}

void store_loop_free(struct store_loop *store_loop)
{
	if (store_loop == NULL)
		return;
	if (store_loop->synced != NULL)
		event_free(store_loop->synced);
	loop_timer_free(store_loop->due);
	store_loop->due = NULL;
	store_close(store_loop->store);
	journal_disk_dir_close(store_loop->dir);
	mem_free(store_loop);
}

void store_loop_settle(struct store_loop *store_loop)
{
	if (store_loop != NULL)
		store_settle(store_loop->store);
}

struct store *store_loop_store(struct store_loop *store_loop)
{
	return store_loop->store;
}

void store_loop_write(struct store_loop *store_loop, struct json_writer *writer, const char *name)
{
	struct journal_stats stats;
	journal_stats(store_journal(store_loop->store), &stats);
	json_object_begin(writer, name);
	json_put_str(writer, "state", stats.is_degraded ? "degraded" : "sound");
	json_put_str(writer, "trouble", stats.is_degraded ? store_loop->trouble : NULL);
	json_put_int(writer, "bytes", (int64_t)stats.bytes);
	json_put_int(writer, "entries", (int64_t)store_count(store_loop->store));
	json_put_int(writer, "syncs", (int64_t)stats.syncs);
	json_put_int(writer, "rewrites", (int64_t)stats.rewrites);
	json_put_int(writer, "longest_sync_us", stats.longest_sync_us);
	json_object_end(writer);
}
