/* SPDX-License-Identifier: ISC */
/*
 * main() for a fuzz target where no fuzzing engine is linked: feeds it files, each one
 * a TAP check that passes by not crashing. Without arguments the program fuzz_NAME
 * takes all of corpus/NAME and regressions/NAME.
 */
#include "tap.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two entry points of libFuzzer's interface. The target may leave out the second. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* Reads to the end into one block of exactly that size, so that a checker sees overruns. */
static uint8_t *read_all(FILE *file, size_t *ret_size)
{
	size_t size;
	uint8_t *data;
	long end;
	if (fseek(file, 0, SEEK_END) != 0)
		return NULL;
	end = ftell(file);
	if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
		return NULL;

	size = (size_t)end;
	data = malloc(size == 0 ? 1 : size);
	if (data != NULL && fread(data, 1, size, file) != size) {
		free(data);
		return NULL;
	}
	*ret_size = size;
	return data;
}

static void replay_file(const char *path)
{
	size_t size = 0;
	FILE *file = fopen(path, "rb");
	uint8_t *data = file == NULL ? NULL : read_all(file, &size);
	/* Printed first, so that a crash leaves the name of its input. */
	diag("replaying %s", path);
	if (data != NULL)
		(void)LLVMFuzzerTestOneInput(data, size);
	ok(data != NULL, "%s", base_name(path));
	free(data);
	if (file != NULL)
		(void)fclose(file);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A missing folder has no files. */
static int replay_folder(const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		char path[4096];
		int len = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		if (len > 0 && (size_t)len < sizeof path)
			replay_file(path);
		else
			ok(false, "the path of %s fits", entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? 0 : n;
}

static void replay_folders_of(const char *program)
{
	static const char *const kinds[] = {"corpus", "regressions"};
	const char *srcdir = getenv("MUXBUS_SRCDIR");
	const char *name = strstr(base_name(program), "fuzz_");
	int n = 0;
	for (size_t i = 0; name != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
		char folder[4096];
		(void)snprintf(folder, sizeof folder, "%s/tests/fuzz/%s/%s",
		    srcdir == NULL ? "." : srcdir, kinds[i], name + strlen("fuzz_"));
		n += replay_folder(folder);
	}
	ok(n > 0, "there is something to replay");
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize != NULL)
		(void)LLVMFuzzerInitialize(&argc, &argv);
	if (argc < 2)
		replay_folders_of(argv[0]);
	for (int i = 1; i < argc; i++)
		replay_file(argv[i]);
	return done_testing();
}
