/* SPDX-License-Identifier: ISC */
/* A configuration file, mostly of another program: written whole or not at all. */
#pragma once

#include "base/base.h"

#define CONFIG_FILE_MAX ((size_t)64 * 1024 * 1024)

struct config_file {
	char path[PATH_MAX]; /* as given */
	char target[PATH_MAX]; /* after following symbolic links */
	struct buf text; /* content when read */
	bool is_there;
	bool has_owner; /* root creates the file for the user in `stat` */
	struct stat stat; /* when read; if root makes the file, of the nearest existing directory */
	char backup[PATH_MAX]; /* path of the backup that was made, or "" */
};

/* Reads a file, which may be absent. Returns false with a reason. Always finish text in the end. */
bool config_file_read(struct config_file *file, const char *path, char *ret_reason, size_t size);

/*
 * Replaces the text that was read; keeps owner, mode and symbolic links. Creates missing
 * directories, unless the path is a symbolic link. Root gives a new file to the owner of its
 * directory. has_backup: keeps the old text beside the file. Returns false with a reason, for
 * example if the file has changed since it was read.
 */
bool config_file_write(struct config_file *file, const struct buf *text, bool has_backup,
    char *ret_reason, size_t size);

/*
 * Removes the file that was read; of a symbolic link, removes the link only. Also removes its
 * directory if that is then empty, and empty parents below the home or the current directory.
 * Returns false with a reason.
 */
bool config_file_remove(struct config_file *file, bool has_backup, char *ret_reason, size_t size);

/* Replaces the text from begin to end by bytes. Ends the process if the result has no room. */
void config_splice(struct buf *text, size_t begin, size_t end, const void *bytes, size_t len);

/* Calls visit with the text of each readable backup; removes the backup if visit returns true. */
void config_file_each_backup(
    const struct config_file *file, bool (*visit)(void *data, const struct buf *text), void *data);
