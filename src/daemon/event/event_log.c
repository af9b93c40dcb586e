/* SPDX-License-Identifier: ISC */
#include "daemon/event/event_log.h"

#include <pthread.h>

#include "base/file.h"
#include "base/hash.h"

#define FILE_NAME "sequence"
#define FILE_NAME_NEW "sequence.new"
#define FILE_NAME_JOURNAL "journal" /* the file of the store */
#define FILE_MAGIC "muxbus-sequence 1 "
#define FILE_BYTES_MAX 128

struct sequence {
	int dir; /* state directory; -1: nothing is stored */
	uint64_t last;
	uint64_t ceiling; /* numbers up to this one are reserved */
	bool is_volatile; /* raise_ceiling() could not write the file last */
	bool is_raising; /* the thread was started, and writes `raised` to the file */
	pthread_t thread;
	uint64_t raised; /* the next ceiling */
	int raise_error; /* 0, or errno of the thread's failure */
};

/* Returns the microseconds since 1970. If the clock is right, all used numbers are lower. */
static uint64_t floor_by_clock(void)
{
	int64_t now_ms = clock_real_ms();
	return now_ms > 0 ? (uint64_t)now_ms * 1000 : 1;
}

/* Writes "muxbus-sequence 1 CEILING CRC\n". The checksum covers the text before CRC. */
static int format_file(char *out, size_t size, uint64_t ceiling)
{
	int len = snprintf(out, size, FILE_MAGIC "%" PRIu64 " ", ceiling);
	uint32_t crc = crc32c(0, out, (size_t)len);
	return len + snprintf(out + len, size - (size_t)len, "%08" PRIx32 "\n", crc);
}

static bool parse_file(const char *text, size_t len, uint64_t *ret_ceiling)
{
	size_t magic_len = strlen(FILE_MAGIC);
	char expected[FILE_BYTES_MAX];
	int expected_len;
	const char *digits, *space;
	uint64_t ceiling;
	if (len <= magic_len || memcmp(text, FILE_MAGIC, magic_len) != 0)
		return false;
	digits = text + magic_len;
	space = memchr(digits, ' ', len - magic_len);
	if (space == NULL || !str_parse_u64(digits, (size_t)(space - digits), &ceiling))
		return false;
	expected_len = format_file(expected, sizeof expected, ceiling);
	if (len != (size_t)expected_len || memcmp(text, expected, len) != 0)
		return false;
	*ret_ceiling = ceiling;
	return ceiling <= SEQUENCE_MAX;
}

/* Writes and syncs a new file, and renames it over the old one. Returns 0, or -1 with errno. */
static int write_file(int dir, uint64_t ceiling)
{
	char text[FILE_BYTES_MAX];
	int len = format_file(text, sizeof text, ceiling);
	int fd =
	    openat(dir, FILE_NAME_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int saved_errno, r;
	if (fd < 0)
		return -1;
	r = file_write_all(fd, text, (size_t)len);
	if (r == 0)
		r = fdatasync(fd);
	saved_errno = errno;
	(void)close(fd);
	errno = saved_errno;
	if (r == 0)
		r = renameat(dir, FILE_NAME_NEW, dir, FILE_NAME);
	if (r == 0)
		r = fsync(dir);
	return r;
}

/* The thread. While it runs, the main thread does not use `raised` and raise_error. */
static void *raise_main(void *data)
{
	struct sequence *sequence = data;
	sequence->raise_error = write_file(sequence->dir, sequence->raised) < 0 ? errno : 0;
	return NULL;
}

/* Starts the thread that reserves the next block. If that fails, raise_ceiling() reserves it. */
static void raise_begin(struct sequence *sequence)
{
	sigset_t all, before;
	if (sequence->dir < 0 || sequence->is_raising || sequence->is_volatile)
		return;
	sequence->raised = sequence->ceiling + SEQUENCE_BLOCK;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sequence->is_raising = pthread_create(&sequence->thread, NULL, raise_main, sequence) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void raise_end(struct sequence *sequence)
{
	if (!sequence->is_raising)
		return;
	pthread_join(sequence->thread, NULL);
	sequence->is_raising = false;
	if (sequence->raise_error == 0)
		sequence->ceiling = sequence->raised;
}

/* Reserves a block in the file. If the file cannot be written, continues from the clock. */
static void raise_ceiling(struct sequence *sequence)
{
	uint64_t ceiling;
	raise_end(sequence);
	if (sequence->last < sequence->ceiling)
		return;
	ceiling = sequence->last + SEQUENCE_BLOCK;
	if (sequence->dir >= 0 && write_file(sequence->dir, ceiling) < 0) {
		uint64_t floor;
		if (!sequence->is_volatile)
			log_error(FILE_NAME ": %s: numbers continue from the clock until it can be "
					    "written again",
			    strerror(errno));
		sequence->is_volatile = true;
		/* The file has an old ceiling, above which the next start would reuse numbers. */
		floor = floor_by_clock();
		if (sequence->last < floor)
			sequence->last = floor;
		ceiling = sequence->last + SEQUENCE_BLOCK;
	} else {
		sequence->is_volatile = false;
	}
	sequence->ceiling = ceiling;
}

/* Reads the ceiling. A missing or damaged file is no error. Returns 0, or -1 with errno. */
static int read_file(struct sequence *sequence)
{
	int fd = openat(sequence->dir, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char text[FILE_BYTES_MAX + 1];
	ssize_t len = 0;
	int saved_errno;
	if (fd < 0 && errno != ENOENT)
		return -1;
	/* If there is no journal either, no daemon has used this directory. */
	if (fd < 0 && faccessat(sequence->dir, FILE_NAME_JOURNAL, F_OK, 0) < 0)
		return 0;
	if (fd >= 0) {
		len = read(fd, text, sizeof text);
		saved_errno = errno;
		(void)close(fd);
		errno = saved_errno;
	}
	if (len < 0)
		return -1;
	if (!parse_file(text, (size_t)len, &sequence->last)) {
		sequence->last = floor_by_clock();
		log_error(FILE_NAME ": %s: numbers continue from the clock, at %" PRIu64,
		    fd < 0 ? "removed" : "damaged", sequence->last);
	}
	return 0;
}

struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size)
{
	struct sequence *sequence = xcalloc(1, sizeof *sequence);
	sequence->dir = -1;
	if (state_dir == NULL)
		return sequence;
	sequence->dir = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sequence->dir < 0) {
		(void)snprintf(ret_reason, reason_size, "%s: %s", state_dir, strerror(errno));
		goto err;
	}
	if (read_file(sequence) < 0) {
		(void)snprintf(
		    ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir, strerror(errno));
		goto err_dir;
	}
	sequence->ceiling = sequence->last;
	raise_begin(sequence);
	return sequence;
err_dir:
	(void)close(sequence->dir);
err:
	mem_free(sequence);
	return NULL;
}

void sequence_close(struct sequence *sequence)
{
	if (sequence == NULL)
		return;
	raise_end(sequence);
	if (sequence->dir >= 0) {
		/* If this fails, the next start skips the rest of the block. */
		if (!sequence->is_volatile && sequence->last < sequence->ceiling)
			(void)write_file(sequence->dir, sequence->last);
		(void)close(sequence->dir);
	}
	mem_free(sequence);
}

uint64_t sequence_peek(struct sequence *sequence)
{
	if (sequence->last == sequence->ceiling)
		raise_ceiling(sequence);
	return sequence->last + 1;
}

uint64_t sequence_next(struct sequence *sequence)
{
	sequence->last = sequence_peek(sequence);
	if (sequence->ceiling - sequence->last < SEQUENCE_BLOCK / 2)
		raise_begin(sequence);
	return sequence->last;
}

void sequence_pass(struct sequence *sequence, uint64_t number)
{
	uint64_t floor = sequence->dir >= 0 ? floor_by_clock() : 0;
	if (number <= sequence->last || number > SEQUENCE_MAX)
		return;
	raise_end(sequence);
	sequence->last = number > floor ? number : floor;
	if (sequence->ceiling < sequence->last)
		sequence->ceiling = sequence->last;
}

uint64_t sequence_last(const struct sequence *sequence)
{
	return sequence->last;
}

/* maximum bytes of "seq":…,"time":"…","kind":"…" and a comma */
#define HEAD_BYTES_MAX 128

#define RING_FIRST 64

struct log_entry {
	struct event_entry event;
	unsigned refs;
	size_t size; /* bytes of memory, with json */
	char json[];
};

struct event_log {
	struct sequence *sequence;
	struct list listeners;
	uint64_t before_start; /* last number before the first event of this daemon */
	uint64_t forgotten; /* highest forgotten number */
	uint64_t unkept; /* highest number published with keep false */

	struct log_entry **ring; /* a ring; the oldest remembered entry is at index first */
	size_t size; /* slots of the ring; a power of two, or 0 */
	size_t first;
	size_t count;
	size_t bytes;
	size_t keep_count;
	size_t keep_bytes;

	int64_t time_ms; /* of time_text; -1: none */
	char time_text[CLOCK_TEXT_SIZE];
};

static struct log_entry *entry_of(struct event_entry *event)
{
	return list_entry(event, struct log_entry, event);
}

struct event_entry *event_entry_ref(struct event_entry *event)
{
	entry_of(event)->refs++;
	return event;
}

void event_entry_unref(struct event_entry *event)
{
	struct log_entry *entry = entry_of(event);
	if (--entry->refs == 0)
		mem_free(entry);
}

struct event_log *event_log_new(const char *state_dir, size_t keep_count, size_t keep_bytes,
    char *ret_reason, size_t reason_size)
{
	struct sequence *sequence = sequence_open(state_dir, ret_reason, reason_size);
	struct event_log *log;
	if (sequence == NULL)
		return NULL;
	log = xcalloc(1, sizeof *log);
	log->sequence = sequence;
	log->before_start = sequence_last(sequence);
	log->keep_count = keep_count;
	log->keep_bytes = keep_bytes;
	log->time_ms = -1;
	list_init(&log->listeners);
	return log;
}

static struct log_entry *ring_at(const struct event_log *log, size_t index)
{
	return log->ring[(log->first + index) & (log->size - 1)];
}

static void forget_oldest(struct event_log *log)
{
	struct log_entry *entry = ring_at(log, 0);
	log->forgotten = entry->event.seq;
	log->first = (log->first + 1) & (log->size - 1);
	log->count--;
	log->bytes -= entry->size;
	event_entry_unref(&entry->event);
}

void event_log_free(struct event_log *log)
{
	if (log == NULL)
		return;
	while (log->count > 0)
		forget_oldest(log);
	mem_free(log->ring);
	sequence_close(log->sequence);
	mem_free(log);
}

void event_log_pass(struct event_log *log, uint64_t seq)
{
	sequence_pass(log->sequence, seq);
	log->before_start = sequence_last(log->sequence);
}

uint64_t event_log_next(struct event_log *log)
{
	return sequence_peek(log->sequence);
}

uint64_t event_log_last(const struct event_log *log)
{
	return sequence_last(log->sequence);
}

uint64_t event_log_oldest(const struct event_log *log)
{
	return log->count ? ring_at(log, 0)->event.seq : event_log_last(log) + 1;
}

uint64_t event_log_missed(const struct event_log *log, uint64_t seq, const char **ret_reason)
{
	uint64_t missed = 0;
	if (seq < log->before_start) {
		missed = log->before_start;
		*ret_reason = "restart";
	}
	if (seq < log->forgotten) {
		missed = log->forgotten;
		*ret_reason = "forgotten";
	}
	return missed;
}

uint64_t event_log_unkept(const struct event_log *log)
{
	return log->unkept;
}

static void ring_grow(struct event_log *log)
{
	size_t size = log->size ? log->size * 2 : RING_FIRST;
	struct log_entry **ring = xcalloc(size, sizeof(struct log_entry *));
	for (size_t i = 0; i < log->count; i++)
		ring[i] = ring_at(log, i);
	mem_free(log->ring);
	log->ring = ring;
	log->size = size;
	log->first = 0;
}

/* Remembers an entry. Then forgets the oldest ones beyond the limits, perhaps this entry too. */
static void remember(struct event_log *log, struct log_entry *entry)
{
	if (log->count == log->size)
		ring_grow(log);
	log->ring[(log->first + log->count) & (log->size - 1)] = entry;
	log->count++;
	log->bytes += entry->size;
	(void)event_entry_ref(&entry->event);
	while (log->count > log->keep_count || log->bytes > log->keep_bytes)
		forget_oldest(log);
}

/* Returns the time as text. Keeps the text, so that a millisecond is formatted once. */
static const char *time_text(struct event_log *log, int64_t now_ms)
{
	if (now_ms != log->time_ms) {
		clock_format(now_ms, log->time_text);
		log->time_ms = now_ms;
	}
	return log->time_text;
}

/* Writes the first members of an event, without printf(), which was too slow here. */
static size_t write_head(
    char out[HEAD_BYTES_MAX], uint64_t seq, const char *time, const char *kind, bool has_members)
{
	char *to = stpcpy(out, "\"seq\":");
	to += str_put_u64(to, seq, 1);
	to = stpcpy(stpcpy(to, ",\"time\":\""), time);
	to = stpcpy(stpcpy(to, "\",\"kind\":\""), kind);
	to = stpcpy(to, has_members ? "\"," : "\"");
	return (size_t)(to - out);
}

static struct log_entry *entry_new(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len)
{
	static const struct event_scope about_nothing = {
	    .pane = UINT32_MAX, .window = UINT32_MAX, .sessions = {UINT32_MAX}};
	int64_t now_ms = clock_real_ms();
	uint64_t seq = sequence_next(log->sequence);
	char head[HEAD_BYTES_MAX];
	size_t head_len = write_head(
	    head, seq, time_text(log, now_ms), event_kind_info(kind)->name, members_len > 0);
	size_t json_len = head_len + members_len;
	size_t size = sizeof(struct log_entry) + json_len + 1;
	struct log_entry *entry = xalloc(size);
	*entry = (struct log_entry){.refs = 1, .size = size};
	memcpy(entry->json, head, head_len);
	if (members_len)
		memcpy(entry->json + head_len, members, members_len);
	entry->json[json_len] = '\0';
	entry->event = (struct event_entry){
	    .seq = seq,
	    .time_ms = now_ms,
	    .kind = kind,
	    .scope = scope != NULL ? *scope : about_nothing,
	    .json = entry->json,
	    .json_len = json_len,
	};
	return entry;
}

uint64_t event_log_publish(struct event_log *log, enum event_kind kind,
    const struct event_scope *scope, const char *members, size_t members_len, bool keep)
{
	struct log_entry *entry = entry_new(log, kind, scope, members, members_len);
	uint64_t seq = entry->event.seq;
	if (keep)
		remember(log, entry);
	else
		log->unkept = seq;
	list_each_safe (struct event_log_listener, listener, &log->listeners, link)
		listener->event(listener, &entry->event);
	event_entry_unref(&entry->event);
	return seq;
}

void event_log_listen(struct event_log *log, struct event_log_listener *listener)
{
	list_append(&log->listeners, &listener->link);
}

struct event_entry *event_log_after(struct event_log *log, uint64_t seq)
{
	size_t low = 0;
	size_t high = log->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ring_at(log, middle)->event.seq > seq)
			high = middle;
		else
			low = middle + 1;
	}
	return low < log->count ? &ring_at(log, low)->event : NULL;
}

void event_gap_format(struct buf *out, uint64_t from, uint64_t to, const char *reason)
{
	char time[CLOCK_TEXT_SIZE];
	clock_format(clock_real_ms(), time);
	/* A gap has the number of the last missed event: readers resume after that event. */
	(void)buf_printf(out,
	    "\"seq\":%" PRIu64 ",\"time\":\"%s\",\"kind\":\"%s\",\"from\":%" PRIu64
	    ",\"to\":%" PRIu64 ",\"reason\":\"%s\"",
	    to, time, event_kind_info(EVENT_GAP)->name, from, to, reason);
}
