/* SPDX-License-Identifier: ISC */
#include "daemon/file/tail_share.h"

#include "base/hash.h"

#define BUCKETS 256

struct tail_share {
	struct tail_loop_set *loops;
	struct list buckets[BUCKETS]; /* by the hash of their paths */
	size_t count;
	uint64_t versions;
	uint64_t blocks;
	void (*moved)(void *data);
	void *data;
};

struct shared_tail {
	struct list link; /* in its bucket */
	struct list *bucket;
	struct tail_share *share;
	struct tail_loop *loop;
	char *path;
	struct list listeners;
	struct list block_listeners;
	struct list told; /* listeners to call after the look */
	size_t count;
	size_t done; /* number of listeners that are done */
	struct pattern_set patterns;
	struct context_lines context;
	uint64_t block; /* number of the last block */
	uint64_t version;
	bool has_moved; /* the places have changed since the last look */
	bool is_looking;
	/* The places where the tail began; NULL after the first look. */
	struct tail_place *places;
	size_t place_count;
};

void context_lines_finish(struct context_lines *context)
{
	for (size_t i = 0; i < CONTEXT_LINES; i++)
		mem_free(context->lines[i].bytes);
	*context = (struct context_lines){0};
}

size_t context_line_len(const char *bytes, size_t len)
{
	if (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (len > 0 && bytes[len - 1] == '\r')
		len--;
	return len;
}

static void push(struct context_lines *context, const char *bytes, size_t len)
{
	len = context_line_len(bytes, len);
	if (len > CONTEXT_LINE_MAX)
		len = CONTEXT_LINE_MAX;
	mem_free(context->lines[0].bytes);
	memmove(context->lines, context->lines + 1, (CONTEXT_LINES - 1) * sizeof *context->lines);
	context->lines[CONTEXT_LINES - 1] =
	    (struct context_line){.bytes = xmemdup(bytes, len), .len = len};
	context->count++;
}

static void context_lines_add(struct context_lines *context, const char *text, size_t end)
{
	size_t starts[CONTEXT_LINES], ends[CONTEXT_LINES];
	size_t count = 0;
	while (end > 0 && count < CONTEXT_LINES) {
		const char *before = end > 1 ? memrchr(text, '\n', end - 1) : NULL;
		starts[count] = before != NULL ? (size_t)(before + 1 - text) : 0;
		ends[count] = end;
		end = starts[count++];
	}
	while (count-- > 0)
		push(context, text + starts[count], ends[count] - starts[count]);
}

/* Copies the remembered lines, except those with a number below from. */
static void context_lines_copy(
    const struct context_lines *context, uint64_t from, struct context_lines *ret_copy)
{
	*ret_copy = (struct context_lines){0};
	for (size_t i = 0; i < CONTEXT_LINES; i++) {
		const struct context_line *line = &context->lines[i];
		if (line->bytes != NULL && context->count - (CONTEXT_LINES - i) >= from)
			push(ret_copy, line->bytes, line->len);
	}
}

static struct list *bucket_of(struct tail_share *share, const char *path)
{
	return &share->buckets[crc32c(0, path, strlen(path)) % BUCKETS];
}

static void set_moved(struct shared_tail *tail)
{
	tail->version = ++tail->share->versions;
	tail->has_moved = true;
}

static void tell_later(struct tail_listener *listener)
{
	if (list_is_empty(&listener->told_link))
		list_append(&listener->tail->told, &listener->told_link);
}

struct share_search {
	struct shared_tail *tail;
	struct tail_finding finding;
};

static bool on_found(void *data, struct pattern_member *member, enum pattern_result result,
    const struct matched_line *line)
{
	struct share_search *search = data;
	struct tail_listener *listener = list_entry(member, struct tail_listener, member);
	if (listener->is_done)
		return false;
	search->finding.line = line;
	search->finding.result = result;
	tell_later(listener);
	if (listener->handlers->found(listener, &search->finding))
		return true;
	/* A line without its newline comes again when it is whole. */
	listener->is_done = !search->finding.may_grow;
	search->tail->done += listener->is_done;
	return false;
}

static void search_block(struct shared_tail *tail, const struct tail_block *block, bool may_grow)
{
	struct share_search search = {
	    .tail = tail,
	    .finding = {.block = block, .may_grow = may_grow, .previous = tail->block},
	};
	if (!may_grow)
		search.finding.number = tail->block = ++tail->share->blocks;
	if (tail->patterns.count > 0) {
		char *copy;
		const char *text = pattern_subject(block->text, block->len, &copy);
		pattern_set_find(&tail->patterns, text, block->len, on_found, &search);
		mem_free(copy);
	}
}

static void tell_cut(struct shared_tail *tail)
{
	list_each (struct tail_listener, listener, &tail->listeners, link)
		if (!listener->is_done && listener->handlers->cut != NULL)
			listener->handlers->cut(listener);
}

static bool on_block(void *data, const struct tail_block *block)
{
	struct shared_tail *tail = data;
	set_moved(tail);
	list_each (struct tail_listener, listener, &tail->block_listeners, block_link) {
		if (listener->is_done || listener->handlers->block == NULL)
			continue;
		tell_later(listener);
		listener->handlers->block(listener, block);
	}
	if (block->flags & TAIL_CUT)
		tell_cut(tail);
	search_block(tail, block, false);
	if (tail->patterns.count > 0)
		context_lines_add(&tail->context, block->text, block->len);
	return tail->done < tail->count;
}

static void on_changed(void *data, enum tail_change change)
{
	struct shared_tail *tail = data;
	set_moved(tail);
	list_each (struct tail_listener, listener, &tail->block_listeners, block_link) {
		if (listener->handlers->changed == NULL)
			continue;
		tell_later(listener);
		listener->handlers->changed(listener, change);
	}
}

static void on_partial(void *data, const struct tail_block *block)
{
	search_block(data, block, true);
}

static void tail_free_shared(struct shared_tail *tail)
{
	struct tail_share *share = tail->share;
	tail_loop_free(tail->loop);
	list_remove(&tail->link);
	share->count--;
	pattern_set_finish(&tail->patterns);
	context_lines_finish(&tail->context);
	mem_free(tail->places);
	mem_free(tail->path);
	mem_free(tail);
}

static void attach(struct shared_tail *tail, struct tail_listener *listener)
{
	const struct tail_listener_handlers *handlers = listener->handlers;
	listener->tail = tail;
	listener->context_from = tail->context.count;
	list_append(&tail->listeners, &listener->link);
	if (handlers->block != NULL || handlers->changed != NULL)
		list_append(&tail->block_listeners, &listener->block_link);
	if (listener->member.matcher.pattern != NULL)
		pattern_set_add(
		    &tail->patterns, &listener->member, listener->member.matcher.pattern);
	tail->count++;
	tail->done += listener->is_done;
}

static void detach(struct tail_listener *listener)
{
	struct shared_tail *tail = listener->tail;
	list_remove(&listener->link);
	list_remove(&listener->block_link);
	list_remove(&listener->told_link);
	if (listener->member.matcher.pattern != NULL)
		pattern_set_remove(&tail->patterns, &listener->member);
	tail->count--;
	tail->done -= listener->is_done;
}

/* Joins two tails at the same place. Frees other. */
static void merge(struct shared_tail *tail, struct shared_tail *other)
{
	tail_loop_take(tail->loop, other->loop);
	while (!list_is_empty(&other->listeners)) {
		struct tail_listener *listener =
		    list_entry(other->listeners.next, struct tail_listener, link);
		uint64_t seen = other->context.count - listener->context_from;
		detach(listener);
		attach(tail, listener);
		listener->context_from -= seen < tail->context.count ? seen : tail->context.count;
	}
	tail_free_shared(other);
	set_moved(tail);
}

static bool has_more_context(const struct shared_tail *tail, const struct shared_tail *other)
{
	return tail->context.count < CONTEXT_LINES && tail->context.count < other->context.count;
}

/* Joins the tail with others at the same place, which may free it. */
static void merge_same(struct shared_tail *tail)
{
	list_each_safe (struct shared_tail, other, tail->bucket, link) {
		if (other == tail || other->is_looking || strcmp(other->path, tail->path) != 0 ||
		    !tail_is_with(tail_loop_tail(tail->loop), tail_loop_tail(other->loop)))
			continue;
		if (has_more_context(tail, other)) {
			merge(other, tail);
			return;
		}
		merge(tail, other);
	}
}

static void on_looked(void *data)
{
	struct shared_tail *tail = data;
	struct tail_share *share = tail->share;
	bool has_moved = tail->has_moved;
	tail->has_moved = false;
	mem_free(tail->places);
	tail->places = NULL;
	tail->is_looking = true;
	while (!list_is_empty(&tail->told)) {
		struct tail_listener *listener =
		    list_entry(tail->told.next, struct tail_listener, told_link);
		list_remove(&listener->told_link);
		if (listener->handlers->looked != NULL)
			listener->handlers->looked(listener);
	}
	tail->is_looking = false;
	if (tail->count == 0)
		tail_free_shared(tail);
	else
		merge_same(tail);
	if (has_moved)
		share->moved(share->data);
}

static struct shared_tail *tail_new_shared(struct tail_share *share, struct list *bucket,
    const char *path, const struct tail_place *places, size_t count)
{
	static const struct tail_loop_handlers handlers = {
	    .block = on_block, .changed = on_changed, .partial = on_partial, .looked = on_looked};
	struct shared_tail *tail = xcalloc(1, sizeof *tail);
	tail->share = share;
	tail->bucket = bucket;
	tail->path = xstrdup(path);
	tail->version = ++share->versions;
	list_init(&tail->listeners);
	list_init(&tail->block_listeners);
	list_init(&tail->told);
	pattern_set_init(&tail->patterns);
	if (places != NULL)
		tail->places = xmemdup(places, count * sizeof *places);
	tail->place_count = count;
	list_append(bucket, &tail->link);
	share->count++;
	tail->loop = tail_loop_new(share->loops, path, places, count, &handlers, tail);
	return tail;
}

static bool began_at(const struct shared_tail *tail, const struct tail_place *places, size_t count)
{
	if (tail->places == NULL || tail->place_count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct tail_place *one = &tail->places[i], *other = &places[i];
		if (one->dev != other->dev || one->ino != other->ino ||
		    one->offset != other->offset || one->line != other->line ||
		    one->is_skipping != other->is_skipping || one->sum != other->sum)
			return false;
	}
	return true;
}

static bool suits(
    const struct shared_tail *tail, const char *path, const struct tail_place *places, size_t count)
{
	if (strcmp(tail->path, path) != 0)
		return false;
	return places == NULL ? tail_loop_is_at_end(tail->loop) : began_at(tail, places, count);
}

static struct shared_tail *find_tail(
    const struct list *bucket, const char *path, const struct tail_place *places, size_t count)
{
	list_each (struct shared_tail, tail, bucket, link)
		if (suits(tail, path, places, count))
			return tail;
	return NULL;
}

void tail_listener_add(struct tail_share *share, struct tail_listener *listener, const char *path,
    const struct tail_place *places, size_t count, struct pattern *pattern,
    const struct tail_listener_handlers *handlers)
{
	struct list *bucket = bucket_of(share, path);
	struct shared_tail *tail = find_tail(bucket, path, places, count);
	*listener = (struct tail_listener){.handlers = handlers};
	listener->member.matcher.pattern = pattern;
	list_init(&listener->block_link);
	list_init(&listener->told_link);
	if (tail == NULL)
		tail = tail_new_shared(share, bucket, path, places, count);
	attach(tail, listener);
}

void tail_listener_remove(struct tail_listener *listener)
{
	struct shared_tail *tail = listener->tail;
	if (tail == NULL)
		return;
	detach(listener);
	listener->tail = NULL;
	if (tail->count == 0 && !tail->is_looking)
		tail_free_shared(tail);
}

const struct tail_loop *tail_listener_loop(const struct tail_listener *listener)
{
	return listener->tail->loop;
}

uint64_t tail_listener_version(const struct tail_listener *listener)
{
	return listener->tail->version;
}

void tail_listener_context(const struct tail_listener *listener, const struct tail_finding *finding,
    struct context_lines *ret_context)
{
	context_lines_copy(&listener->tail->context, listener->context_from, ret_context);
	context_lines_add(ret_context, finding->block->text, finding->line->start);
}

struct tail_share *tail_share_new(struct event_base *base, const struct tail_loop_options *options,
    void (*moved)(void *data), void *data)
{
	struct tail_share *share = xcalloc(1, sizeof *share);
	share->loops = tail_loop_set_new(base, options);
	share->moved = moved;
	share->data = data;
	for (size_t i = 0; i < BUCKETS; i++)
		list_init(&share->buckets[i]);
	return share;
}

void tail_share_free(struct tail_share *share)
{
	if (share == NULL)
		return;
	tail_loop_set_free(share->loops);
	mem_free(share);
}

size_t tail_share_count(const struct tail_share *share)
{
	return share->count;
}
