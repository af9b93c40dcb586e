/* SPDX-License-Identifier: ISC */
/*
 * One growing open file: the place read up to, and the lines after it. Bytes in, blocks of
 * whole lines out. Knows no path and no event loop.
 *
 * Truncation and overwriting are detected by the bytes before the place: they are read again
 * together with the new bytes, in one call, and must be unchanged. Of a short file that has not
 * grown, all bytes must have their sum.
 */
#pragma once

#include "base/base.h"

#define TAIL_LINE_MAX (64 * 1024) /* bytes; a longer line is cut and flagged */
#define TAIL_MARK_MAX 64
#define TAIL_CHUNK (64 * 1024)
/* A change of bytes anywhere is seen in a file up to this size; beyond it, among the last ones. */
#define TAIL_SUM_MAX (64 * 1024)
/* The memory for reading; shared by all files. */
#define TAIL_SCRATCH (TAIL_MARK_MAX + TAIL_LINE_MAX + TAIL_CHUNK)

/* A place in a file that can be found again after a restart. */
struct tail_place {
	dev_t dev;
	ino_t ino;
	int64_t offset; /* of the first byte not reported */
	int64_t line; /* its line's number from 1; 0: not known */
	bool is_skipping; /* within a line that was cut */
	uint8_t mark[TAIL_MARK_MAX]; /* the bytes before it */
	size_t mark_len;
};

struct tail_file {
	struct list link; /* the owner's */
	int fd;
	struct tail_place told; /* the carry begins here */
	struct buf carry; /* a line without its end */
	int64_t sum_end; /* the bytes up to here had this sum; -1: not known */
	uint32_t sum;
	bool may_be_hole; /* NULs here may be those of a hole */
	bool has_room; /* ends in NULs: space that may be filled without an event */
	int64_t grown_ms; /* the owner's */
	void *owner_data;
};

enum tail_flag {
	TAIL_CUT = 1 << 0, /* the beginning of a line that is too long */
	TAIL_PARTIAL = 1 << 1, /* a last line without its end */
};

/* Whole lines, each with its LF; or one line that is flagged, without. Lent. */
struct tail_block {
	struct tail_file *file;
	const char *text;
	size_t len;
	int64_t offset; /* of its first byte in the file */
	int64_t line; /* number of its first line; 0: not known */
	unsigned flags;
};

/* Takes a block; false stops reading after it. */
typedef bool tail_sink_fn(void *data, const struct tail_block *block);

enum tail_result {
	TAIL_END, /* nothing more for now */
	TAIL_MORE, /* the budget is used up */
	TAIL_STOPPED, /* by the sink */
	TAIL_TRUNCATED, /* shorter than the part already read */
	TAIL_REWRITTEN, /* the part already read has changed */
	TAIL_FAILED, /* errno */
};

/* Takes ownership of fd, a regular file; the place is its first byte. */
struct tail_file *tail_file_new(int fd, const struct stat *status);
void tail_file_free(struct tail_file *file); /* NULL: nothing */

bool tail_file_is(const struct tail_file *file, dev_t dev, ino_t ino);
int64_t tail_file_end(const struct tail_file *file); /* of what was read */

/* Goes to the current end. -errno. */
int tail_file_seek_end(struct tail_file *file);
/* Goes to a place and forgets the carry. The next read checks the place. */
void tail_file_seek(struct tail_file *file, const struct tail_place *place);
/* Goes to the beginning, as in a new file. */
void tail_file_restart(struct tail_file *file);
/* Whether all bytes that were read are as before, as far as that is seen. */
bool tail_file_is_as_read(const struct tail_file *file);
/* Whether a place can belong to this file: the bytes before it are the same. */
bool tail_file_has(const struct tail_file *file, const struct tail_place *place);

/* Reads at most about *budget bytes and subtracts them. scratch: TAIL_SCRATCH bytes. */
enum tail_result tail_file_read(
    struct tail_file *file, uint8_t *scratch, size_t *budget, tail_sink_fn *sink, void *data);

/* Reports the incomplete last line, if any, and forgets it. */
void tail_file_flush(struct tail_file *file, tail_sink_fn *sink, void *data);

/* The incomplete last line as a block; false if there is none. */
bool tail_file_peek(struct tail_file *file, struct tail_block *ret_block);

/*
 * Rotated files beside a log: log.1, log-20240501 and the like. They are found by listing
 * the directory when events did not report their names.
 */

#define SIBLINGS_MAX 64
#define SIBLING_HEAD 256

struct sibling {
	char name[256];
	dev_t dev;
	ino_t ino;
	int64_t born_ns; /* CLOCK_REALTIME; -1: unknown to the file system */
};

/* When an open file was created; -1 if unknown. */
int64_t sibling_born_ns(int fd);
/* Now, by the clock of file times. */
int64_t sibling_now_ns(void);

/*
 * Lists regular files beside path named like it plus a number or a date, oldest first.
 * The list is cut at SIBLINGS_MAX.
 */
size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX]);

/* The first bytes of an open file, to recognise copies. */
size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD]);
