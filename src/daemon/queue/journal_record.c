/* SPDX-License-Identifier: ISC */
#include "daemon/queue/journal_record.h"

#include <endian.h>

#include "base/hash.h"

static const uint8_t magic[8] = {'m', 'u', 'x', 'b', 'u', 's', 'J', '\n'};

enum { FORMAT = 1, TYPE_SHIFT = 24, LENGTH_MASK = (1 << TYPE_SHIFT) - 1 };

enum {
	HEADER_FORMAT = 8,
	HEADER_EPOCH = 12,
	HEADER_CRC = 28,
	RECORD_CRC = 0,
	RECORD_LENGTH = 4,
	RECORD_EPOCH = 8,
	RECORD_ZERO = 12,
	RECORD_NUMBER = 16,
	RECORD_DURABLE = 24,
};

static uint32_t get32(const uint8_t *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return le32toh(value);
}

static uint64_t get64(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof value);
	return le64toh(value);
}

static void put32(uint8_t *bytes, uint32_t value)
{
	value = htole32(value);
	memcpy(bytes, &value, sizeof value);
}

static void put64(uint8_t *bytes, uint64_t value)
{
	value = htole64(value);
	memcpy(bytes, &value, sizeof value);
}

void journal_header_write(uint8_t out[JOURNAL_HEADER_SIZE], uint32_t epoch)
{
	memset(out, 0, JOURNAL_HEADER_SIZE);
	memcpy(out, magic, sizeof magic);
	put32(out + HEADER_FORMAT, FORMAT);
	put32(out + HEADER_EPOCH, epoch);
	put32(out + HEADER_CRC, crc32c(0, out, HEADER_CRC));
}

static bool journal_header_read(const uint8_t *bytes, size_t len, uint32_t *ret_epoch)
{
	if (len < JOURNAL_HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0)
		return false;
	if (get32(bytes + HEADER_CRC) != crc32c(0, bytes, HEADER_CRC))
		return false;
	if (get32(bytes + HEADER_FORMAT) != FORMAT)
		return false;
	*ret_epoch = get32(bytes + HEADER_EPOCH);
	return true;
}

size_t journal_record_size(size_t len)
{
	return (JOURNAL_RECORD_HEADER_SIZE + len + 7) & ~(size_t)7;
}

int journal_record_write(struct buf *out, const struct journal_record *record)
{
	size_t size = journal_record_size(record->len);
	int error = buf_reserve(out, size);
	uint8_t *at;
	if (error != 0)
		return error;
	at = out->data + out->len;
	memset(at, 0, JOURNAL_RECORD_HEADER_SIZE);
	put32(at + RECORD_LENGTH, (uint32_t)record->len | (uint32_t)record->type << TYPE_SHIFT);
	put32(at + RECORD_EPOCH, record->epoch);
	put64(at + RECORD_NUMBER, record->number);
	put64(at + RECORD_DURABLE, record->durable);
	if (record->len > 0)
		memcpy(at + JOURNAL_RECORD_HEADER_SIZE, record->payload, record->len);
	memset(at + JOURNAL_RECORD_HEADER_SIZE + record->len, 0,
	    size - JOURNAL_RECORD_HEADER_SIZE - record->len);
	put32(at + RECORD_CRC, crc32c(0, at + RECORD_LENGTH, size - RECORD_LENGTH));
	out->len += size;
	return 0;
}

static bool journal_record_read(const uint8_t *bytes, size_t len, struct journal_record *ret_record)
{
	uint32_t word;
	size_t size;
	if (len < JOURNAL_RECORD_HEADER_SIZE)
		return false;
	word = get32(bytes + RECORD_LENGTH);
	size = journal_record_size(word & LENGTH_MASK);
	if (size > len || get32(bytes + RECORD_ZERO) != 0)
		return false;
	if (get32(bytes + RECORD_CRC) != crc32c(0, bytes + RECORD_LENGTH, size - RECORD_LENGTH))
		return false;
	*ret_record = (struct journal_record){.type = (uint8_t)(word >> TYPE_SHIFT),
	    .epoch = get32(bytes + RECORD_EPOCH),
	    .number = get64(bytes + RECORD_NUMBER),
	    .durable = get64(bytes + RECORD_DURABLE),
	    .payload = bytes + JOURNAL_RECORD_HEADER_SIZE,
	    .len = word & LENGTH_MASK};
	return true;
}

struct journal_walk {
	const uint8_t *bytes;
	size_t len, payload_max;
	uint32_t epoch;
	bool has_epoch;
};

/*
 * Reads the record at an offset. Returns false if there is no record of this file, or its number is
 * below `from`.
 */
static bool scan_read(
    const struct journal_walk *scan, size_t at, uint64_t from, struct journal_record *ret_record)
{
	if (at + JOURNAL_RECORD_HEADER_SIZE > scan->len)
		return false;
	/* The cheap tests come first: a search tries many offsets where no record begins. */
	if ((get32(scan->bytes + at + RECORD_LENGTH) & LENGTH_MASK) > scan->payload_max)
		return false;
	if (scan->has_epoch && get32(scan->bytes + at + RECORD_EPOCH) != scan->epoch)
		return false;
	if (get64(scan->bytes + at + RECORD_NUMBER) < from)
		return false;
	return journal_record_read(scan->bytes + at, scan->len - at, ret_record);
}

static bool scan_search(const struct journal_walk *scan, size_t *at, uint64_t from)
{
	struct journal_record record;
	for (; *at + JOURNAL_RECORD_HEADER_SIZE <= scan->len; *at += 8)
		if (scan_read(scan, *at, from, &record))
			return true;
	return false;
}

/* Returns the highest `durable` of the records at or behind an offset with numbers from `from`. */
static uint64_t scan_durable(const struct journal_walk *scan, size_t at, uint64_t from)
{
	struct journal_record record;
	uint64_t durable = 0;
	while (scan_search(scan, &at, from)) {
		if (!scan_read(scan, at, from, &record))
			break;
		if (record.durable > durable)
			durable = record.durable;
		from = record.number + 1;
		at += journal_record_size(record.len);
	}
	return durable;
}

/* Without a valid header, takes the epoch of the first record that can be read. */
static void scan_guess_epoch(struct journal_walk *scan)
{
	struct journal_record record;
	size_t at = JOURNAL_HEADER_SIZE;
	if (scan_search(scan, &at, 1) && scan_read(scan, at, 1, &record)) {
		scan->epoch = record.epoch;
		scan->has_epoch = true;
	}
}

void journal_scan(const uint8_t *bytes, size_t len, size_t payload_max,
    const struct journal_scan_handlers *handlers, void *data, struct journal_scan *ret_scan)
{
	struct journal_walk scan = {.bytes = bytes, .len = len, .payload_max = payload_max};
	struct journal_record record;
	size_t at = JOURNAL_HEADER_SIZE;
	uint64_t expected = 1;
	*ret_scan = (struct journal_scan){0};
	scan.has_epoch = journal_header_read(bytes, len, &scan.epoch);
	if (!scan.has_epoch) {
		ret_scan->has_damage = true;
		scan_guess_epoch(&scan);
	}
	while (at < len) {
		size_t place = at;
		if (!scan_search(&scan, &place, expected) ||
		    !scan_read(&scan, place, expected, &record))
			break;
		if (place != at || record.number != expected) {
			/* The file ends here, unless a later record says that more was durable. */
			if (scan_durable(&scan, place, expected) < expected &&
			    !ret_scan->has_damage)
				break;
			ret_scan->has_damage = true;
			ret_scan->lost += record.number - expected;
			if (record.number > expected)
				handlers->gap(data, record.number - expected);
		}
		handlers->record(data, &record);
		expected = record.number + 1;
		at = place + journal_record_size(record.len);
	}
	ret_scan->good_len = at < len ? at : len;
	ret_scan->last = expected - 1;
	ret_scan->epoch = scan.epoch;
}
