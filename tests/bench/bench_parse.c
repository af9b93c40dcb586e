/* SPDX-License-Identifier: ISC */
/*
 * Instructions for each byte that a program writes, from the pieces of the pipe through
 * the parser into a ring of 64 KiB (G2): callgrind's count for many passes over a stream
 * less that for few.
 */
#include <muxbus.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "stream.h"

enum { STREAM_BYTES = 256 * 1024, FEW = 2, MANY = 10, PIECE_BYTES = 4500, RING_BYTES = 64 * 1024 };

extern char **environ;

struct ring {
	uint8_t bytes[RING_BYTES];
	size_t next;
	size_t total;
};

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct ring *ring = data;
	(void)pane;
	(void)age_ms;
	ring->total += len;
	while (len > 0) {
		size_t take = RING_BYTES - ring->next < len ? RING_BYTES - ring->next : len;
		memcpy(ring->bytes + ring->next, bytes, take);
		ring->next = (ring->next + take) % RING_BYTES;
		bytes += take;
		len -= take;
	}
}

/* The code under measurement. Returns an exit status. */
static int feed(const char *kind, int passes)
{
	static const struct muxbus_parser_handlers handlers = {.output = on_output};
	static struct ring ring;
	struct stream *stream = stream_new(kind, STREAM_BYTES);
	struct muxbus_parser *parser;
	if (muxbus_parser_new(&handlers, &ring, &parser) != 0)
		return 1;
	for (int pass = 0; pass < passes; pass++) {
		for (size_t done = 0; done < stream->len; done += PIECE_BYTES) {
			size_t left = stream->len - done;
			if (muxbus_parser_feed(parser, stream->bytes + done,
				left < PIECE_BYTES ? left : PIECE_BYTES) != 0)
				return 1;
		}
	}
	passes -= (int)(ring.total / stream->decoded_len);
	muxbus_parser_free(parser);
	stream_free(stream);
	return passes == 0 ? 0 : 1;
}

/* The number behind "totals:" in a file of callgrind's; -1 if there is none. */
static double read_total(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	double total = -1;
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		if (sscanf(line, "totals: %lf", &total) == 1)
			break;
	}
	if (file != NULL)
		fclose(file);
	return total;
}

/* The instructions of this program with so many passes; -1 if it cannot be run so. */
static double count(const char *kind, int passes)
{
	char path[] = "/tmp/bench_parse.XXXXXX";
	char option[64];
	char text[16];
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	int fd = mkstemp(path);
	char *argv[] = {(char *)"valgrind", (char *)"-q", (char *)"--tool=callgrind", option, self,
	    (char *)"feed", (char *)kind, text, NULL};
	double total = -1;
	int status;
	pid_t pid;
	if (len < 0 || fd < 0)
		return -1;
	self[len] = '\0';
	close(fd);
	snprintf(option, sizeof option, "--callgrind-out-file=%s", path);
	snprintf(text, sizeof text, "%d", passes);
	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0 &&
	    waitpid(pid, &status, 0) == pid && status == 0)
		total = read_total(path);
	unlink(path);
	return total;
}

int main(int argc, char **argv)
{
	struct stream *stream;
	char name[64];
	if (argc == 4 && strcmp(argv[1], "feed") == 0)
		return feed(argv[2], atoi(argv[3]));
	for (size_t i = 0; stream_kinds[i] != NULL; i++) {
		double few = count(stream_kinds[i], FEW);
		double many = count(stream_kinds[i], MANY);
		if (few < 0 || many < 0) {
			printf("# bench_parse: valgrind cannot be run\n");
			return 77;
		}
		stream = stream_new(stream_kinds[i], STREAM_BYTES);
		snprintf(name, sizeof name, "ir_parse_%s", stream_kinds[i]);
		bench_row(name, (many - few) / (MANY - FEW) / (double)stream->decoded_len, "Ir/B",
		    "read to ring");
		stream_free(stream);
	}
	return 0;
}
