/* SPDX-License-Identifier: ISC */
/*
 * A configuration file that is somebody else's: read whole, and written whole or not at all,
 * with what it was kept beside it.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"

#define CONFIG_FILE_MAX ((size_t)64 * 1024 * 1024)

struct config_file {
	char path[PATH_MAX]; /* as it was named */
	char target[PATH_MAX]; /* where symbolic links lead */
	struct buf text; /* as it was read */
	bool is_there;
	struct stat stat; /* when it was read */
	char backup[PATH_MAX]; /* what config_file_write() kept, "" for none */
};

/* Reads; that there is none is no error. False with a reason. Finish it anyway. */
bool config_file_read(struct config_file *file, const char *path, char *ret_reason, size_t size);
void config_file_finish(struct config_file *file);

/*
 * Puts text into the place of what was read, with the same mode, making the directories that
 * lead there. False with a reason: then all is as before. What others wrote to it since is
 * never lost: that is a reason too.
 */
bool config_file_write(
    struct config_file *file, const struct buf *text, char *ret_reason, size_t size);

#endif
