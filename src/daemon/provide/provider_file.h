/* SPDX-License-Identifier: ISC */
/*
 * Files of providers, named NAME.provider. Each names a program, its rows, its kinds of events, and
 * when it is started. The files are in the folders of declared tools, and are checked in the same
 * way.
 */
#pragma once

#include "daemon/tool/declaration.h"

#define PROVIDER_FILE_BYTES_MAX ((size_t)256 * 1024)
#define PROVIDER_FILES_MAX 32 /* maximum number; more are ignored, with a warning in the log */

enum provider_life {
	PROVIDER_ON_CALL, /* the first call starts the program; it ends when idle */
	PROVIDER_WITH_DAEMON,
};

struct provider_file {
	char *name; /* the file's name without ".provider" */
	char *path;
	char *dir;
	uint64_t content; /* hash of the file's text */
	struct json_reader *reader; /* owns the memory of the values below */
	const char *const *program; /* NULL-terminated */
	enum provider_life life;
	int64_t idle_ms; /* idle time after which the program ends, for PROVIDER_ON_CALL */
	const struct json *methods; /* an array of rows for offer_read() */
	const struct json *events; /* an array of kinds of events, or NULL */
	char *reason; /* why the file cannot be used; NULL: it can */
	void *owned; /* memory of the words of program */
};

/*
 * Reads the files of a folder (NULL: none), and adds them to files, which has count entries and
 * room for PROVIDER_FILES_MAX. A file replaces an entry of the same name. Returns the new count.
 */
size_t provider_files_read(const char *dir, struct provider_file **files, size_t count);
void provider_file_free(struct provider_file *file);

/*
 * Writes the path of the program. Returns false with a reason if it does not exist. A program whose
 * word begins with "." is also refused if other users can write to it.
 */
bool provider_file_program(
    const struct provider_file *file, char out[PATH_MAX], char *ret_reason, size_t size);
