/* SPDX-License-Identifier: ISC */
/*
 * The format of a journal's file. Its parts, with their sizes in bytes:
 *
 * - header, 32 bytes: magic 8, format 4, epoch 4, zero 12, checksum 4
 * - record, a multiple of 8 bytes: checksum 4, length and type 4, epoch 4, zero 4, number 8,
 *   durable 8, payload, zeros
 *
 * Numbers are little-endian. A checksum is CRC32C: of a record over all bytes behind the checksum,
 * of the header over all bytes before it. The epoch is a random number of the file: if a disk
 * returns data of an older file, the epochs differ.
 *
 * durable is the number of the last record that was known to be synced when this record was
 * written. So a reader can tell damage to durable records from an unfinished end of the file. If no
 * record follows a sync, a mark (JOURNAL_TYPE_MARK) may say that the sync was done. Zeros may
 * follow the last record: reserved room.
 */
#pragma once

#include "base/base.h"

#define JOURNAL_HEADER_SIZE 32
#define JOURNAL_RECORD_HEADER_SIZE 32
/*
 * The type of the journal's own records. Without a payload, such a record is a mark: the records
 * before the mark were durable. With a payload, such a record is a hole record: records behind it
 * are missing, and the payload says why.
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

/* Returns how many bytes a record with a payload of len bytes takes in the file. */
size_t journal_record_size(size_t len);
/* Appends a record. Returns 0 or an enum buf_error. */
int journal_record_write(struct buf *out, const struct journal_record *record);

/* Called in the order of the file. */
struct journal_scan_handlers {
	void (*record)(void *data, const struct journal_record *record);
	void (*gap)(void *data, uint64_t count);
};

struct journal_scan {
	size_t good_len; /* length of the part of the file to keep: without its unfinished end */
	uint64_t last; /* number of the last record; 0: none */
	uint64_t lost; /* number of records that are missing in gaps */
	bool has_damage; /* a gap or damaged bytes were found, or the header is invalid */
	uint32_t epoch;
};

/* Scans a whole file. If the header is invalid, takes the epoch from the first record. */
void journal_scan(const uint8_t *bytes, size_t len, size_t payload_max,
    const struct journal_scan_handlers *handlers, void *data, struct journal_scan *ret_scan);
