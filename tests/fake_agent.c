/* SPDX-License-Identifier: ISC */
/*
 * The prompt of an agent, for tests of typing: raw mode, bracketed paste, a line of input
 * that it draws itself, and the bad habits of real agents. It records each submitted line
 * and its time (CLOCK_MONOTONIC): "1234567 text".
 *
 * usage: fake_agent [OPTION…] LOG
 *   --swallow MS    an Enter within that long after another key is a new line in the draft
 *   --deaf MS       reads nothing for so long after the first key has come, with the title deaf
 *   --alternate     runs on the alternate screen
 *   --crash-after N ends at once when it has got that many bytes
 *   --box           draws a box around its prompt, with a placeholder and its own cursor
 *   --above TEXT    begins with this line above its prompt
 *   --draft TEXT    begins with this text in its line
 *   --chatter MS    for a command that begins with '!' prints its own prompt in the middle
 *                   of its output, and waits so long after it, for input from elsewhere
 *   --cooked        leaves the editing of its line to the kernel
 *   --shortcuts     loses "?" and "!" if keys, not a paste, bring them to an empty line, also
 *                   behind other keys that come with them, as Gemini CLI does
 *   --signals       leaves the keys of signals to the kernel, as line editors do
 *   (a command that begins with '?' offers a choice, until Enter answers it)
 *   --ask SOCKET    first asks the daemon for something, itself
 *   --run COMMAND   first runs a command, as agents run hooks
 *   --exec COMMAND  becomes this command at SIGUSR1
 *   --nest COMMAND  runs this command at SIGUSR2, and waits for its end
 *   --lag MS        computes so long before it shows what it has read; meanwhile its line is
 *                   still there, so that another Enter submits that once more
 *   --busy MS       takes so long for a command that begins with '/', and spins meanwhile
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096, BOX_COLUMNS = 76 };

struct agent {
	const char *log;
	const char *above;
	const char *ask;
	const char *run;
	const char *exec;
	const char *nest;
	int swallow_ms;
	int deaf_ms;
	int busy_ms;
	int lag_ms;
	int chatter_ms;
	int crash_after;
	bool is_alternate;
	bool is_boxed;
	bool has_signals;
	bool has_shortcuts;
	bool is_pasting;
	bool is_cooked;
	bool was_deaf;
	bool has_choice;
	char line[LINE_MAX_BYTES];
	size_t len;
	int got;
	int64_t key_ms;
	int rows; /* rows of the last drawing */
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void rest(int ms)
{
	(void)poll(NULL, 0, ms);
}

/* The placeholder with a block cursor on it, or the draft with a block cursor after it. */
static void draw_box(struct agent *agent)
{
	const char *frame = "\xe2\x94\x80", *side = "\xe2\x94\x82";
	size_t at = 0;
	printf("\r\033[J\xe2\x95\xad");
	for (int i = 0; i < BOX_COLUMNS; i++)
		printf("%s", frame);
	printf("\xe2\x95\xae\r\n");
	agent->rows = 1;
	do {
		size_t room = BOX_COLUMNS - 4;
		size_t piece = agent->len - at < room ? agent->len - at : room;
		printf("%s %s %.*s", side, at == 0 ? ">" : " ", (int)piece, agent->line + at);
		at += piece;
		if (agent->len == 0)
			printf("\033[7mT\033[27;2mry \"fix the tests\"\033[0m");
		else if (at == agent->len)
			printf("\033[7m \033[27m");
		printf("\r\033[%dG%s\r\n", BOX_COLUMNS + 2, side);
		agent->rows++;
	} while (at < agent->len);
	printf("\xe2\x95\xb0");
	for (int i = 0; i < BOX_COLUMNS; i++)
		printf("%s", frame);
	printf("\xe2\x95\xaf\r\n  \033[2m? for shortcuts\033[0m\r\n");
	agent->rows += 2;
	fflush(stdout);
}

static void draw(struct agent *agent)
{
	if (agent->rows > 0)
		printf("\033[%dA", agent->rows);
	if (agent->is_boxed) {
		draw_box(agent);
		return;
	}
	printf("\r\033[J%s> ", agent->has_choice ? "> 1. Yes\r\n  2. No\r\n" : "");
	agent->rows = agent->has_choice ? 2 : 0;
	for (size_t at = 0; at < agent->len; at++) {
		if (agent->line[at] == '\n') {
			printf("\r\n");
			agent->rows++;
		} else {
			putchar(agent->line[at]);
		}
		if ((at + 3) % 80 == 0)
			agent->rows++;
	}
	fflush(stdout);
}

/* Prints output that looks like a prompt, with text after it. */
static void chatter(const struct agent *agent)
{
	struct pollfd other = {.events = POLLIN};
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	other.fd = ends[0];
	printf("quoted:\r\n> ");
	fflush(stdout);
	(void)poll(&other, 1, agent->chatter_ms);
	printf("\r\nthe end\r\n");
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void write_log(struct agent *agent)
{
	FILE *log = fopen(agent->log, "a");
	if (log == NULL)
		exit(1);
	while (agent->len > 0 && agent->line[agent->len - 1] == '\n')
		agent->len--; /* as agents do */
	fprintf(log, "%lld ", (long long)now_ms());
	for (size_t at = 0; at < agent->len; at++)
		fputc(agent->line[at] == '\n' ? '|' : agent->line[at], log);
	fputc('\n', log);
	(void)fclose(log);
}

/* Spins for lag_ms, as a program that computes. */
static void compute(const struct agent *agent)
{
	for (int64_t end_ms = now_ms() + agent->lag_ms; now_ms() < end_ms;)
		;
}

/* Until the line is drawn again, each further Enter submits it once more. */
static void submit_again(struct agent *agent)
{
	struct pollfd input = {.events = POLLIN};
	char bytes[64];
	compute(agent);
	while (agent->lag_ms > 0 && poll(&input, 1, 0) > 0) {
		ssize_t count = read(0, bytes, sizeof bytes);
		for (ssize_t at = 0; at < count; at++) {
			if (bytes[at] == '\r')
				write_log(agent);
		}
		if (count <= 0)
			return;
	}
}

static void submit(struct agent *agent)
{
	write_log(agent);
	submit_again(agent);
	if (agent->rows > 0)
		printf("\033[%dA", agent->rows);
	agent->rows = 0;
	printf("\r\033[J* said: %.*s\r\n\r\n", (int)agent->len, agent->line);
	if (agent->line[0] == '/') {
		for (int64_t end_ms = now_ms() + agent->busy_ms; now_ms() < end_ms; rest(100)) {
			printf("\rworking %lld", (long long)now_ms());
			fflush(stdout);
		}
		printf("\r\033[K* done\r\n\r\n");
	}
	if (agent->line[0] == '!')
		chatter(agent);
	agent->has_choice = agent->line[0] == '?' && !agent->has_shortcuts;
	agent->len = 0;
	draw(agent);
}

static void key(struct agent *agent, char byte)
{
	int64_t before_ms = agent->key_ms;
	agent->key_ms = now_ms();
	if (byte == '\r') {
		if (before_ms != 0 && agent->key_ms - before_ms < agent->swallow_ms) {
			agent->key_ms = before_ms;
			byte = '\n';
		} else {
			submit(agent);
			return;
		}
	}
	if (byte == 0x7f) {
		agent->len -= agent->len > 0;
		return;
	}
	if ((byte == '\n' || (unsigned char)byte >= ' ') && agent->len + 1 < sizeof agent->line)
		agent->line[agent->len++] = byte;
}

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

/* Does what the caught signal asks for. */
static void obey(const struct agent *agent, const struct termios *before, const struct termios *raw)
{
	int number = caught;
	caught = 0;
	if (number == 0)
		return;
	(void)tcsetattr(0, TCSANOW, before);
	if (number == SIGUSR1)
		(void)execl("/bin/sh", "sh", "-c", agent->exec, (char *)NULL);
	else
		(void)!system(agent->nest);
	(void)tcsetattr(0, TCSANOW, raw);
}

/* Asks the daemon over its socket until the daemon knows the pane. */
static void ask(const char *socket_path)
{
	static const char request[] = "{\"id\":1,\"method\":\"yield_turn\"}\n";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char response[4096] = "";
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
	for (int tries = 0; tries < 500 && strstr(response, "\"pane\":\"%") == NULL; tries++) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		ssize_t count = -1;
		if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
		    write(fd, request, sizeof request - 1) > 0)
			count = read(fd, response, sizeof response - 1);
		if (count < 0)
			exit(1);
		response[count] = '\0';
		(void)close(fd);
		rest(tries > 0 ? 20 : 0);
	}
}

/* Takes out the brackets of pastes, and the keys that are shortcuts at an empty line. */
static ssize_t take_out(struct agent *agent, char *bytes, ssize_t count)
{
	ssize_t left = 0;
	for (ssize_t at = 0; at < count; at++) {
		bool is_bracket = count - at >= 6 &&
		    (memcmp(bytes + at, "\033[200~", 6) == 0 ||
			memcmp(bytes + at, "\033[201~", 6) == 0);
		if (is_bracket) {
			agent->is_pasting = bytes[at + 4] == '0';
			at += 5;
		} else if (!agent->has_shortcuts || agent->is_pasting || agent->len > 0 ||
		    (bytes[at] != '?' && bytes[at] != '!')) {
			bytes[left++] = bytes[at];
		}
	}
	return left;
}

static void run(struct agent *agent, const struct termios *before, const struct termios *raw)
{
	char bytes[512];
	ssize_t count;
	draw(agent);
	for (;;) {
		struct pollfd input = {.fd = 0, .events = POLLIN};
		if (poll(&input, 1, -1) < 0) {
			obey(agent, before, raw);
			draw(agent);
			continue;
		}
		if (agent->deaf_ms > 0 && !agent->was_deaf) {
			printf("\033]2;deaf\007");
			fflush(stdout);
			rest(agent->deaf_ms);
		}
		agent->was_deaf = true;
		count = read(0, bytes, sizeof bytes);
		if (count <= 0)
			return;
		agent->got += (int)count;
		if (agent->crash_after > 0 && agent->got >= agent->crash_after)
			return;
		count = take_out(agent, bytes, count);
		for (ssize_t at = 0; at < count; at++)
			key(agent, bytes[at]);
		if (count > 0 && bytes[count - 1] != '\r')
			compute(agent);
		draw(agent);
	}
}

static void read_options(struct agent *agent, int argc, char **argv)
{
	const struct {
		const char *name;
		int *value;
	} numbers[] = {
	    {"--busy", &agent->busy_ms},
	    {"--chatter", &agent->chatter_ms},
	    {"--crash-after", &agent->crash_after},
	    {"--deaf", &agent->deaf_ms},
	    {"--lag", &agent->lag_ms},
	    {"--swallow", &agent->swallow_ms},
	};
	const struct {
		const char *name;
		const char **value;
	} texts[] = {
	    {"--above", &agent->above},
	    {"--ask", &agent->ask},
	    {"--exec", &agent->exec},
	    {"--nest", &agent->nest},
	    {"--run", &agent->run},
	};

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "0";
		if (strcmp(argv[i], "--alternate") == 0)
			agent->is_alternate = true;
		else if (strcmp(argv[i], "--box") == 0)
			agent->is_boxed = true;
		else if (strcmp(argv[i], "--cooked") == 0)
			agent->is_cooked = true;
		else if (strcmp(argv[i], "--shortcuts") == 0)
			agent->has_shortcuts = true;
		else if (strcmp(argv[i], "--signals") == 0)
			agent->has_signals = true;
		else if (strncmp(argv[i], "--", 2) != 0)
			agent->log = argv[i];
		if (strcmp(argv[i], "--draft") == 0)
			agent->len =
			    (size_t)snprintf(agent->line, sizeof agent->line, "%s", argv[++i]);
		for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
			if (i < argc && strcmp(argv[i], texts[at].name) == 0) {
				*texts[at].value = value;
				i++;
				break;
			}
		}
		for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
			if (i < argc && strcmp(argv[i], numbers[at].name) == 0) {
				*numbers[at].value = atoi(value);
				i++;
			}
		}
	}
}

int main(int argc, char **argv)
{
	static struct agent agent = {.log = "/dev/null"};
	const struct sigaction action = {.sa_handler = on_signal};
	struct termios before, raw;
	read_options(&agent, argc, argv);
	if (tcgetattr(0, &before) != 0)
		return 1;
	raw = before;
	if (!agent.is_cooked)
		cfmakeraw(&raw);
	if (agent.has_signals)
		raw.c_lflag |= ISIG;
	(void)tcsetattr(0, TCSANOW, &raw);
	if (agent.ask != NULL)
		ask(agent.ask);
	if (agent.run != NULL)
		(void)!system(agent.run);
	(void)sigaction(SIGUSR1, &action, NULL);
	(void)sigaction(SIGUSR2, &action, NULL);
	printf("%s\033[?2004h%s", agent.is_alternate ? "\033[?1049h" : "",
	    agent.is_boxed ? "\033[?25l" : "");
	if (agent.above != NULL)
		printf("%s\r\n", agent.above);
	run(&agent, &before, &raw);
	printf("\033[?2004l\033[?25h%s\r\n", agent.is_alternate ? "\033[?1049l" : "");
	fflush(stdout);
	(void)tcsetattr(0, TCSANOW, &before);
	return 0;
}
