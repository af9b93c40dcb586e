/* SPDX-License-Identifier: ISC */
/* A disk in memory that can lose power. */
#include "torn_disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

uint64_t torn_disk_random(struct torn_disk *disk)
{
	disk->seed ^= disk->seed << 13;
	disk->seed ^= disk->seed >> 7;
	disk->seed ^= disk->seed << 17;
	return disk->seed;
}

struct torn_file *torn_disk_file(struct torn_disk *disk, const char *name)
{
	for (size_t at = 0; at < TORN_FILES; at++) {
		if (strcmp(disk->files[at].name, name) == 0)
			return &disk->files[at];
	}
	return NULL;
}

/* The memory of a file grows in large steps: sanitizers copy the file each time. */
static size_t room_of(size_t len)
{
	size_t room = 4096;
	while (room < len)
		room *= 2;
	return room;
}

static void file_resize(struct torn_file *file, size_t len)
{
	if (file->bytes == NULL || room_of(len) != room_of(file->len))
		file->bytes = realloc(file->bytes, room_of(len));
	if (file->bytes == NULL)
		abort();
	if (len > file->len)
		memset(file->bytes + file->len, 0, len - file->len);
	file->len = len;
}

static void file_clear(struct torn_file *file)
{
	free(file->bytes);
	free(file->synced);
	*file = (struct torn_file){0};
}

static int torn_open(void *data, const char *name, int create)
{
	struct torn_disk *disk = data;
	struct torn_file *file = torn_disk_file(disk, name);
	if (file == NULL && !create)
		return -ENOENT;
	if (file == NULL)
		file = torn_disk_file(disk, "");
	if (file == NULL)
		return -ENOSPC;
	if (create) {
		strncpy(file->name, name, TORN_NAME - 1);
		file_resize(file, 0);
		file->lost_from = file->lost_to = 0;
	}
	file->is_open = true;
	return (int)(file - disk->files);
}

static ssize_t torn_read(void *data, int number, void *bytes, size_t len, uint64_t offset)
{
	struct torn_disk *disk = data;
	const struct torn_file *file = &disk->files[number];
	if (offset >= file->len)
		return 0;
	if (len > file->len - offset)
		len = file->len - offset;
	memcpy(bytes, file->bytes + offset, len);
	return (ssize_t)len;
}

static ssize_t torn_write(void *data, int number, const void *bytes, size_t len, uint64_t offset)
{
	struct torn_disk *disk = data;
	struct torn_file *file = &disk->files[number];
	size_t promised = offset < file->reserved ? file->reserved - offset : 0;
	if (promised > 0 && len > promised)
		len = promised;
	if (promised == 0 && disk->room == 0)
		return -ENOSPC;
	if (promised == 0 && len > disk->room)
		len = disk->room;
	if (promised == 0 && disk->room != SIZE_MAX)
		disk->room -= len;
	if (offset + len > file->len)
		file_resize(file, offset + len);
	memcpy(file->bytes + offset, bytes, len);
	if (offset < file->lost_to) /* written again since the failed sync */
		file->lost_to = offset > file->lost_from ? offset : file->lost_from;
	return (ssize_t)len;
}

static int torn_truncate(void *data, int number, uint64_t len)
{
	struct torn_disk *disk = data;
	struct torn_file *file = &disk->files[number];
	size_t had = file->reserved > file->len ? file->reserved : file->len;
	if (disk->room != SIZE_MAX && had > len)
		disk->room += had - len;
	file->reserved = len;
	file_resize(file, len);
	return 0;
}

static int torn_reserve(void *data, int number, uint64_t len)
{
	struct torn_disk *disk = data;
	struct torn_file *file = &disk->files[number];
	size_t has = file->reserved > file->len ? file->reserved : file->len;
	if (!disk->reserves)
		return -EOPNOTSUPP;
	if (len <= has)
		return 0;
	if (disk->room != SIZE_MAX && len - has > disk->room)
		return -ENOSPC;
	if (disk->room != SIZE_MAX)
		disk->room -= len - has;
	file->reserved = len;
	file_resize(file, len);
	return 0;
}

/* The kernel takes failed writes for written: no later sync writes them. */
static void forget_unsynced(struct torn_file *file)
{
	file->lost_from = file->synced_len < file->len ? file->synced_len : file->len;
	file->lost_to = file->len;
}

static int torn_sync(void *data, int number)
{
	struct torn_disk *disk = data;
	struct torn_file *file = &disk->files[number];
	disk->syncs++;
	if (disk->fail_sync_in > 0 && --disk->fail_sync_in == 0) {
		forget_unsynced(file);
		return -EIO;
	}
	free(file->synced);
	file->synced = malloc(file->len > 0 ? file->len : 1);
	if (file->synced == NULL)
		abort();
	memcpy(file->synced, file->bytes, file->len);
	file->synced_len = file->len;
	for (size_t at = file->lost_from; at < file->lost_to && at < file->len; at++)
		file->synced[at] = 0;
	return 0;
}

static int torn_install(void *data, const char *from, const char *to)
{
	struct torn_disk *disk = data;
	struct torn_file *file = torn_disk_file(disk, from);
	struct torn_file *old = torn_disk_file(disk, to);
	if (file == NULL)
		return -ENOENT;
	if (old != NULL)
		strcpy(old->name, old->is_open ? "(unlinked)" : "");
	if (old != NULL && !old->is_open)
		file_clear(old);
	memset(file->name, 0, TORN_NAME);
	strncpy(file->name, to, TORN_NAME - 1);
	file->is_named = true;
	return 0;
}

static int torn_unlink(void *data, const char *name)
{
	struct torn_file *file = torn_disk_file(data, name);
	if (file == NULL)
		return -ENOENT;
	file_clear(file);
	return 0;
}

static void torn_close(void *data, int number)
{
	struct torn_disk *disk = data;
	struct torn_file *file = &disk->files[number];
	file->is_open = false;
	if (strcmp(file->name, "(unlinked)") == 0)
		file_clear(file);
}

const struct journal_disk torn_disk_table = {
    .open = torn_open,
    .read = torn_read,
    .write = torn_write,
    .truncate = torn_truncate,
    .reserve = torn_reserve,
    .sync = torn_sync,
    .install = torn_install,
    .unlink = torn_unlink,
    .close = torn_close,
};

void torn_disk_init(struct torn_disk *disk, uint64_t seed)
{
	*disk = (struct torn_disk){.seed = seed * 2654435761U + 1, .room = SIZE_MAX};
}

void torn_disk_finish(struct torn_disk *disk)
{
	for (size_t at = 0; at < TORN_FILES; at++)
		file_clear(&disk->files[at]);
}

void torn_disk_kill(struct torn_disk *disk)
{
	for (size_t at = 0; at < TORN_FILES; at++) {
		if (disk->files[at].is_open)
			torn_close(disk, (int)at);
	}
}

/* The content of a sector after the power cut: the new, the old, a mixture, or garbage. */
static void tear_sector(
    struct torn_disk *disk, const struct torn_file *file, uint8_t *out, size_t begin, size_t end)
{
	unsigned fate = (unsigned)(torn_disk_random(disk) % 8);
	size_t cut = begin + torn_disk_random(disk) % (end - begin);
	for (size_t at = begin; at < end; at++) {
		uint8_t old = at < file->synced_len ? file->synced[at] : 0;
		if (fate < 3)
			out[at] = file->bytes[at];
		else if (fate < 6)
			out[at] = old;
		else if (fate == 6)
			out[at] = at < cut ? file->bytes[at] : old;
		else
			out[at] = old == file->bytes[at] ? old : (uint8_t)torn_disk_random(disk);
	}
}

static void tear_file(struct torn_disk *disk, struct torn_file *file)
{
	size_t least = file->synced_len < file->len ? file->synced_len : file->len;
	size_t len = least + torn_disk_random(disk) % (file->len - least + 1);
	uint8_t *out = calloc(1, room_of(len));
	if (out == NULL)
		abort();
	for (size_t begin = 0; begin < len; begin += SECTOR) {
		size_t end = begin + SECTOR < len ? begin + SECTOR : len;
		bool is_same = end <= file->synced_len &&
		    memcmp(file->bytes + begin, file->synced + begin, end - begin) == 0;
		if (is_same)
			memcpy(out + begin, file->bytes + begin, end - begin);
		else
			tear_sector(disk, file, out, begin, end);
	}
	free(file->bytes);
	file->bytes = out;
	file->len = len;
}

void torn_disk_power_cut(struct torn_disk *disk)
{
	torn_disk_kill(disk);
	for (size_t at = 0; at < TORN_FILES; at++) {
		struct torn_file *file = &disk->files[at];
		if (file->name[0] == '\0')
			continue;
		tear_file(disk, file);
		free(file->synced);
		file->synced = malloc(file->len + 1);
		if (file->synced == NULL)
			abort();
		memcpy(file->synced, file->bytes, file->len);
		file->synced_len = file->len;
	}
}

void torn_disk_copy(struct torn_disk *to, const struct torn_disk *from)
{
	*to = *from;
	for (size_t at = 0; at < TORN_FILES; at++) {
		struct torn_file *file = &to->files[at];
		if (file->bytes != NULL) {
			file->bytes = malloc(room_of(file->len));
			if (file->bytes == NULL)
				abort();
			memcpy(file->bytes, from->files[at].bytes, file->len);
		}
		if (file->synced != NULL) {
			file->synced = malloc(file->synced_len + 1);
			if (file->synced == NULL)
				abort();
			memcpy(file->synced, from->files[at].synced, file->synced_len);
		}
	}
}
