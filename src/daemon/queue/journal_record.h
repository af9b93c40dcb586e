/* SPDX-License-Identifier: ISC */
/*
 * The format of a journal's file: bytes and checksums, nothing else.
 *
 * header, 32 bytes: magic 8 · format 4 · epoch 4 · zero 12 · checksum 4 record, multiple of 8
 * bytes: checksum 4 · length and type 4 · epoch 4 · zero 4 · number 8 · durable 8 · payload · zeros
 *
 * All numbers are little-endian. A checksum is CRC32C over all that follows it in the record,
 * padding too (in the header: over all before it). The epoch is a random number of the file: if a
 * disk returns data of an older file, the epochs differ. durable is the number of the last record
 * that was known to be synced when this record was written, so that a reader can tell damage to
 * promised records from an unfinished tail. If no record follows a sync, a mark says that the sync
 * was done. Zeros may follow the last record: reserved room.
 */
#pragma once

#include "base/base.h"

#define JOURNAL_HEADER_SIZE 32
#define JOURNAL_RECORD_HEADER_SIZE 32
/*
 * The type of the journal's own records, which old readers skip. Without a payload it is a mark:
 * damage before it is damage to promised records, damage behind it is not. With a payload it says
 * why records behind it are missing.
 */
#define JOURNAL_TYPE_MARK 255

struct journal_record {
	uint8_t type;
	uint32_t epoch;
	uint64_t number, durable;
	const uint8_t *payload;
	size_t len;
};

void journal_header_write(uint8_t out[JOURNAL_HEADER_SIZE], uint32_t epoch);

/* Returns the bytes that a record with a payload of len bytes takes in the file. */
size_t journal_record_size(size_t len);
/* Returns 0 or an enum buf_error. */
int journal_record_write(struct buf *out, const struct journal_record *record);

/* In the order of the file. */
struct journal_scan_handlers {
	void (*record)(void *data, const struct journal_record *record);
	void (*gap)(void *data, uint64_t count);
};

struct journal_scan {
	size_t good_len; /* of the file: nothing behind it was ever promised */
	uint64_t last; /* number of the last record; 0: none */
	uint64_t lost; /* records missing in gaps */
	bool has_damage; /* a gap was found, or the header was damaged */
	uint32_t epoch;
};

/* Scans a whole file. If the header is damaged, the records tell the epoch. */
void journal_scan(const uint8_t *bytes, size_t len, size_t payload_max,
    const struct journal_scan_handlers *handlers, void *data, struct journal_scan *ret_scan);
