/* SPDX-License-Identifier: ISC */
#include "daemon/watch/watch.h"

#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

#define NOTE_KEY_SIZE (sizeof "watch:" + NOTIFICATION_ID_SIZE)
/* ms from a changed place until it is stored */
#define KEEP_MS 2000

struct watch_set {
	struct queue *queue;
	const struct boot_clock *clock;
	struct tail_share *tails;
	struct list watches; /* the oldest first */
	size_t count;
	struct loop_timer *keep; /* runs while a changed place is not stored yet */
};

static int64_t now_boot_ms(const struct watch_set *set)
{
	return set->clock->boot_ms(set->clock->data);
}

/* Stores a watch, with the places of its tail. */
static void watch_store(struct watch *watch)
{
	struct watch_stored stored = {.watch = *watch};
	stored.place_count =
	    tail_places(tail_loop_tail(tail_listener_loop(&watch->listener)), stored.places);
	record_put(queue_store(watch->set->queue), &watch_kind, watch->id, &stored);
	watch->stored = tail_listener_version(&watch->listener);
}

static void text_clear(struct watch_text *text)
{
	mem_free(text->bytes);
	*text = (struct watch_text){0};
}

/* Remembers the last line of a block, for the notification of a change. */
static void remember_last(struct watch *watch, const struct tail_block *block)
{
	size_t len = block->len;
	const char *before = len > 1 ? memrchr(block->text, '\n', len - 1) : NULL;
	size_t start = before != NULL ? (size_t)(before + 1 - block->text) : 0;
	len = context_line_len(block->text + start, len - start);
	len = len < WATCH_LINE_MAX ? len : WATCH_LINE_MAX;
	text_clear(&watch->last);
	/* Counting lines would take too long, so only the first line of a block has a number. */
	watch->last = (struct watch_text){.bytes = xmemdup(block->text + start, len),
	    .len = len,
	    .offset = block->offset + (int64_t)start,
	    .line = start == 0 ? block->line : 0,
	    .flags = block->flags};
}

/*
 * Posts a notification. In the same transaction stores the watch, or deletes its record if the
 * watch is over. Frees data.
 */
static uint64_t post(struct watch *watch, enum watch_reason reason, char *data, uint64_t count)
{
	struct queue *queue = watch->set->queue;
	char note_key[NOTE_KEY_SIZE];
	struct buf text = BUF(NOTIFICATION_TEXT_MAX * 4);
	struct notification_draft draft;
	uint64_t seq;
	watch_record_text(watch, reason, count, &text);
	snprintf(note_key, sizeof note_key, "watch:%s", watch->id);
	data = watch_record_close(watch, data, count);
	draft = (struct notification_draft){
	    .source = SOURCE_WATCH,
	    .id = watch->id,
	    .pane = &watch->pane,
	    .text = text.data != NULL ? (const char *)text.data : "",
	    .data = data,
	    .key = watch->is_over ? NULL : note_key,
	    .count = reason == WATCH_MATCH ? (unsigned)count : 1,
	};
	queue_begin(queue);
	if (watch->is_over)
		record_delete(queue_store(queue), &watch_kind, watch->id);
	else
		watch_store(watch);
	seq = queue_post(queue, &draft);
	if (reason == WATCH_CANCELLED)
		(void)queue_set_state(queue, seq, NOTE_CANCELLED, NULL);
	(void)queue_commit(queue);
	mem_free(data);
	buf_finish(&text);
	return seq;
}

static void watch_end(struct watch *watch, enum watch_reason reason)
{
	watch->is_over = true;
	(void)post(watch, reason, watch_record_data(watch, reason, NULL), watch->count);
}

static void note(struct watch *watch, const struct tail_finding *finding)
{
	const struct tail_block *block = finding->block;
	const struct matched_line *line = finding->line;
	struct watch_text text = {
	    .bytes = (char *)block->text + line->start,
	    .len = line->end - line->start,
	    .offset = block->offset + (int64_t)line->start,
	    .line = block->line,
	    .flags = block->flags,
	};
	struct context_lines context;
	const struct watch_finding noted = {
	    .line = &text, .match = &line->match, .context = &context};
	watch->limits_in_row = 0;
	watch->found++;
	if (watch->found_data != NULL)
		return;
	for (const char *at = block->text; text.line > 0 && at < text.bytes; at++)
		text.line += *at == '\n';
	tail_listener_context(&watch->listener, finding, &context);
	watch->found_data = watch_record_data(watch, WATCH_MATCH, &noted);
	context_lines_finish(&context);
}

/*
 * Counts a line on which the search was given up. Returns false after WATCH_LIMITS_MAX such lines
 * in a row. A match ends the row. Another block ends it too, unless the last line of the block
 * before was such a line.
 */
static bool hit_limit(struct watch *watch, const struct tail_finding *finding)
{
	bool is_in_row = finding->number == watch->limit_block ||
	    (watch->is_limit_last && finding->previous == watch->limit_block);
	if (!is_in_row)
		watch->limits_in_row = 0;
	watch->limit_block = finding->number;
	watch->is_limit_last = finding->line->after >= finding->block->len;
	watch->limit_hits++;
	if (watch->limits_in_row++ == 0)
		log_warning("the pattern of watch %s takes too many steps on a line", watch->id);
	return watch->limits_in_row < WATCH_LIMITS_MAX;
}

static bool is_shown(const struct watch *watch, const struct tail_finding *finding)
{
	return finding->line->start == 0 && finding->block->offset == watch->shown_offset &&
	    finding->previous == watch->shown_block;
}

static bool on_found(struct tail_listener *listener, const struct tail_finding *finding)
{
	struct watch *watch = list_entry(listener, struct watch, listener);
	if (is_shown(watch, finding))
		return true;
	if (finding->may_grow) {
		if (finding->result != PATTERN_MATCH)
			return true;
		watch->shown_offset = finding->block->offset;
		watch->shown_block = finding->previous;
	} else if (finding->result == PATTERN_LIMIT) {
		return hit_limit(watch, finding);
	}
	note(watch, finding);
	return watch->is_staying || finding->may_grow;
}

static void on_cut(struct tail_listener *listener)
{
	list_entry(listener, struct watch, listener)->cut_lines++;
}

static void on_block(struct tail_listener *listener, const struct tail_block *block)
{
	remember_last(list_entry(listener, struct watch, listener), block);
}

static void on_changed(struct tail_listener *listener, enum tail_change change)
{
	struct watch *watch = list_entry(listener, struct watch, listener);
	/* Other changes are more important than growth. */
	if (watch->changed < 0 || watch->changed == TAIL_FILE_GREW)
		watch->changed = (int)change;
}

static void watch_free(struct watch *watch)
{
	struct watch_set *set = watch->set;
	list_remove(&watch->link);
	set->count--;
	queue_release_id(set->queue, watch->id);
	tail_listener_remove(&watch->listener);
	pattern_free(watch->pattern);
	text_clear(&watch->last);
	mem_free(watch->found_data);
	watch_record_finish(watch);
	mem_free(watch);
}

static void tell_found(struct watch *watch)
{
	if (watch->found > 0) {
		char *data = watch->found_data;
		uint64_t count = watch->found;
		watch->found_data = NULL;
		watch->found = 0;
		watch->count += count;
		watch->is_over = !watch->is_staying;
		(void)post(watch, WATCH_MATCH, data, count);
	} else if (watch->on_change && watch->changed >= 0) {
		struct tail_file *file =
		    tail_file(tail_loop_tail(tail_listener_loop(&watch->listener)));
		struct tail_block block;
		const struct watch_finding finding = {.line = &watch->last};
		char *data;
		if (watch->last.bytes == NULL && file != NULL && tail_file_peek(file, &block))
			remember_last(watch, &block);
		data = watch_record_data(
		    watch, WATCH_CHANGE, watch->last.bytes != NULL ? &finding : NULL);
		watch->count++;
		watch->is_over = !watch->is_staying;
		(void)post(watch, WATCH_CHANGE, data, 1);
	}
}

static void arm(struct watch_set *set)
{
	int64_t due_ms = -1;
	list_each (const struct watch, watch, &set->watches, link) {
		int64_t its_ms = watch->boot_due_ms > 0 ? watch->boot_due_ms : 0;
		if (due_ms < 0 || its_ms < due_ms)
			due_ms = its_ms;
	}
	set->clock->arm(set->clock->data, due_ms);
}

static void on_looked(struct tail_listener *listener)
{
	struct watch *watch = list_entry(listener, struct watch, listener);
	struct watch_set *set = watch->set;
	tell_found(watch);
	if (!watch->is_over && watch->limits_in_row >= WATCH_LIMITS_MAX)
		watch_end(watch, WATCH_ERROR);
	watch->changed = -1;
	text_clear(&watch->last);
	if (watch->is_over) {
		watch_free(watch);
		arm(set);
	}
}

static bool watch_insert(struct watch_set *set, struct watch *watch, char *ret_reason, size_t size)
{
	if (watch->regex != NULL) {
		watch->pattern = pattern_new(watch->regex, strlen(watch->regex), ret_reason, size);
		if (watch->pattern == NULL)
			return false;
	}
	watch->set = set;
	watch->changed = -1;
	watch->shown_offset = -1;
	list_append(&set->watches, &watch->link);
	set->count++;
	return true;
}

static void watch_listen(struct watch *watch, const struct tail_place *places, size_t count)
{
	static const struct tail_listener_handlers for_lines = {
	    .found = on_found, .cut = on_cut, .looked = on_looked};
	static const struct tail_listener_handlers for_changes = {.found = on_found,
	    .block = on_block,
	    .changed = on_changed,
	    .cut = on_cut,
	    .looked = on_looked};
	tail_listener_add(watch->set->tails, &watch->listener, watch->file, places, count,
	    watch->pattern, watch->on_change ? &for_changes : &for_lines);
}

static const char *path_trouble(const char *path)
{
	struct stat status;
	if (path[0] != '/')
		return "must be an absolute path";
	if (stat(path, &status) < 0 && errno == ENAMETOOLONG)
		return "has a name that is too long for a file";
	if (stat(path, &status) < 0)
		return path[strlen(path) - 1] == '/'
		    ? "ends in a slash, as no file does: name a file in it"
		    : strpbrk(path, "*?") == NULL || lstat(path, &status) == 0
		    ? NULL
		    : "is a pattern, and no file has this name: name one file, which need not "
		      "exist yet";
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
		return NULL;
	case S_IFDIR:
		return "is a directory: name a file in it, which need not exist yet; "
		       "run_long_command with \"inotifywait DIRECTORY\" notifies of any change in "
		       "it";
	case S_IFIFO:
		return "is a FIFO: run_long_command with \"head -n 1 FIFO\" reads it";
	default:
		return "is a device or a socket, and no file";
	}
}

bool watch_check_path(struct request *request, const char *field, const char *path)
{
	const char *trouble = path_trouble(path);
	if (trouble == NULL)
		return true;
	return request_fail_field(request, field, "\"%.200s\" %s", path, trouble);
}

const struct watch *watch_add(
    struct watch_set *set, const struct watch_order *order, char *ret_reason, size_t size)
{
	struct watch *watch;
	if (set->count == WATCHES_MAX) {
		snprintf(ret_reason, size, "there are %d watches already, the most there may be",
		    WATCHES_MAX);
		errno = ENOSPC;
		return NULL;
	}
	watch = xcalloc(1, sizeof *watch);
	watch->file = xstrdup(order->file);
	watch->regex = order->regex != NULL ? xstrdup(order->regex) : NULL;
	watch->pane = *order->pane;
	watch->on_change = order->on_change || order->regex == NULL;
	watch->is_staying = order->is_staying;
	watch->timeout_ms = order->timeout_ms;
	if (!watch_insert(set, watch, ret_reason, size)) {
		watch_record_finish(watch);
		mem_free(watch);
		errno = EINVAL;
		return NULL;
	}
	queue_new_id(set->queue, watch->id);
	watch->created_ms = set->clock->real_ms(set->clock->data);
	snprintf(watch->boot_id, sizeof watch->boot_id, "%s", set->clock->boot_id);
	watch->boot_due_ms = now_boot_ms(set) + order->timeout_ms;
	watch->real_due_ms = watch->created_ms + order->timeout_ms;
	watch_listen(watch, NULL, 0);
	queue_begin(set->queue);
	watch_store(watch);
	once_keep(order->once, watch->id);
	(void)queue_commit(set->queue);
	arm(set);
	return watch;
}

bool watch_cancel(struct watch_set *set, const char *id)
{
	list_each (struct watch, watch, &set->watches, link) {
		if (strcmp(watch->id, id) != 0)
			continue;
		watch_end(watch, WATCH_CANCELLED);
		watch_free(watch);
		arm(set);
		return true;
	}
	return false;
}

static void follow_clock(struct watch_set *set)
{
	list_each (struct watch, watch, &set->watches, link) {
		int64_t real_due_ms = watch->real_due_ms;
		boot_clock_align(
		    set->clock, watch->boot_id, &watch->boot_due_ms, &watch->real_due_ms);
		if (watch->real_due_ms != real_due_ms)
			watch_store(watch);
	}
}

void watch_ring(struct watch_set *set)
{
	int64_t now_ms = now_boot_ms(set);
	follow_clock(set);
	list_each_safe (struct watch, watch, &set->watches, link) {
		if (watch->boot_due_ms > now_ms)
			continue;
		watch_end(watch, WATCH_TIMEOUT);
		watch_free(watch);
	}
	arm(set);
}

const struct watch *watch_next(const struct watch_set *set, const struct watch *previous)
{
	const struct list *link = previous != NULL ? previous->link.next : set->watches.next;
	return link == &set->watches ? NULL : list_entry(link, const struct watch, link);
}

size_t watch_count(const struct watch_set *set)
{
	return set->count;
}

struct tail_share *watch_tails(const struct watch_set *set)
{
	return set->tails;
}

static void store_dirty(void *data)
{
	struct watch_set *set = data;
	store_begin(queue_store(set->queue));
	list_each (struct watch, watch, &set->watches, link)
		if (watch->stored != tail_listener_version(&watch->listener))
			watch_store(watch);
	(void)store_commit(queue_store(set->queue));
}

/* A place has changed: stores it within KEEP_MS. */
static void on_moved(void *data)
{
	struct watch_set *set = data;
	if (!loop_timer_is_armed(set->keep))
		loop_timer_arm(set->keep, KEEP_MS);
}

static bool watch_load(void *data, const char *id, const struct json *value)
{
	struct watch_stored stored = {0};
	struct watch *watch;
	char reason[160];
	struct watch_set *set = data;
	if (!watch_record_read(value, &stored))
		return false;
	watch = xmemdup(&stored.watch, sizeof stored.watch);
	if (!watch_insert(set, watch, reason, sizeof reason)) {
		watch_record_finish(watch);
		mem_free(watch);
		return false;
	}
	strcpy(watch->id, id);
	queue_hold_id(set->queue, id);
	/* Without a stored place, the file did not exist: it is read from its first byte. */
	watch_listen(watch, stored.places, stored.place_count);
	return true;
}

struct watch_set *watch_set_new(struct event_base *base, struct queue *queue,
    const struct boot_clock *clock, const struct tail_loop_options *options)
{
	struct watch_set *set = xcalloc(1, sizeof *set);
	set->queue = queue;
	set->clock = clock;
	list_init(&set->watches);
	set->tails = tail_share_new(base, options, on_moved, set);
	set->keep = loop_timer_new(base, store_dirty, set);
	queue_load(queue, &watch_kind, watch_load, set);
	follow_clock(set);
	arm(set);
	return set;
}

void watch_set_free(struct watch_set *set)
{
	if (set == NULL)
		return;
	store_dirty(set);
	while (!list_is_empty(&set->watches))
		watch_free(list_entry(set->watches.next, struct watch, link));
	loop_timer_free(set->keep);
	tail_share_free(set->tails);
	mem_free(set);
}
