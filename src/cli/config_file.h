/* SPDX-License-Identifier: ISC */
/*
 * A configuration file of another program: read whole, written whole or not at all, with a backup
 * of the old file beside it.
 */
#pragma once

#include "base/base.h"

#define CONFIG_FILE_MAX ((size_t)64 * 1024 * 1024)

struct config_file {
	char path[PATH_MAX]; /* as it was named */
	char target[PATH_MAX]; /* after following symbolic links */
	struct buf text; /* as it was read */
	bool is_there;
	bool is_given; /* a new file of root for the user that stat names */
	struct stat stat; /* when it was read; of a new file, of the directory */
	char backup[PATH_MAX]; /* path of the backup of config_file_write(), "" for none */
};

/* Reads the file; a missing file is no error. Returns false with a reason. Always call finish. */
bool config_file_read(struct config_file *file, const char *path, char *ret_reason, size_t size);
void config_file_finish(struct config_file *file);

/*
 * Replaces the text that was read, with the same owner and mode, and makes missing directories;
 * symbolic links stay. Root gives new files to the owner of their directory. Returns
 * false with a reason, and changes nothing then. Refuses to overwrite a file that has changed
 * since it was read. With has_backup the old text is kept beside it.
 */
bool config_file_write(struct config_file *file, const struct buf *text, bool has_backup,
    char *ret_reason, size_t size);

/*
 * Removes the file that was read, and its directory if that is then empty. A symbolic link is
 * removed, and its target stays. Returns false with a reason, and changes nothing then.
 */
bool config_file_remove(struct config_file *file, bool has_backup, char *ret_reason, size_t size);

/* Replaces the text from begin to end by bytes. Ends the process if out of memory. */
void config_splice(struct buf *text, size_t begin, size_t end, const void *bytes, size_t len);

/* Calls visit with the text of each backup of the file; one for which that is true is removed. */
void config_file_each_backup(
    const struct config_file *file, bool (*visit)(void *data, const struct buf *text), void *data);
