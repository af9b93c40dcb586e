/* SPDX-License-Identifier: ISC */
/*
 * Files of providers, NAME.provider: a program, its life, its rows and its kinds of events. They
 * stand in the folders of declared tools, and are checked in the same way.
 */
#pragma once

#include "daemon/tool/declaration.h"

#define PROVIDER_FILE_BYTES_MAX ((size_t)256 * 1024)
#define PROVIDER_FILES_MAX 32 /* that are read; later ones are left out, and the log says so */

enum provider_life {
	PROVIDER_ON_CALL, /* started by the first call, ended when idle */
	PROVIDER_WITH_DAEMON,
};

struct provider_file {
	char *name; /* the file's, without ".provider" */
	char *path;
	char *dir;
	uint64_t content; /* a hash of its text */
	struct json_reader *reader; /* of the values below */
	const char *const *program; /* NULL-terminated */
	enum provider_life life;
	int64_t idle_ms; /* PROVIDER_ON_CALL */
	const struct json *methods; /* an array of rows, to be read by offer_read() */
	const struct json *events; /* an array, or NULL: kinds of events */
	char *reason; /* why the file cannot be used; NULL: it can */
	void *owned;
};

/*
 * Reads all files of a folder (NULL: as good as empty) into *files, which has room for
 * PROVIDER_FILES_MAX, behind the count that are there. One of the same name as an earlier one
 * replaces it. Returns the new count.
 */
size_t provider_files_read(const char *dir, struct provider_file **files, size_t count);
void provider_file_free(struct provider_file *file);

/* The path of its program. False with a reason: it is missing, or others can write to it. */
bool provider_file_program(
    const struct provider_file *file, char out[PATH_MAX], char *ret_reason, size_t size);
