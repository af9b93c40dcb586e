/* SPDX-License-Identifier: ISC */
/*
 * One open file that grows: the place up to which it was read, and the lines after that. Reports
 * new bytes as blocks of whole lines, and parts of very long lines. Also finds rotated files.
 *
 * Truncation and overwriting are detected by some bytes before the place: each read fetches them
 * again, and they must be unchanged. In a short file the checksum of all bytes that were read must
 * be unchanged too.
 */
#pragma once

#include "base/base.h"

#define TAIL_LINE_MAX (64 * 1024) /* bytes; a longer line is cut and flagged */
#define TAIL_MARK_MAX 64
#define TAIL_CHUNK (64 * 1024)
/* maximum bytes read that have a checksum; with more, only a change of the last bytes is seen */
#define TAIL_SUM_MAX (64 * 1024)
/* bytes of the memory for reading, which files can share */
#define TAIL_SCRATCH (TAIL_MARK_MAX + TAIL_LINE_MAX + TAIL_CHUNK)

/*
 * A place in a file that can be found again after a restart. ino 0: no file has been there since
 * the time offset, in ms of CLOCK_REALTIME.
 */
struct tail_place {
	dev_t dev;
	ino_t ino;
	int64_t offset; /* of the first byte not reported yet */
	int64_t line; /* number of the line at offset, from 1; 0: unknown */
	bool is_skipping; /* offset is within a line that was cut */
	uint8_t mark[TAIL_MARK_MAX]; /* the bytes before offset */
	size_t mark_len;
	int64_t sum_end; /* sum is the checksum of the bytes up to this offset; 0: unknown */
	uint32_t sum;
};

struct tail_file {
	struct list link; /* in a list of the owner */
	int fd;
	struct tail_place told; /* the end of what was reported, where carry begins */
	struct buf carry; /* the last line, without its end */
	bool may_be_hole; /* NULs at the end may be a hole, which no program wrote */
	bool has_room; /* the file ends in NULs, which may be overwritten without an event */
	int64_t grown_ms; /* for the owner: when the file last grew, was opened, or lost its name */
	void *owner_data;
};

enum tail_flag {
	TAIL_CUT = 1 << 0, /* the beginning of a line that is too long */
	TAIL_PARTIAL = 1 << 1, /* the last line, without its end */
};

/* Whole lines, each with its LF; or one line without LF, if flags are set. Lent. */
struct tail_block {
	struct tail_file *file;
	const char *text;
	size_t len;
	int64_t offset; /* of the first byte, in the file */
	int64_t line; /* number of the first line; 0: unknown */
	unsigned flags;
};

/* Returns false to stop reading after the block. */
typedef bool tail_sink_fn(void *data, const struct tail_block *block);

enum tail_result {
	TAIL_END, /* no more bytes for now */
	TAIL_MORE, /* the budget is used up */
	TAIL_STOPPED, /* the sink returned false */
	TAIL_TRUNCATED, /* shorter than the part already read */
	TAIL_REWRITTEN, /* the part already read has changed */
	TAIL_FAILED, /* errno is set */
};

/* Takes ownership of fd, a regular file. Starts at the first byte. */
struct tail_file *tail_file_new(int fd, const struct stat *status);
void tail_file_free(struct tail_file *file); /* NULL is accepted */

bool tail_file_is(const struct tail_file *file, dev_t dev, ino_t ino);
int64_t tail_file_end(const struct tail_file *file); /* offset of the end of the bytes read */

/* Moves the place to the current end. Returns 0 or -errno. */
int tail_file_seek_end(struct tail_file *file);
/* Moves to a place, and drops the carry. The next read checks the bytes before the place. */
void tail_file_seek(struct tail_file *file, const struct tail_place *place);
void tail_file_restart(struct tail_file *file);
/* Returns false if the checksum shows that bytes already read have changed. */
bool tail_file_is_as_read(const struct tail_file *file);
/* Returns true if a place can belong to this file: the bytes before the place are the same. */
bool tail_file_has(const struct tail_file *file, const struct tail_place *place);

/* Reads new bytes, about *budget at most, and reduces *budget. scratch: TAIL_SCRATCH bytes. */
enum tail_result tail_file_read(
    struct tail_file *file, uint8_t *scratch, size_t *budget, tail_sink_fn *sink, void *data);

/* Reports the incomplete last line, if any, and moves the place to its end. */
void tail_file_flush(struct tail_file *file, tail_sink_fn *sink, void *data);

/* Sets a block to the incomplete last line, lent. Returns false if there is none. */
bool tail_file_peek(struct tail_file *file, struct tail_block *ret_block);

/* Rotated files beside a log, such as log.1, whose names no event has reported. */

#define SIBLINGS_MAX 64
#define SIBLINGS_SEEN 4096 /* maximum number of siblings from which the newest are chosen */
#define SIBLING_HEAD 256

struct sibling {
	char name[256];
	dev_t dev;
	ino_t ino;
	int64_t born_ns; /* CLOCK_REALTIME; -1: unknown to the file system */
};

/* Returns when an open file was created; -1 if unknown. */
int64_t sibling_born_ns(int fd);
/*
 * Returns the present time of the clock that stamps files. Since Linux 6.13 a stamp may be later,
 * by less than a tick of the kernel.
 */
int64_t sibling_now_ns(void);

/* Lists the newest regular files beside path with a suffix of rotation, oldest first. */
size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX]);

/* Reads the first bytes of an open file, to recognise copies. Returns their number. */
size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD]);
