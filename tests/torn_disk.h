/* SPDX-License-Identifier: ISC */
/*
 * A disk in memory that can lose power: unsynced writes survive in any subset of its 512-byte
 * sectors, torn inside one, or as garbage. Full disks and failing syncs too. All from a seed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/queue/journal_disk.h"

#define TORN_FILES 8
#define TORN_NAME 64

struct torn_file {
	char name[TORN_NAME]; /* "": the entry is free */
	uint8_t *bytes; /* as the running program sees them */
	size_t len;
	uint8_t *synced; /* as they survive a power cut */
	size_t synced_len;
	size_t lost_from, lost_to; /* range that a sync failed to write; later syncs leave it out */
	size_t reserved; /* bytes that can be written even if the disk is full */
	bool is_open;
	bool is_named; /* its name survives a power cut */
};

struct torn_disk {
	struct torn_file files[TORN_FILES];
	uint64_t seed;
	size_t room; /* bytes that can still be written; SIZE_MAX: no end */
	bool reserves; /* the disk supports reserving room */
	unsigned fail_sync_in; /* the n-th sync from now fails; 0: none */
	unsigned syncs;
};

extern const struct journal_disk torn_disk_table; /* its data is a struct torn_disk */

void torn_disk_init(struct torn_disk *disk, uint64_t seed);
void torn_disk_finish(struct torn_disk *disk);
/* The program is killed: all descriptors close, all written data stay. */
void torn_disk_kill(struct torn_disk *disk);
/* The power goes: unsynced data survive in part, or not at all. */
void torn_disk_power_cut(struct torn_disk *disk);
struct torn_file *torn_disk_file(struct torn_disk *disk, const char *name);
void torn_disk_copy(struct torn_disk *to, const struct torn_disk *from);
uint64_t torn_disk_random(struct torn_disk *disk);
