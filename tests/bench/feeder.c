/* SPDX-License-Identifier: ISC */
/*
 * A program in a pane that writes bursts. It then asks the terminal for its status
 * (ESC[5n): tmux answers when it has parsed all that came before.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "bench.h"

enum { CHUNK_BYTES = 128 * 1024 };

/* Order and answer go through two FIFOs in the server's directory. */
struct feeder {
	int order_fd;
	int answer_fd;
	char *pane;
};

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

static size_t put_ansi_line(char *out, size_t room, unsigned number, unsigned random)
{
	static const char *const levels[] = {"32mINFO", "33mWARN", "31mERROR", "36mDEBUG"};
	return (size_t)snprintf(out, room,
	    "\033[2m12:%02u:%02u.%03u\033[0m \033[1;%s\033[0m \033[34mworker-%u\033[0m request=%u"
	    " path=\033[4m/api/v1/items/%u\033[0m status=\033[32m200\033[0m took %u ms\n",
	    number / 60 % 60, number % 60, random % 1000, levels[random % 4], random % 16, number,
	    random, random % 97);
}

static void fill(char *out, size_t size, const char *text)
{
	unsigned state = 7;
	size_t used = 0;
	for (unsigned number = 0; used < size; number++) {
		char line[512];
		unsigned random = next_random(&state);
		size_t len = 0;
		if (strcmp(text, "ansi") == 0) {
			len = put_ansi_line(line, sizeof line, number, random);
		} else {
			size_t width = strcmp(text, "short") == 0 ? random % 9 : 40 + random % 81;
			while (len < width)
				line[len++] = (char)(' ' + next_random(&state) % 95);
			line[len++] = '\n';
		}
		if (len > size - used)
			len = size - used;
		memcpy(out + used, line, len);
		used += len;
	}
}

static bool write_all(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(1, bytes, len);
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

/* Asks for the terminal's status and reads the answer to its end. */
static bool wait_until_parsed(void)
{
	char byte = 0;
	if (!write_all("\033[5n", 4))
		return false;
	while (byte != 'n') {
		if (read(0, &byte, 1) != 1)
			return false;
	}
	return true;
}

int feeder_main(const char *text)
{
	static char chunk[CHUNK_BYTES];
	struct termios mode;
	char order[32];
	int order_fd, answer_fd;
	fill(chunk, sizeof chunk, text);
	order_fd = open("feed.order", O_RDONLY);
	answer_fd = open("feed.answer", O_WRONLY);
	if (tcgetattr(0, &mode) == -1 || order_fd == -1 || answer_fd == -1)
		return 1;
	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	(void)tcsetattr(0, TCSANOW, &mode);
	while (read(order_fd, order, sizeof order) == (ssize_t)sizeof order) {
		int64_t start_ns = live_now_ns();
		int64_t took_ns;
		for (size_t left = strtoull(order, NULL, 10); left > 0;) {
			size_t len = left < sizeof chunk ? left : sizeof chunk;
			if (!write_all(chunk, len))
				return 1;
			left -= len;
		}
		if (!wait_until_parsed())
			return 1;
		took_ns = live_now_ns() - start_ns;
		if (write(answer_fd, &took_ns, sizeof took_ns) != sizeof took_ns)
			return 1;
	}
	return 0;
}

struct feeder *feeder_new(struct live *live, enum bench_text text)
{
	static const char *const names[] = {"ascii", "ansi", "short"};
	struct feeder *feeder = xcalloc(1, sizeof *feeder);
	char *order, *answer;
	live_run(live, "rm -f feed.order feed.answer; mkfifo feed.order feed.answer");
	feeder->pane =
	    xstrdup(live_tmux(live, "new-window -dP -F '#{pane_id}' -c '%s' 'exec %s feed %s'",
		live->dir, bench_self(), names[text]));
	order = xasprintf("%s/feed.order", live->dir);
	answer = xasprintf("%s/feed.answer", live->dir);
	feeder->order_fd = open(order, O_WRONLY | O_CLOEXEC);
	feeder->answer_fd = open(answer, O_RDONLY | O_CLOEXEC);
	mem_free(order);
	mem_free(answer);
	if (feeder->order_fd == -1 || feeder->answer_fd == -1)
		live_bail("the feeder does not start");
	return feeder;
}

void feeder_free(struct feeder *feeder)
{
	(void)close(feeder->order_fd);
	(void)close(feeder->answer_fd);
	mem_free(feeder->pane);
	mem_free(feeder);
}

void feeder_start(struct feeder *feeder, size_t len)
{
	char order[32] = {0};
	(void)snprintf(order, sizeof order, "%zu", len);
	if (write(feeder->order_fd, order, sizeof order) != sizeof order)
		live_bail("the feeder is gone");
}

bool feeder_wait(struct feeder *feeder, int timeout_ms, int64_t *ret_ns)
{
	struct pollfd wait = {.fd = feeder->answer_fd, .events = POLLIN};
	if (poll(&wait, 1, timeout_ms) <= 0)
		return false;
	return read(feeder->answer_fd, ret_ns, sizeof *ret_ns) == sizeof *ret_ns;
}

const char *feeder_pane(const struct feeder *feeder)
{
	return feeder->pane;
}
