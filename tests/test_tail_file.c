/* SPDX-License-Identifier: ISC */
/* One file as it grows: every split of its bytes gives the same lines, every change is seen. */
#include "daemon/file/tail_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

static uint8_t scratch[TAIL_SCRATCH];

/* A file without a name, and the reports about it. */
struct trial {
	int fd;
	struct tail_file *file;
	struct buf told; /* "offset:line:flags:text|" of each block */
};

static void trial_open(struct trial *trial)
{
	char path[] = "/tmp/muxbus-tail-XXXXXX";
	char link[64];
	struct stat status;
	int fd;
	trial->fd = mkstemp(path);
	snprintf(link, sizeof link, "/proc/self/fd/%d", trial->fd);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		abort();
	unlink(path);
	trial->file = tail_file_new(fd, &status);
	buf_init(&trial->told, 1 << 22);
}

static void trial_close(struct trial *trial)
{
	tail_file_free(trial->file);
	buf_finish(&trial->told);
	close(trial->fd);
}

static void trial_write(struct trial *trial, const void *bytes, size_t len)
{
	if (write(trial->fd, bytes, len) != (ssize_t)len)
		abort();
}

static bool take(void *data, const struct tail_block *block)
{
	struct trial *trial = data;
	const char *end = block->text + block->len;
	int64_t line = block->line;
	for (const char *at = block->text; at<end; line += line> 0) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline != NULL ? newline + 1 : end;
		(void)buf_printf(&trial->told,
		    "%lld:%lld:%u:%zu:", (long long)(block->offset + (at - block->text)),
		    (long long)line, block->flags, (size_t)(stop - at));
		(void)buf_append(
		    &trial->told, at, (size_t)(stop - at) < 20 ? (size_t)(stop - at) : 20);
		(void)buf_append_byte(&trial->told, '|');
		at = stop;
	}
	return true;
}

static void trial_write_at(struct trial *trial, const char *text, off_t offset)
{
	size_t len = strlen(text);
	if (pwrite(trial->fd, text, len, offset) != (ssize_t)len)
		abort();
}

static enum tail_result trial_read(struct trial *trial)
{
	size_t budget = 64 << 20;
	return tail_file_read(trial->file, scratch, &budget, take, trial);
}

static const char *told(const struct trial *trial)
{
	return trial->told.data != NULL ? (const char *)trial->told.data : "";
}

static void test_splits(void)
{
	static const char text[] = "one\ntwo \xe2\x82\xac\r\n\n\nfour\nrest";
	static const char want[] =
	    "0:1:0:4:one\n|4:2:0:9:two "
	    "\xe2\x82\xac\r\n|13:3:0:1:\n|14:4:0:1:\n|15:5:0:5:four\n|20:6:2:4:rest|";
	size_t len = sizeof text - 1;
	unsigned wrong = 0;
	for (size_t i = 0; i <= len; i++) {
		for (size_t j = i; j <= len; j++) {
			struct trial trial;
			struct tail_place place;
			trial_open(&trial);
			trial_write(&trial, text, i);
			(void)trial_read(&trial);
			/* As after a restart, in the middle. */
			place = trial.file->told;
			tail_file_seek(trial.file, &place);
			trial_write(&trial, text + i, j - i);
			(void)trial_read(&trial);
			trial_write(&trial, text + j, len - j);
			(void)trial_read(&trial);
			tail_file_flush(trial.file, take, &trial);
			if (strcmp(told(&trial), want) != 0 && wrong++ < 3)
				diag("%zu %zu: %s", i, j, told(&trial));
			trial_close(&trial);
		}
	}
	is_int(wrong, 0, "in three pieces, split anywhere, started again: the same lines");
}

static void test_changes(void)
{
	struct trial trial;
	unsigned unseen = 0;
	char bytes[200];
	memset(bytes, 'x', sizeof bytes);
	for (size_t i = 0; i < 300; i++) {
		trial_open(&trial);
		trial_write(&trial, bytes, 150);
		/* The file was read, or is begun at the end. */
		(void)(i < 150 ? (int)trial_read(&trial) : tail_file_seek_end(trial.file));
		unseen += trial_read(&trial) != TAIL_END;
		trial_write_at(&trial, "y", (off_t)(i % 150));
		unseen += trial_read(&trial) != TAIL_REWRITTEN;
		trial_close(&trial);
	}
	is_int(unseen, 0, "one other byte of a short file is seen");
	for (size_t i = 0; i < 64; i++) {
		trial_open(&trial);
		if (ftruncate(trial.fd, TAIL_SUM_MAX) < 0 || lseek(trial.fd, 0, SEEK_END) < 0)
			abort();
		trial_write(&trial, bytes, 150);
		(void)trial_read(&trial);
		trial_write_at(&trial, "y", TAIL_SUM_MAX + 149 - (off_t)i);
		unseen += trial_read(&trial) != TAIL_REWRITTEN;
		trial_close(&trial);
	}
	is_int(unseen, 0, "and of a long one, among its last 64");
	for (off_t size = 0; size < 150; size++) {
		trial_open(&trial);
		trial_write(&trial, bytes, 150);
		(void)trial_read(&trial);
		if (ftruncate(trial.fd, size) < 0)
			abort();
		unseen += trial_read(&trial) != TAIL_TRUNCATED;
		trial_close(&trial);
	}
	is_int(unseen, 0, "each truncation is seen");
}

static void test_long(void)
{
	char want[200];
	char *bytes = malloc(3 * TAIL_LINE_MAX);
	unsigned wrong = 0;
	memset(bytes, 'x', 3 * TAIL_LINE_MAX);
	for (size_t piece = 1000; piece < 3 * TAIL_LINE_MAX; piece += 7919) {
		struct trial trial;
		trial_open(&trial);
		for (size_t at = 0; at < 3 * TAIL_LINE_MAX; at += piece) {
			size_t left = 3 * TAIL_LINE_MAX - at;
			trial_write(&trial, bytes + at, left < piece ? left : piece);
			(void)trial_read(&trial);
		}
		trial_write(&trial, "\nnext\n", 6);
		(void)trial_read(&trial);
		snprintf(want, sizeof want, "0:1:1:%d:%.20s|%d:2:0:5:next\n|", TAIL_LINE_MAX, bytes,
		    3 * TAIL_LINE_MAX + 1);
		if (strcmp(told(&trial), want) != 0 && wrong++ < 3)
			diag("%zu: %s", piece, told(&trial));
		trial_close(&trial);
	}
	is_int(wrong, 0, "a line that is too long is cut once, in any pieces");
	free(bytes);
}

static void test_holes(void)
{
	struct trial trial;
	trial_open(&trial);
	if (lseek(trial.fd, 1 << 20, SEEK_SET) < 0)
		abort();
	trial_write(&trial, "behind\n", 7);
	(void)trial_read(&trial);
	is_str(told(&trial), "1048576:1:0:7:behind\n|", "a hole is skipped");
	if (ftruncate(trial.fd, 2 << 20) < 0)
		abort();
	is_int(trial_read(&trial), TAIL_END, "a hole at the end is no line yet");
	ok(trial.file->has_room, "but may become one");
	trial_write_at(&trial, "more\n", (1 << 20) + 7);
	(void)trial_read(&trial);
	is_str(told(&trial), "1048576:1:0:7:behind\n|1048583:2:0:5:more\n|", "and becomes one");
	trial_close(&trial);
}

/* Lines are counted many at once: more of them in a block than a byte can count. */
static void test_numbers(void)
{
	struct trial trial;
	char want[100], newlines[20001];
	unsigned wrong = 0;
	memset(newlines, '\n', sizeof newlines);
	for (size_t count = 1; count < sizeof newlines; count = count * 3 + 1) {
		trial_open(&trial);
		trial_write(&trial, newlines, count);
		(void)trial_read(&trial);
		buf_clear(&trial.told);
		trial_write(&trial, "end\n", 4);
		(void)trial_read(&trial);
		snprintf(want, sizeof want, "%zu:%zu:0:4:end\n|", count, count + 1);
		wrong += strcmp(told(&trial), want) != 0;
		trial_close(&trial);
	}
	is_int(wrong, 0, "lines have their numbers");
}

static void test_end(void)
{
	struct trial trial;
	size_t budget = 1;
	trial_open(&trial);
	trial_write(&trial, "old\nhalf", 8);
	is_int(tail_file_seek_end(trial.file), 0, "it begins at the end");
	trial_write(&trial, " a line\n", 8);
	(void)trial_read(&trial);
	is_str(told(&trial), "8:0:0:8: a line\n|", "and reports new lines");
	for (int i = 0; i < 100000; i++)
		trial_write(&trial, "y\n", 2);
	is_int(tail_file_read(trial.file, scratch, &budget, take, &trial), TAIL_MORE,
	    "a budget ends a reading");
	trial_close(&trial);
}

int main(void)
{
	test_splits();
	test_changes();
	test_long();
	test_holes();
	test_numbers();
	test_end();
	return done_testing();
}
