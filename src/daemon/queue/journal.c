/* SPDX-License-Identifier: ISC */
#include "daemon/queue/journal.h"

#include <sys/random.h>

#include "daemon/queue/journal_record.h"

enum {
	NAME_MAX_SIZE = 64,
	READ_CHUNK = 1024 * 1024,
	FILE_MAX = 512 * 1024 * 1024, /* a larger file counts as unreadable */
	DEAD_MIN = 1024 * 1024, /* fewer dead bytes are no reason for a rewrite */
	HOLE_MAX = 32, /* bytes of the reason in a hole record (journal_record.h) */
	RESERVE = 4096, /* bytes of room that are kept for a hole record: a disk block */
	AHEAD = 16 * 1024, /* bytes that are reserved for later records; zeros until then */
	DAMAGED_MAX = 100, /* maximum number of damaged files that are kept */
};

struct file {
	int handle; /* -1: none */
	uint32_t epoch;
	uint64_t len;
	uint64_t number; /* number of the last record */
	uint64_t durable; /* number of the last record known to be synced */
	uint64_t room; /* size up to which file_reserve() need not ask the disk */
	bool has_mark; /* the last record is a mark: all records before it are durable */
	bool has_hole; /* the last record is a hole record: records after it are missing */
	bool is_broken; /* takes no more records, except a hole record */
};

enum job {
	JOB_NONE,
	JOB_SYNC,
	JOB_INSTALL, /* put the next file in place of the current one */
	JOB_CLOSE, /* close the replaced file: the kernel takes milliseconds to free its blocks */
};

enum copy {
	COPY_NONE,
	COPY_BEGUN, /* `next` has its header */
	COPY_PARTS, /* `next` has its header and parts of the state */
	COPY_WHOLE, /* `next` has all of the state, and is installed when no other job runs */
};

struct journal {
	const struct journal_disk *disk;
	void *disk_data;
	char name[NAME_MAX_SIZE], next_name[NAME_MAX_SIZE];
	struct journal_handlers handlers;
	void *data;
	struct journal_syncer *syncer; /* NULL: not threaded */
	struct file file;
	/* replaces `file` when it is complete; until then, it gets new records too */
	struct file next;
	enum copy copy;
	bool is_snapshotting; /* journal_append() writes to `next` alone */
	struct buf scratch; /* for encoding one record */

	enum job job;
	uint64_t job_ticket; /* if a sync or installation succeeds, this ticket is durable */
	uint64_t job_number; /* number of the last record that it syncs to the disk */
	bool wants_sync; /* a sync is to be started when the job ends */
	int64_t sync_due_ms; /* CLOCK_MONOTONIC; 0: none is due */
	int64_t retry_due_ms; /* CLOCK_MONOTONIC of the next rewrite while degraded */

	uint64_t ticket, durable, dead_bytes, syncs, rewrites, gaps;
	int64_t longest_sync_us;
	bool is_degraded;
	int trouble; /* -errno of the last failed write, sync or rewrite */
	bool ends_marked; /* while opening: the last record is a mark */
	uint64_t promised; /* while opening: the member durable of the last record */
	char hole[HOLE_MAX + 1]; /* while opening: the reason of a hole at the end; "": none */
};

static void file_close(struct journal *journal, struct file *file)
{
	if (file->handle >= 0)
		journal->disk->close(journal->disk_data, file->handle);
	*file = (struct file){.handle = -1};
}

/* Writes bytes at the end of a file. After most failures, cuts them off. Returns 0 or -errno. */
static int file_write(struct journal *journal, struct file *file, const uint8_t *bytes, size_t len)
{
	size_t done = 0;
	while (done < len) {
		ssize_t put = journal->disk->write(
		    journal->disk_data, file->handle, bytes + done, len - done, file->len + done);
		if (put <= 0) {
			/*
			 * Half a record would be read as damage, so it is cut off. But not after
			 * -ENOENT: another program may have cut the file, which truncate() would
			 * make longer.
			 */
			if (put != -ENOENT &&
			    journal->disk->truncate(journal->disk_data, file->handle, file->len) <
				0)
				file->is_broken = true;
			file->room = file->len; /* truncate() frees the reserved room */
			return put == 0 ? -ENOSPC : (int)put;
		}
		done += (size_t)put;
	}
	file->len += len;
	return 0;
}

static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

/* Reserves room for len more bytes and a hole record, if the disk can. Returns 0 or -errno. */
static int file_reserve(struct journal *journal, struct file *file, size_t len)
{
	const struct journal_disk *disk = journal->disk;
	uint64_t need = file->len + len + RESERVE, room = need + AHEAD;
	int error;
	if (need <= file->room)
		return 0;
	/* A write of no bytes fails if another program has cut the file. */
	error = (int)disk->write(journal->disk_data, file->handle, "", 0, file->len);
	if (error < 0)
		return error;
	error = disk->reserve(journal->disk_data, file->handle, room);
	if (is_full(error)) {
		room = need;
		error = disk->reserve(journal->disk_data, file->handle, room);
	}
	if (is_full(error))
		return error;
	file->room = room; /* also if the disk cannot reserve room: then a later write may fail */
	return 0;
}

static int file_create(struct journal *journal, struct file *file, const char *name)
{
	uint8_t header[JOURNAL_HEADER_SIZE];
	int handle = journal->disk->open(journal->disk_data, name, 1), error;
	if (handle < 0)
		return handle;
	*file = (struct file){.handle = handle};
	if (getrandom(&file->epoch, sizeof file->epoch, 0) != sizeof file->epoch)
		file->epoch = (uint32_t)clock_real_ms();
	journal_header_write(header, file->epoch);
	error = file_write(journal, file, header, sizeof header);
	if (error == 0)
		error = file_reserve(journal, file, 0);
	if (error != 0)
		file_close(journal, file);
	return error;
}

static int file_record(
    struct journal *journal, struct file *file, uint8_t type, const void *payload, size_t len)
{
	struct journal_record record = {.type = type,
	    .epoch = file->epoch,
	    .number = file->number + 1,
	    .durable = file->durable,
	    .payload = payload,
	    .len = len};
	int error;
	buf_clear(&journal->scratch);
	if (journal_record_write(&journal->scratch, &record) != 0)
		return -ENOMEM;
	error = file_write(journal, file, journal->scratch.data, journal->scratch.len);
	if (error == 0)
		file->number++;
	return error;
}

/* Appends one record, and reserves room for a hole record behind it. Returns 0 or -errno. */
static int file_append(
    struct journal *journal, struct file *file, uint8_t type, const void *payload, size_t len)
{
	int error;
	if (file->handle < 0 || file->is_broken)
		return -EIO;
	error = file_reserve(journal, file, journal_record_size(len));
	if (error == 0)
		error = file_record(journal, file, type, payload, len);
	if (error == 0)
		file->has_mark = file->has_hole = false;
	return error;
}

/*
 * Appends a hole record, which says that later records are missing. If this write fails, the next
 * journal_append() tries again.
 */
static void file_note_hole(struct journal *journal, struct file *file)
{
	const char *reason = is_full(journal->trouble) ? "disk_full" : "disk_failed";
	if (file->handle < 0 || file->has_hole)
		return;
	file->has_hole = file_record(journal, file, JOURNAL_TYPE_MARK, reason, strlen(reason)) == 0;
}

/*
 * Makes the journal degraded, and gives up a rewrite: changes stay in memory until a later rewrite
 * succeeds. Otherwise a record could follow one that was not written.
 */
static void journal_degrade(struct journal *journal, int error, const char *what)
{
	char reason[128];
	journal->next.is_broken = true;
	journal->copy = COPY_NONE;
	journal->retry_due_ms = clock_mono_ms() + JOURNAL_RETRY_MS;
	journal->trouble = error;
	if (journal->is_degraded)
		return;
	journal->is_degraded = true;
	snprintf(reason, sizeof reason, "%s: %s", what, strerror(-error));
	if (journal->handlers.degraded != NULL)
		journal->handlers.degraded(journal->data, true, reason);
}

/* Appends a mark (journal_record.h) if all records are durable, unless a mark or a hole is last. */
static void file_mark(struct journal *journal, struct file *file)
{
	int error;
	if (file->has_mark || file->has_hole || file->number == 0 || file->durable != file->number)
		return;
	/* On a full disk this may fail, but the records before the mark are durable anyway. */
	error = file_append(journal, file, JOURNAL_TYPE_MARK, NULL, 0);
	if (error == -ENOENT)
		journal_degrade(journal, error, "the journal cannot be written");
	if (error != 0)
		return;
	file->has_mark = true;
	journal->dead_bytes += JOURNAL_RECORD_HEADER_SIZE;
}

static void journal_tell_durable(struct journal *journal, uint64_t ticket)
{
	if (ticket <= journal->durable)
		return;
	journal->durable = ticket;
	if (journal->handlers.durable != NULL)
		journal->handlers.durable(journal->data, ticket);
}

/* Closes a file that is not used any more, or lets the thread do so. No job may be running. */
static void journal_retire(struct journal *journal, struct file *file)
{
	const struct syncer_job job = {.file = file->handle, .is_to_close = true};
	if (file->handle < 0 || journal->syncer == NULL) {
		file_close(journal, file);
		return;
	}
	journal->job = JOB_CLOSE;
	syncer_submit(journal->syncer, &job);
}

static void journal_installed(struct journal *journal)
{
	struct file replaced = journal->file;
	journal->file = journal->next;
	journal->next = (struct file){.handle = -1};
	journal->file.durable = journal->job_number;
	file_mark(journal, &journal->file);
	journal->rewrites++;
	journal_retire(journal, &replaced);
	if (!journal->is_degraded)
		return;
	journal->is_degraded = false;
	if (journal->handlers.degraded != NULL)
		journal->handlers.degraded(journal->data, false, "the journal was rewritten");
}

static void journal_job_ended(struct journal *journal, const struct syncer_result *result)
{
	enum job job = journal->job;
	journal->job = JOB_NONE;
	if (job == JOB_CLOSE)
		return;
	journal->syncs++;
	if (result->elapsed_us > journal->longest_sync_us)
		journal->longest_sync_us = result->elapsed_us;
	if (job == JOB_INSTALL) {
		/* If a write to `next` has failed during the job, `next` lacks a record. */
		if (result->error != 0 || journal->next.is_broken) {
			journal_degrade(journal, result->error != 0 ? result->error : -EIO,
			    "the journal cannot be rewritten");
			return;
		}
		journal_installed(journal);
		journal_tell_durable(journal, journal->job_ticket);
		return;
	}
	if (result->error != 0) {
		/* The kernel drops data that it failed to sync, so do not use the file any more. */
		journal->file.is_broken = true;
		journal_degrade(journal, result->error, "the journal cannot be synced");
		journal->retry_due_ms = clock_mono_ms();
		return;
	}
	journal->file.durable = journal->job_number;
	file_mark(journal, &journal->file);
	journal_tell_durable(journal, journal->job_ticket);
}

static void journal_submit(struct journal *journal, enum job kind, const struct file *file)
{
	struct syncer_job job = {.file = file->handle};
	struct syncer_result result;
	if (kind == JOB_INSTALL) {
		job.install_from = journal->next_name;
		job.install_to = journal->name;
	}
	journal->job = kind;
	journal->job_ticket = journal->ticket;
	journal->job_number = file->number;
	journal->sync_due_ms = 0;
	journal->wants_sync = false;
	if (journal->syncer != NULL) {
		syncer_submit(journal->syncer, &job);
		return;
	}
	syncer_run(journal->disk, journal->disk_data, &job, &result);
	journal_job_ended(journal, &result);
}

/* Copies one more part of the state to `next`, and installs it when it is complete. */
static void journal_copy(struct journal *journal)
{
	bool is_whole;
	if (journal->copy == COPY_BEGUN || journal->copy == COPY_PARTS) {
		journal->is_snapshotting = true;
		is_whole =
		    journal->handlers.snapshot(journal->data, journal, journal->copy == COPY_BEGUN);
		journal->is_snapshotting = false;
		journal->copy = is_whole ? COPY_WHOLE : COPY_PARTS;
	}
	if (journal->next.is_broken) {
		journal_degrade(journal, -ENOSPC, "the journal cannot be rewritten");
	} else if (journal->copy == COPY_WHOLE && journal->job == JOB_NONE) {
		journal->copy = COPY_NONE;
		journal_submit(journal, JOB_INSTALL, &journal->next);
	}
}

void journal_rewrite(struct journal *journal)
{
	int error;
	if (journal->copy != COPY_NONE || journal->job == JOB_INSTALL)
		return;
	file_close(journal, &journal->next);
	error = file_create(journal, &journal->next, journal->next_name);
	if (error != 0) {
		journal_degrade(journal, error, "the journal cannot be made");
		return;
	}
	journal->copy = COPY_BEGUN;
	journal->dead_bytes = 0;
	while (journal->syncer == NULL && journal->copy != COPY_NONE)
		journal_copy(journal);
}

static int append_next(struct journal *journal, uint8_t type, const void *payload, size_t len)
{
	int error = file_append(journal, &journal->next, type, payload, len);
	if (error != 0)
		journal->next.is_broken = true;
	return error;
}

int journal_append(
    struct journal *journal, uint8_t type, const void *payload, size_t len, uint64_t *ret_ticket)
{
	int error = 0;
	if (len > JOURNAL_PAYLOAD_MAX)
		return -EMSGSIZE;
	if (journal->is_snapshotting) {
		*ret_ticket = journal->ticket;
		return append_next(journal, type, payload, len);
	}
	/* Write `next` first: it must have all records of the file that it replaces. */
	if (journal->next.handle >= 0 && !journal->next.is_broken)
		error = append_next(journal, type, payload, len);
	if (error == 0 && !journal->is_degraded) {
		error = file_append(journal, &journal->file, type, payload, len);
		if (error == -ENOENT && journal->job == JOB_INSTALL)
			error = 0; /* the file was replaced by `next`, which has the record */
	}
	if (error != 0)
		journal_degrade(journal, error, "the journal cannot be written");
	if (journal->is_degraded) {
		/* The helper thread may be replacing `file` by `next`, so mark both. */
		file_note_hole(journal, &journal->file);
		if (journal->next.is_broken)
			file_note_hole(journal, &journal->next);
		return -EIO;
	}
	*ret_ticket = ++journal->ticket;
	if (journal->syncer != NULL && journal->sync_due_ms == 0)
		journal->sync_due_ms = clock_mono_ms() + JOURNAL_SYNC_MS;
	return 0;
}

void journal_sync(struct journal *journal)
{
	if (journal->durable == journal->ticket)
		return;
	if (journal->job != JOB_NONE) {
		journal->wants_sync = true;
		return;
	}
	if (!journal->is_degraded)
		journal_submit(journal, JOB_SYNC, &journal->file);
}

void journal_settle(struct journal *journal)
{
	while (journal->durable != journal->ticket && !journal->is_degraded) {
		journal_sync(journal);
		if (journal->syncer == NULL || journal->job == JOB_NONE)
			return;
		syncer_wait(journal->syncer);
		journal_dispatch(journal);
	}
}

int journal_fd(const struct journal *journal)
{
	return journal->syncer != NULL ? syncer_fd(journal->syncer) : -1;
}

void journal_dispatch(struct journal *journal)
{
	struct syncer_result result;
	if (journal->syncer == NULL || !syncer_take(journal->syncer, &result))
		return;
	journal_job_ended(journal, &result);
	if (journal->copy == COPY_WHOLE)
		journal_copy(journal);
	if (journal->wants_sync)
		journal_sync(journal);
}

int journal_timeout_ms(const struct journal *journal)
{
	int64_t due_ms = 0, left_ms;
	if (journal->copy == COPY_BEGUN || journal->copy == COPY_PARTS)
		return 0;
	if (journal->job != JOB_NONE)
		return -1;
	if (journal->is_degraded)
		due_ms = journal->retry_due_ms;
	else if (journal->sync_due_ms != 0)
		due_ms = journal->sync_due_ms;
	else
		return -1;
	left_ms = due_ms - clock_mono_ms();
	return left_ms < 0 ? 0 : (int)left_ms;
}

void journal_tick(struct journal *journal)
{
	if (journal_timeout_ms(journal) != 0)
		return;
	if (journal->job == JOB_NONE && journal->sync_due_ms != 0 && !journal->is_degraded &&
	    journal->sync_due_ms <= clock_mono_ms())
		journal_sync(journal);
	if (journal->copy != COPY_NONE)
		journal_copy(journal);
	else if (journal->is_degraded)
		journal_rewrite(journal);
}

void journal_note_dead(struct journal *journal, size_t bytes)
{
	uint64_t live;
	journal->dead_bytes += JOURNAL_RECORD_HEADER_SIZE + bytes;
	if (journal->dead_bytes < DEAD_MIN || journal->copy != COPY_NONE)
		return;
	live =
	    journal->file.len > journal->dead_bytes ? journal->file.len - journal->dead_bytes : 0;
	if (journal->dead_bytes > live && !journal->is_degraded)
		journal_rewrite(journal);
}

void journal_stats(const struct journal *journal, struct journal_stats *ret_stats)
{
	*ret_stats = (struct journal_stats){.ticket = journal->ticket,
	    .durable = journal->durable,
	    .bytes = journal->file.len,
	    .dead_bytes = journal->dead_bytes,
	    .syncs = journal->syncs,
	    .rewrites = journal->rewrites,
	    .gaps = journal->gaps,
	    .longest_sync_us = journal->longest_sync_us,
	    .is_degraded = journal->is_degraded};
}

static void recover_record(void *data, const struct journal_record *record)
{
	struct journal *journal = data;
	bool is_mark = record->type == JOURNAL_TYPE_MARK;
	journal->promised = record->durable;
	journal->ends_marked = is_mark && record->len == 0;
	if (!is_mark) {
		journal->hole[0] = '\0'; /* an earlier daemon has reported this hole */
		journal->handlers.record(journal->data, record->type, record->payload, record->len);
	} else if (record->len > 0) {
		snprintf(journal->hole, sizeof journal->hole, "%.*s",
		    record->len < HOLE_MAX ? (int)record->len : HOLE_MAX,
		    (const char *)record->payload);
	}
}

static void recover_gap(void *data, uint64_t count)
{
	struct journal *journal = data;
	journal->gaps += count;
	journal->handlers.gap(journal->data, count, "corruption");
}

static int recover_read(struct journal *journal, int handle, struct buf *content)
{
	for (;;) {
		ssize_t got;
		if (buf_reserve(content, READ_CHUNK) != 0)
			return -EFBIG;
		got = journal->disk->read(journal->disk_data, handle, content->data + content->len,
		    READ_CHUNK, content->len);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return 0;
		content->len += (size_t)got;
	}
}

static void recover_set_aside(struct journal *journal)
{
	char aside[NAME_MAX_SIZE + 24];
	for (unsigned number = 1; number <= DAMAGED_MAX; number++) {
		int handle;
		snprintf(aside, sizeof aside, "%s.damaged-%u", journal->name, number % 1000);
		handle = journal->disk->open(journal->disk_data, aside, 0);
		if (handle < 0) {
			(void)journal->disk->install(journal->disk_data, journal->name, aside);
			return; /* if the rename fails, the new file replaces the damaged one */
		}
		journal->disk->close(journal->disk_data, handle);
	}
}

/* Continues an earlier file; syncs it, or lets the thread do so. Returns false on failure. */
static bool recover_resume(
    struct journal *journal, int handle, size_t len, const struct journal_scan *scan)
{
	bool is_threaded = journal->syncer != NULL;
	if (len > scan->good_len &&
	    journal->disk->truncate(journal->disk_data, handle, scan->good_len) < 0)
		return false;
	if (!is_threaded && journal->disk->sync(journal->disk_data, handle) < 0)
		return false;
	journal->file = (struct file){.handle = handle,
	    .epoch = scan->epoch,
	    .len = scan->good_len,
	    .number = scan->last,
	    .durable = is_threaded ? journal->promised : scan->last,
	    .has_mark = journal->ends_marked,
	    .has_hole = journal->hole[0] != '\0'};
	/* if this fails, the next record tries again */
	(void)file_reserve(journal, &journal->file, 0);
	if (is_threaded)
		journal_submit(journal, JOB_SYNC, &journal->file);
	else
		file_mark(journal, &journal->file);
	return true;
}

static bool journal_recover(struct journal *journal)
{
	const struct journal_scan_handlers handlers = {
	    .record = recover_record, .gap = recover_gap};
	int handle = journal->disk->open(journal->disk_data, journal->name, 0);
	struct journal_scan scan;
	struct buf content = BUF(FILE_MAX);
	bool is_sound = false;
	if (handle == -ENOENT)
		return false;
	if (handle >= 0 && recover_read(journal, handle, &content) == 0) {
		journal_scan(
		    content.data, content.len, JOURNAL_PAYLOAD_MAX, &handlers, journal, &scan);
		if (scan.has_damage)
			recover_set_aside(journal);
		if (scan.has_damage && scan.lost == 0)
			journal->handlers.gap(journal->data, 0, "corruption");
		if (journal->hole[0] != '\0')
			journal->handlers.gap(journal->data, 0, journal->hole);
		is_sound = !scan.has_damage && recover_resume(journal, handle, content.len, &scan);
	} else {
		recover_set_aside(journal);
		journal->handlers.gap(journal->data, 0, "unreadable");
	}
	buf_finish(&content);
	if (handle >= 0 && !is_sound)
		journal->disk->close(journal->disk_data, handle);
	return is_sound;
}

int journal_open(const struct journal_disk *disk, void *disk_data, const char *name, bool threaded,
    const struct journal_handlers *handlers, void *data, struct journal **ret_journal)
{
	struct journal *journal = mem_calloc(1, sizeof *journal);
	struct journal_syncer *syncer = NULL;
	if (journal == NULL)
		return -ENOMEM;
	if (threaded && (syncer = syncer_new(disk, disk_data)) == NULL) {
		mem_free(journal);
		return -errno;
	}
	journal->disk = disk;
	journal->disk_data = disk_data;
	journal->handlers = *handlers;
	journal->data = data;
	journal->file.handle = -1;
	journal->next.handle = -1;
	snprintf(journal->name, sizeof journal->name, "%s", name);
	snprintf(
	    journal->next_name, sizeof journal->next_name, "%.*s.new", NAME_MAX_SIZE - 5, name);
	buf_init(&journal->scratch, journal_record_size(JOURNAL_PAYLOAD_MAX));
	journal->syncer = syncer;
	if (!journal_recover(journal)) {
		/* Without the helper thread, the rewrite is complete before a record comes. */
		journal->syncer = NULL;
		journal_rewrite(journal);
		journal->syncer = syncer;
	} else { /* an earlier daemon may have ended during a rewrite */
		(void)disk->unlink(disk_data, journal->next_name);
	}
	*ret_journal = journal;
	return 0;
}

void journal_close(struct journal *journal)
{
	struct syncer_result result;
	if (journal == NULL)
		return;
	if (journal->syncer != NULL) {
		syncer_wait(journal->syncer);
		if (syncer_take(journal->syncer, &result))
			journal_job_ended(journal, &result);
		syncer_free(journal->syncer);
		journal->syncer = NULL;
		journal->job = JOB_NONE;
	}
	journal_sync(journal);
	/* The mark, too, must survive a power cut. */
	if (journal->file.has_mark && journal->ticket > 0)
		(void)journal->disk->sync(journal->disk_data, journal->file.handle);
	file_close(journal, &journal->file);
	file_close(journal, &journal->next);
	buf_finish(&journal->scratch);
	mem_free(journal);
}
