/* SPDX-License-Identifier: ISC */
/*
 * How a journal's file is written: bytes and checksums, nothing else.
 *
 *   header, 32 bytes: magic 8 · format 4 · epoch 4 · zero 12 · checksum 4
 *   record, multiple of 8 bytes: checksum 4 · length and type 4 · epoch 4 · zero 4 ·
 *       number 8 · durable 8 · payload · zeros
 *
 * All numbers are little-endian; checksums are CRC32C over all that follows them in the
 * record, padding too (in the header: over all before it). The epoch is a random number of the
 * file, so that what a disk brings back from an older file is not taken for this one's. durable is
 * the number of the last record that was known to be synced when this one was written: it tells a
 * tail that was never promised from damage to what was. A sync that nothing follows is said by a
 * mark. Zeros may follow the last record: room that was taken for more.
 */
#pragma once

#include "base/base.h"

#define JOURNAL_HEADER_SIZE 32
#define JOURNAL_RECORD_HEADER_SIZE 32
/*
 * A record of the journal itself. Without a payload it marks the end of what is durable: what is
 * damaged before it was promised, what follows it was not. With one it says why records are missing
 * behind it. Readers that do not know it pass over it.
 */
#define JOURNAL_TYPE_MARK 255

struct journal_record {
	uint8_t type;
	uint32_t epoch;
	uint64_t number;
	uint64_t durable;
	const uint8_t *payload;
	size_t len;
};

void journal_header_write(uint8_t out[JOURNAL_HEADER_SIZE], uint32_t epoch);

/* The bytes that a payload of this length takes in the file. */
size_t journal_record_size(size_t len);
/* Appends the record to out. Returns 0 or an enum buf_error. */
int journal_record_write(struct buf *out, const struct journal_record *record);

/* Handlers for the findings of a scan, in the order of the file. */
struct journal_scan_handlers {
	void (*record)(void *data, const struct journal_record *record);
	void (*gap)(void *data, uint64_t count);
};

struct journal_scan {
	size_t good_len; /* of the file: what is behind it was never promised */
	uint64_t last; /* number of the last record, 0: none */
	uint64_t lost; /* records in gaps */
	bool has_damage; /* a gap was found, or the header was damaged */
	uint32_t epoch;
};

/* Reads a whole file. The header may be damaged: the records then say the epoch. */
void journal_scan(const uint8_t *bytes, size_t len, size_t payload_max,
    const struct journal_scan_handlers *handlers, void *data, struct journal_scan *ret_scan);
