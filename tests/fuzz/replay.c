/* SPDX-License-Identifier: ISC */
/*
 * main() for a fuzz target where no fuzzing engine is linked: feeds it files, each one
 * a TAP check that passes by not crashing. Without arguments the program fuzz_NAME
 * takes all of corpus/NAME and regressions/NAME, and then mutations of them for a second. The
 * input that crashed it is then in fuzz_NAME.input beside it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzzing.h"
#include "tap.h"

enum { INPUT_MAX = 64 * 1024, INPUTS_MAX = 1024 };

/* The two entry points of libFuzzer's interface. The target may leave out the second. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

struct input {
	uint8_t *data;
	size_t size;
};
static struct input inputs[INPUTS_MAX];
static size_t input_count;

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
	if (data != NULL && size <= INPUT_MAX && input_count < INPUTS_MAX)
		inputs[input_count++] = (struct input){data, size};
	else
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

/* Feeds a mutation from memory that is a file, so that the file has it after a crash. */
static void feed_mutation(struct fuzzing *fuzzing, uint8_t *shared, int file)
{
	const struct input *from = &inputs[fuzzing_below(fuzzing, (uint32_t)input_count)];
	uint8_t *copy;
	size_t size;
	if (ftruncate(file, INPUT_MAX) != 0)
		return;
	memcpy(shared, from->data, from->size);
	size = fuzzing_mutate(fuzzing, shared, from->size, INPUT_MAX);
	if (fuzzing_below(fuzzing, 4) == 0) { /* the end of another behind it */
		const struct input *other = &inputs[fuzzing_below(fuzzing, (uint32_t)input_count)];
		size_t part = fuzzing_below(fuzzing, (uint32_t)other->size + 1);
		part = part > INPUT_MAX - size ? INPUT_MAX - size : part;
		memcpy(shared + size, other->data + other->size - part, part);
		size += part;
	}
	if (ftruncate(file, (off_t)size) != 0)
		return;
	copy = malloc(size == 0 ? 1 : size);
	memcpy(copy, shared, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void mutate_inputs(const char *program)
{
	struct fuzzing fuzzing;
	char path[4096];
	uint8_t *shared;
	int file;
	(void)snprintf(path, sizeof path, "%s.input", program);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, INPUT_MAX) != 0)
		return;
	shared = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	fuzzing_init(&fuzzing, 1);
	while (shared != MAP_FAILED && input_count > 0 && fuzzing_goes_on(&fuzzing))
		feed_mutation(&fuzzing, shared, file);
	ok(fuzzing.rounds > 0, "%llu mutations", (unsigned long long)fuzzing.rounds);
	if (shared != MAP_FAILED)
		(void)munmap(shared, INPUT_MAX);
	(void)close(file);
	(void)unlink(path);
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize != NULL)
		(void)LLVMFuzzerInitialize(&argc, &argv);
	if (argc < 2) {
		replay_folders_of(argv[0]);
		mutate_inputs(argv[0]);
	}
	for (int i = 1; i < argc; i++)
		replay_file(argv[i]);
	while (input_count > 0)
		free(inputs[--input_count].data);
	return done_testing();
}
