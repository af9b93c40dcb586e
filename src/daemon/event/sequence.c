/* SPDX-License-Identifier: ISC */
/* Numbers that are never reused: a ceiling in a file, raised in advance. */
#include "daemon/event/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "base/xalloc.h"

#define FILE_NAME "sequence"
#define FILE_NAME_NEW "sequence.new"
#define FILE_MAGIC "muxbus-sequence 1 "
#define FILE_BYTES_MAX 128

struct sequence {
	int dir; /* -1: nothing is stored */
	uint64_t last;
	uint64_t ceiling; /* numbers up to it may be used */
	bool is_volatile; /* the ceiling is not on the disk */
	bool is_raising; /* a thread writes the next ceiling */
	pthread_t thread;
	uint64_t raised; /* the next ceiling */
	int raise_error; /* 0, or why the thread could not write it */
};

/* Higher than any number counted so far, if the clock is right. */
static uint64_t floor_by_clock(void)
{
	int64_t now_ms = clock_real_ms();
	return now_ms > 0 ? (uint64_t)now_ms * 1000 : 1;
}

/* "muxbus-sequence 1 CEILING CRC\n": the checksum covers all before it. */
static int format_file(char *out, size_t size, uint64_t ceiling)
{
	int len = snprintf(out, size, FILE_MAGIC "%" PRIu64 " ", ceiling);
	uint32_t crc = crc32c(0, out, (size_t)len);
	return len + snprintf(out + len, size - (size_t)len, "%08" PRIx32 "\n", crc);
}

static bool parse_file(const char *text, size_t len, uint64_t *ret_ceiling)
{
	size_t magic_len = strlen(FILE_MAGIC);
	char expected[FILE_BYTES_MAX];
	int expected_len;
	const char *digits, *space;
	uint64_t ceiling;
	if (len <= magic_len || memcmp(text, FILE_MAGIC, magic_len) != 0)
		return false;
	digits = text + magic_len;
	space = memchr(digits, ' ', len - magic_len);
	if (space == NULL || !str_parse_u64(digits, (size_t)(space - digits), &ceiling))
		return false;
	expected_len = format_file(expected, sizeof expected, ceiling);
	if (len != (size_t)expected_len || memcmp(text, expected, len) != 0)
		return false;
	*ret_ceiling = ceiling;
	return ceiling <= SEQUENCE_MAX;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Replaces the file by one with this ceiling. Returns 0 when it is on disk, else -1 with errno. */
static int write_file(int dir, uint64_t ceiling)
{
	char text[FILE_BYTES_MAX];
	int len = format_file(text, sizeof text, ceiling);
	int fd =
	    openat(dir, FILE_NAME_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int saved_errno, r;
	if (fd < 0)
		return -1;
	r = write_all(fd, text, (size_t)len);
	if (r == 0)
		r = fdatasync(fd);
	saved_errno = errno;
	(void)close(fd); /* already synced or failed */
	errno = saved_errno;
	if (r == 0)
		r = renameat(dir, FILE_NAME_NEW, dir, FILE_NAME);
	if (r == 0)
		r = fsync(dir);
	return r;
}

/* The thread: shares nothing else while it runs. */
static void *raise_main(void *data)
{
	struct sequence *sequence = data;
	sequence->raise_error = write_file(sequence->dir, sequence->raised) < 0 ? errno : 0;
	return NULL;
}

/* Has a thread reserve the next block, with all signals blocked. Without a thread it is done later. */
static void raise_begin(struct sequence *sequence)
{
	sigset_t all, before;
	if (sequence->dir < 0 || sequence->is_raising || sequence->is_volatile)
		return;
	sequence->raised = sequence->ceiling + SEQUENCE_BLOCK;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sequence->is_raising = pthread_create(&sequence->thread, NULL, raise_main, sequence) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Waits for the thread, which has mostly ended long ago. */
static void raise_end(struct sequence *sequence)
{
	if (!sequence->is_raising)
		return;
	pthread_join(sequence->thread, NULL);
	sequence->is_raising = false;
	if (sequence->raise_error == 0)
		sequence->ceiling = sequence->raised;
}

/* Reserves another block of numbers, first on disk. */
static void raise_ceiling(struct sequence *sequence)
{
	uint64_t ceiling;
	raise_end(sequence);
	if (sequence->last < sequence->ceiling)
		return;
	ceiling = sequence->last + SEQUENCE_BLOCK;
	if (sequence->dir >= 0 && write_file(sequence->dir, ceiling) < 0) {
		uint64_t floor;
		if (!sequence->is_volatile)
			log_error(FILE_NAME ": %s: numbers continue from the clock until it can be "
					    "written again",
			    strerror(errno));
		sequence->is_volatile = true;
		/* The next start may use the file's block: stay clear of its numbers. */
		floor = floor_by_clock();
		if (sequence->last < floor)
			sequence->last = floor;
		ceiling = sequence->last + SEQUENCE_BLOCK;
	} else {
		sequence->is_volatile = false;
	}
	sequence->ceiling = ceiling;
}

/* Reads the file. Returns 0, also if there is none or it is damaged; -1 with errno. */
static int read_file(struct sequence *sequence)
{
	int fd = openat(sequence->dir, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char text[FILE_BYTES_MAX + 1];
	ssize_t len;
	int saved_errno;
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	len = read(fd, text, sizeof text);
	saved_errno = errno;
	(void)close(fd); /* only read */
	errno = saved_errno;
	if (len < 0)
		return -1;
	if (!parse_file(text, (size_t)len, &sequence->last)) {
		sequence->last = floor_by_clock();
		log_error(FILE_NAME ": damaged: numbers continue from the clock, at %" PRIu64,
		    sequence->last);
	}
	return 0;
}

struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size)
{
	struct sequence *sequence = xcalloc(1, sizeof *sequence);
	sequence->dir = -1;
	if (state_dir == NULL)
		return sequence;
	sequence->dir = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sequence->dir < 0) {
		(void)snprintf(ret_reason, reason_size, "%s: %s", state_dir, strerror(errno));
		goto err;
	}
	if (read_file(sequence) < 0) {
		(void)snprintf(
		    ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir, strerror(errno));
		goto err_dir;
	}
	sequence->ceiling = sequence->last;
	raise_begin(sequence); /* while the rest of the daemon starts */
	return sequence;
err_dir:
	(void)close(sequence->dir); /* a directory, only read */
err:
	mem_free(sequence);
	return NULL;
}

void sequence_close(struct sequence *sequence)
{
	if (sequence == NULL)
		return;
	raise_end(sequence);
	if (sequence->dir >= 0) {
		/* If this fails, the next start merely skips the rest of the block. */
		if (!sequence->is_volatile && sequence->last < sequence->ceiling)
			(void)write_file(sequence->dir, sequence->last);
		(void)close(sequence->dir); /* a directory, only read */
	}
	mem_free(sequence);
}

uint64_t sequence_peek(struct sequence *sequence)
{
	if (sequence->last == sequence->ceiling)
		raise_ceiling(sequence);
	return sequence->last + 1;
}

uint64_t sequence_next(struct sequence *sequence)
{
	sequence->last = sequence_peek(sequence);
	if (sequence->ceiling - sequence->last < SEQUENCE_BLOCK / 2)
		raise_begin(sequence);
	return sequence->last;
}

void sequence_pass(struct sequence *sequence, uint64_t number)
{
	if (number <= sequence->last || number > SEQUENCE_MAX)
		return;
	raise_end(sequence);
	sequence->last = number;
	if (sequence->ceiling < number)
		sequence->ceiling = number;
}

uint64_t sequence_last(const struct sequence *sequence)
{
	return sequence->last;
}
