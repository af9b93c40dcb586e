/* SPDX-License-Identifier: ISC */
#include "daemon/queue/once.h"

#include "base/hash.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"

struct once_kept {
	struct list link; /* in once_pool.kept */
	struct once_kept *same_hash; /* the next one whose name has this hash */
	uint64_t hash; /* of the name */
	int64_t time_ms; /* CLOCK_REALTIME */
	int64_t boot_ms; /* the same time by CLOCK_BOOTTIME, which cannot be set */
	size_t size; /* bytes of the result */
	void *runner;
	char name[STORE_KEY_MAX + 1]; /* name of its record in the store */
};

struct once_pool {
	struct list kept; /* oldest first */
	size_t count;
	size_t size; /* bytes of all results */
};

struct once_set {
	struct queue *queue;
	struct once_pool pools[2]; /* [0]: keys without an owner; [1]: keys with an owner */
	struct map by_hash; /* from the hash of a record's name to the first once_kept with it */
};

static const struct record_field once_fields[] = {
    {RECORD_ROW(WORD, struct once_earlier, id, "id")},
    {RECORD_ROW(UINT64, struct once_earlier, content, "content")},
    {RECORD_ROW(INT, struct once_earlier, time_ms, "time_ms")},
    {RECORD_ROW(INT, struct once_earlier, boot_ms, "boot_ms"), .is_optional = true},
    {RECORD_ROW(JSON, struct once_earlier, result, "result"), .is_optional = true},
    {RECORD_ROW(TEXT, struct once_earlier, error, "error"), .is_optional = true},
    {RECORD_ROW(TEXT, struct once_earlier, method, "method"), .is_optional = true},
    {RECORD_ROW(TEXT, struct once_earlier, caller, "caller"), .is_optional = true},
};

static const struct record_kind once_kind = {.prefix = "once/",
    .noun = "the key of a request",
    .rows = RECORD_ROWS(once_fields, NULL),
    .source = SOURCE_COMMAND};

static void once_name(const struct once *once, char out[STORE_KEY_MAX + 1])
{
	snprintf(out, STORE_KEY_MAX + 1, "%s%s%s/%s", once->owner != NULL ? once->owner : "",
	    once->owner != NULL ? ":" : "", once->space, once->key);
}

static struct once_pool *pool_of(struct once_set *set, const char *name)
{
	return &set->pools[name[0] == '%'];
}

static void kept_free(struct once_set *set, struct once_kept *kept)
{
	struct once_kept *before = map_get(&set->by_hash, kept->hash);
	struct once_pool *pool = pool_of(set, kept->name);
	if (before != kept) {
		while (before->same_hash != kept)
			before = before->same_hash;
		before->same_hash = kept->same_hash;
	} else if (kept->same_hash != NULL) {
		xmap_set(&set->by_hash, kept->hash, kept->same_hash);
	} else {
		(void)map_remove(&set->by_hash, kept->hash);
	}
	list_remove(&kept->link);
	pool->count--;
	pool->size -= kept->size;
	mem_free(kept);
}

static struct once_kept *kept_find(const struct once_set *set, const char *name)
{
	struct once_kept *kept = map_get(&set->by_hash, hash_bytes(name, strlen(name)));
	while (kept != NULL && strcmp(kept->name, name) != 0)
		kept = kept->same_hash;
	return kept;
}

static struct once_kept *kept_of(const struct once *once)
{
	char name[STORE_KEY_MAX + 1];
	once_name(once, name);
	return kept_find(once->set, name);
}

static void kept_add(
    struct once_set *set, const char *name, const struct once_earlier *earlier, size_t size)
{
	struct once_kept *kept = xcalloc(1, sizeof *kept);
	struct once_pool *pool = pool_of(set, name);
	struct list *place;
	kept->time_ms = earlier->time_ms;
	kept->boot_ms = clock_boot_ms() - clock_since_ms(earlier->time_ms);
	/* The wall clock may have been set, so the smaller of the ages by two clocks counts. */
	if (earlier->boot_ms > 0 && earlier->boot_ms > kept->boot_ms &&
	    earlier->boot_ms <= clock_boot_ms())
		kept->boot_ms = earlier->boot_ms;
	kept->size = size;
	snprintf(kept->name, sizeof kept->name, "%s", name);
	kept->hash = hash_bytes(kept->name, strlen(kept->name));
	kept->same_hash = map_get(&set->by_hash, kept->hash);
	xmap_set(&set->by_hash, kept->hash, kept);
	for (place = pool->kept.prev; place != &pool->kept; place = place->prev)
		if (list_entry(place, struct once_kept, link)->time_ms <= kept->time_ms)
			break;
	list_add_after(place, &kept->link);
	pool->count++;
	pool->size += size;
}

static void set_remove(struct once_set *set, struct once_kept *kept)
{
	record_delete(queue_store(set->queue), &once_kind, kept->name);
	kept_free(set, kept);
}

static void pool_forget(struct once_set *set, struct once_pool *pool)
{
	int64_t now_ms = clock_boot_ms();
	while (pool->count > 0) {
		struct once_kept *oldest = list_entry(pool->kept.next, struct once_kept, link);
		if (pool->count <= ONCE_KEEP && pool->size <= ONCE_RESULTS_MAX &&
		    now_ms - oldest->boot_ms <= ONCE_KEEP_MS)
			return;
		set_remove(set, oldest);
	}
}

static void set_forget(struct once_set *set)
{
	pool_forget(set, &set->pools[0]);
	pool_forget(set, &set->pools[1]);
}

static bool once_load(void *data, const char *name, const struct json *value)
{
	struct once_earlier earlier = {0};
	if (!record_read(once_kind.rows, value, &earlier))
		return false;
	kept_add(data, name, &earlier, earlier.result != NULL ? strlen(earlier.result) : 0);
	once_earlier_finish(&earlier);
	return true;
}

struct once_set *once_set_new(struct queue *queue)
{
	struct once_set *set = xcalloc(1, sizeof *set);
	set->queue = queue;
	list_init(&set->pools[0].kept);
	list_init(&set->pools[1].kept);
	map_init(&set->by_hash);
	queue_load(queue, &once_kind, once_load, set);
	set_forget(set);
	return set;
}

void once_set_free(struct once_set *set)
{
	if (set == NULL)
		return;
	for (size_t at = 0; at < 2; at++)
		while (set->pools[at].count > 0)
			kept_free(
			    set, list_entry(set->pools[at].kept.next, struct once_kept, link));
	map_finish(&set->by_hash);
	mem_free(set);
}

bool once_find(const struct once *once, struct once_earlier *ret_earlier)
{
	char name[STORE_KEY_MAX + 1];
	*ret_earlier = (struct once_earlier){0};
	set_forget(once->set);
	once_name(once, name);
	if (record_get(queue_store(once->set->queue), &once_kind, name, ret_earlier))
		return true;
	if (once->owner != NULL)
		return false;
	/* Release 0.2.0 named records "METHOD/KEY". */
	snprintf(name, sizeof name, "%s/%s", once->method, once->key);
	return record_get(queue_store(once->set->queue), &once_kind, name, ret_earlier);
}

void once_earlier_finish(struct once_earlier *earlier)
{
	record_finish(once_kind.rows, earlier);
}

void once_forget(const struct once *once)
{
	struct once_kept *kept = once != NULL ? kept_of(once) : NULL;
	if (kept != NULL)
		set_remove(once->set, kept);
}

void once_forget_begun(const struct once *once)
{
	struct once_earlier earlier;
	if (once_find(once, &earlier) && earlier.id[0] == '\0' && earlier.result == NULL)
		once_forget(once);
	once_earlier_finish(&earlier);
}

static void once_put(const struct once *once, const struct once_earlier *earlier)
{
	struct once_set *set = once->set;
	size_t size = earlier->result != NULL ? strlen(earlier->result) : 0;
	char name[STORE_KEY_MAX + 1];
	struct once_kept *old;
	once_name(once, name);
	record_put(queue_store(set->queue), &once_kind, name, earlier);
	old = kept_find(set, name);
	if (old != NULL && old->time_ms == earlier->time_ms) {
		pool_of(set, name)->size += size - old->size;
		old->size = size;
	} else {
		if (old != NULL)
			kept_free(set, old);
		kept_add(set, name, earlier, size);
	}
	set_forget(set);
}

/* Returns the present time, or a later one if needed to be later than the times in the pools. */
static int64_t next_time_ms(const struct once_set *set)
{
	int64_t time_ms = clock_real_ms();
	for (size_t at = 0; at < 2; at++) {
		const struct list *last = set->pools[at].kept.prev;
		if (last != &set->pools[at].kept &&
		    list_entry(last, const struct once_kept, link)->time_ms >= time_ms)
			time_ms = list_entry(last, const struct once_kept, link)->time_ms + 1;
	}
	return time_ms;
}

void once_keep(const struct once *once, const char *id)
{
	struct once_earlier earlier = {0};
	if (once == NULL)
		return;
	earlier.time_ms = next_time_ms(once->set);
	earlier.boot_ms = clock_boot_ms();
	earlier.content = once->content;
	earlier.method = (char *)once->method;
	earlier.caller = (char *)once->caller;
	snprintf(earlier.id, sizeof earlier.id, "%s", id);
	once_put(once, &earlier);
}

void once_set_result(const struct once *once, const char *result, size_t len)
{
	struct once_earlier earlier;
	if (once == NULL || len > ONCE_RESULT_MAX || !once_find(once, &earlier))
		return;
	if (earlier.result == NULL) {
		earlier.result = xmemdup(result, len);
		once_put(once, &earlier);
	}
	once_earlier_finish(&earlier);
}

void once_set_error(const struct once *once, const char *error)
{
	struct once_earlier earlier;
	size_t len = strlen(error);
	if (once == NULL || !once_find(once, &earlier))
		return;
	if (earlier.result == NULL && earlier.error == NULL) {
		if (len > ONCE_ERROR_MAX)
			len = ONCE_ERROR_MAX - utf8_incomplete_tail(error, ONCE_ERROR_MAX);
		earlier.error = xasprintf("%.*s", (int)len, error);
		once_put(once, &earlier);
	}
	once_earlier_finish(&earlier);
}

void once_set_runner(const struct once *once, void *runner)
{
	struct once_kept *kept = kept_of(once);
	if (kept != NULL)
		kept->runner = runner;
}

void *once_runner(const struct once *once)
{
	const struct once_kept *kept = kept_of(once);
	return kept != NULL ? kept->runner : NULL;
}

size_t once_count(const struct once_set *set)
{
	return set->pools[0].count + set->pools[1].count;
}
