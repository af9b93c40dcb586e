/* SPDX-License-Identifier: ISC */
/*
 * Stands in for `tmux -C`, so that tests can have a tmux that lies, hangs, or dies.
 * It ignores its arguments and speaks the control protocol on its standard input and
 * output as the script in the file $MUXBUS_FAKE_SCRIPT says; without one, and when the
 * script is over, it serves: greets if that was not done, and answers all commands.
 *
 *   fake_tmux --listen PATH     instead: listens at a socket as a tmux server does, so
 *                               that a connection to PATH is tried at all, until killed
 *
 * Serving means these answers:
 *   list-comman -F NONCE            with the nonce
 *   NONCE                           with the parse error that tmux has for it
 *   run-shell -C ...                with "M VERSION $0 PID FLAGS"
 *   anything else                   with an empty block
 *   an empty line                   with %exit, and the end
 * A NONCE is 32 hexadecimal digits. Commands of one line are separated by " ; ".
 *
 * Like tmux it refuses to be nested: $TMUX and $TMUX_PANE must not be set.
 *
 * A script has one instruction a line; # begins a comment, blank lines are nothing:
 *   version TEXT      what version to be (3.3a)
 *   flags TEXT        which client flags to have (attached,ignore-size,no-output,UTF-8)
 *   no-probe          answer NONCE alone with another error than tmux's
 *   greet             the first block, and %session-changed $0 fake
 *   expect TEXT       read a line, which must begin with TEXT, else say so and exit 3
 *   answer [COUNT]    serve the line that was read, or COUNT more lines
 *   reply TEXT        a block with this body
 *   error TEXT        a block with this body that ends with %error
 *   hook TEXT         a block with this body and flags 0, as of a hook's command
 *   send TEXT         this text as it is
 *   flood COUNT TEXT  the same COUNT times
 *   stderr TEXT       this text on standard error
 *   split COUNT       from now on write at most COUNT bytes at a time (0: all)
 *   serve             serve to the end
 *   sleep MS          so many milliseconds
 *   ignore-term       SIGTERM does nothing from now on; without, it is %exit and the end
 *   hang              do nothing for ever
 *   close-stdin, close-stdout
 *   exit STATUS
 * TEXT may hold \n \\ \xHH and ${NONCE1} to ${NONCE9} (the nonces of the lines that
 * were expected last, in order), ${T} (the time of guards) and ${N} (the number of the
 * last block).
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NONCE_LEN = 32, NONCES_MAX = 9, TEXT_MAX = 64 * 1024, STATUS_UNEXPECTED = 3 };

static struct {
	const char *version;
	const char *flags;
	bool has_greeted;
	bool has_no_probe;
	bool has_said; /* it has written since the last expect */
	size_t split;
	unsigned number;
	char *line; /* read last, without its newline */
	size_t line_size;
	char nonces[NONCES_MAX][NONCE_LEN + 1];
	size_t nonce_count;
} fake = {.version = "3.3a", .flags = "attached,ignore-size,no-output,UTF-8", .number = 100};

static const long guard_time = 1700000000;

/* Writing output. */

static void say_bytes(const char *bytes, size_t len)
{
	fake.has_said = true;
	while (len > 0) {
		size_t take = fake.split != 0 && fake.split < len ? fake.split : len;
		ssize_t written = write(STDOUT_FILENO, bytes, take);
		if (written < 0 && errno != EINTR)
			exit(0); /* the reader has gone */
		if (written > 0) {
			bytes += written;
			len -= (size_t)written;
		}
	}
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	static char text[TEXT_MAX + 256];
	va_list args;
	int len;
	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	say_bytes(text, (size_t)len);
}

static void say_block(const char *end, int flags, const char *body)
{
	const char *newline = *body == '\0' || body[strlen(body) - 1] == '\n' ? "" : "\n";
	fake.number++;
	say("%%begin %ld %u %d\n%s%s%%%s %ld %u %d\n", guard_time, fake.number, flags, body,
	    newline, end, guard_time, fake.number, flags);
}

static void greet(void)
{
	fake.has_greeted = true;
	say_block("end", 0, "");
	say("%%session-changed $0 fake\n");
}

/* Reading input. */

/* False at the end of the input. */
static bool hear(void)
{
	ssize_t len = getline(&fake.line, &fake.line_size, stdin);
	if (len <= 0)
		return false;
	if (fake.line[len - 1] == '\n')
		fake.line[len - 1] = '\0';
	return true;
}

/* The length of the nonce that the text begins with, or 0. */
static size_t nonce_at(const char *text)
{
	return strspn(text, "0123456789abcdef") == NONCE_LEN ? NONCE_LEN : 0;
}

static void note_nonces(void)
{
	if (fake.has_said)
		fake.nonce_count = 0;
	fake.has_said = false;
	for (const char *text = fake.line; *text != '\0'; text++) {
		if (nonce_at(text) == 0 || fake.nonce_count == NONCES_MAX)
			continue;
		memcpy(fake.nonces[fake.nonce_count], text, NONCE_LEN);
		fake.nonces[fake.nonce_count++][NONCE_LEN] = '\0';
		text += NONCE_LEN - 1;
	}
}

/* Serving. */

static void serve_command(const char *command)
{
	static const char ask[] = "run-shell -C ", list[] = "list-comman -F ";
	char body[512];
	if (nonce_at(command) != 0) {
		(void)snprintf(body, sizeof body, "%s: %s",
		    fake.has_no_probe ? "no such thing" : "parse error: unknown command", command);
		say_block("error", 1, body);
	} else if (strncmp(command, list, sizeof list - 1) == 0 &&
	    nonce_at(command + sizeof list - 1) != 0) {
		(void)snprintf(body, sizeof body, "%.*s", NONCE_LEN, command + sizeof list - 1);
		say_block("end", 1, body);
	} else if (strncmp(command, ask, sizeof ask - 1) == 0) {
		(void)snprintf(
		    body, sizeof body, "M %s $0 %ld %s", fake.version, (long)getpid(), fake.flags);
		say_block("end", 1, body);
	} else {
		say_block("end", 1, "");
	}
}

/* Cuts the line at each " ; " outside of quotes. */
static void serve_line(void)
{
	char *command = fake.line;
	bool is_quoted = false;
	if (*fake.line == '\0') {
		say("%%exit\n");
		exit(0);
	}
	for (char *place = fake.line; *place != '\0'; place++) {
		if (*place == '\\' && place[1] != '\0') {
			place++;
		} else if (*place == '"') {
			is_quoted = !is_quoted;
		} else if (!is_quoted && strncmp(place, " ; ", 3) == 0) {
			*place = '\0';
			serve_command(command);
			command = place + 3;
			place += 2;
		}
	}
	serve_command(command);
}

static _Noreturn void serve(void)
{
	if (!fake.has_greeted)
		greet();
	while (hear())
		serve_line();
	say("%%exit\n");
	exit(0);
}

/* The script. */

static _Noreturn void complain(const char *what, const char *text)
{
	(void)fprintf(stderr, "fake_tmux: %s: %s\n", what, text);
	exit(STATUS_UNEXPECTED);
}

/* The value of "${NAME}". *text points after the "${" and is moved after the "}". */
static size_t expand_name(const char **text, char *out)
{
	const char *name = *text;
	const char *end = strchr(name, '}');
	size_t index;
	if (end == NULL)
		complain("no } behind ${", name);
	*text = end + 1;
	if (strncmp(name, "T}", 2) == 0)
		return (size_t)sprintf(out, "%ld", guard_time);
	if (strncmp(name, "N}", 2) == 0)
		return (size_t)sprintf(out, "%u", fake.number);
	index = strncmp(name, "NONCE", 5) == 0 ? (size_t)(name[5] - '1') : NONCES_MAX;
	if (index >= fake.nonce_count)
		complain("no such nonce was read", name);
	return (size_t)sprintf(out, "%s", fake.nonces[index]);
}

static size_t expand_escape(const char **text, char *out)
{
	unsigned byte;
	switch (*(*text)++) {
	case 'n':
		*out = '\n';
		return 1;
	case '\\':
		*out = '\\';
		return 1;
	case 'x':
		if (sscanf(*text, "%2x", &byte) == 1) {
			*out = (char)byte;
			*text += 2;
			return 1;
		}
	}
	complain("an escape that is none", *text);
}

/* Returns the resulting text and its length. */
static const char *expand(const char *text, size_t *ret_len)
{
	static char out[TEXT_MAX];
	size_t len = 0;
	while (*text != '\0' && len + 64 < sizeof out) {
		if (*text == '\\') {
			text++;
			len += expand_escape(&text, out + len);
		} else if (strncmp(text, "${", 2) == 0) {
			text += 2;
			len += expand_name(&text, out + len);
		} else {
			out[len++] = *text++;
		}
	}
	out[len] = '\0';
	*ret_len = len;
	return out;
}

static void do_version(const char *text)
{
	fake.version = strdup(text);
}

static void do_flags(const char *text)
{
	fake.flags = strdup(text);
}

static void do_no_probe(const char *text)
{
	(void)text;
	fake.has_no_probe = true;
}

static void do_greet(const char *text)
{
	(void)text;
	greet();
}

static void do_expect(const char *text)
{
	if (!hear())
		complain("the input ended before", text);
	if (strncmp(fake.line, text, strlen(text)) != 0)
		complain("not what was expected", fake.line);
	note_nonces();
}

static void do_answer(const char *text)
{
	if (*text == '\0') {
		serve_line();
		return;
	}
	for (long count = atol(text); count > 0; count--) {
		if (!hear())
			complain("the input ended before", text);
		serve_line();
	}
}

static void do_reply(const char *text)
{
	size_t len;
	say_block("end", 1, expand(text, &len));
}

static void do_error(const char *text)
{
	size_t len;
	say_block("error", 1, expand(text, &len));
}

static void do_hook(const char *text)
{
	size_t len;
	say_block("end", 0, expand(text, &len));
}

static void do_send(const char *text)
{
	size_t len;
	const char *bytes = expand(text, &len);
	say_bytes(bytes, len);
}

static void do_flood(const char *text)
{
	char *rest;
	long count = strtol(text, &rest, 10);
	size_t len;
	const char *bytes = expand(rest + strspn(rest, " "), &len);
	while (count-- > 0)
		say_bytes(bytes, len);
}

static void do_stderr(const char *text)
{
	size_t len;
	const char *bytes = expand(text, &len);
	(void)!write(STDERR_FILENO, bytes, len);
}

static void do_split(const char *text)
{
	fake.split = (size_t)atol(text);
}

static void do_serve(const char *text)
{
	(void)text;
	serve();
}

static void do_sleep(const char *text)
{
	(void)usleep((useconds_t)atol(text) * 1000);
}

static void do_ignore_term(const char *text)
{
	(void)text;
	(void)signal(SIGTERM, SIG_IGN);
}

static void do_hang(const char *text)
{
	(void)text;
	for (;;)
		pause();
}

static void do_close_stdin(const char *text)
{
	(void)text;
	close(STDIN_FILENO);
}

static void do_close_stdout(const char *text)
{
	(void)text;
	close(STDOUT_FILENO);
}

static void do_exit(const char *text)
{
	exit(atoi(text));
}

static const struct {
	const char *name;
	void (*run)(const char *text);
} instructions[] = {
    {"answer", do_answer},
    {"close-stdin", do_close_stdin},
    {"close-stdout", do_close_stdout},
    {"error", do_error},
    {"exit", do_exit},
    {"expect", do_expect},
    {"flags", do_flags},
    {"flood", do_flood},
    {"greet", do_greet},
    {"hang", do_hang},
    {"hook", do_hook},
    {"ignore-term", do_ignore_term},
    {"no-probe", do_no_probe},
    {"reply", do_reply},
    {"send", do_send},
    {"serve", do_serve},
    {"sleep", do_sleep},
    {"split", do_split},
    {"stderr", do_stderr},
    {"version", do_version},
};

static void run_instruction(char *line)
{
	size_t len = strcspn(line, " \n");
	char *text = line + len + (line[len] == ' ');
	text[strcspn(text, "\n")] = '\0';
	line[len] = '\0';
	if (len == 0 || *line == '#')
		return;
	for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
		if (strcmp(line, instructions[i].name) == 0) {
			instructions[i].run(text);
			return;
		}
	}
	complain("no such instruction", line);
}

static void run_script(const char *path)
{
	FILE *script = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	if (script == NULL)
		complain("cannot read the script", path);
	while (getline(&line, &size, script) > 0)
		run_instruction(line);
	free(line);
	(void)fclose(script);
}

/* The server. */

static void on_term(int number)
{
	(void)number;
	(void)!write(STDOUT_FILENO, "%exit terminated\n", 17);
	_exit(0);
}

static _Noreturn void listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	(void)unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 128) != 0)
		complain(strerror(errno), path);
	(void)!write(STDOUT_FILENO, "\n", 1); /* listening */
	for (;;) {
		int peer = accept(fd, NULL, NULL);
		if (peer >= 0)
			close(peer);
	}
}

int main(int argc, char **argv)
{
	const char *script = getenv("MUXBUS_FAKE_SCRIPT");
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc == 3 && strcmp(argv[1], "--listen") == 0)
		listen_at(argv[2]);
	if (getenv("TMUX") != NULL || getenv("TMUX_PANE") != NULL)
		complain("runs inside of tmux", "TMUX or TMUX_PANE is set");
	(void)signal(SIGTERM, on_term);
	if (script != NULL && *script != '\0')
		run_script(script);
	serve();
}
