/* SPDX-License-Identifier: ISC */
/* A muxbusd of another machine, through ssh. */
#include "cli/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "cli/config_file.h"
#include "client/link.h"
#include "config.h"
#include "wire/address.h"
#include "wire/host_line.h"
#include "wire/relay.h"

enum {
	HOST_SIZE = 1025, /* of a destination, as in the hosts file */
	STATUS_SSH = 255, /* ssh itself failed, and has said why */
	STATUS_NOT_FOUND = 127,
	HELLO_SEC = 30, /* for ssh and the far side */
	HELLO_ASKING_SEC = 150, /* where ssh may ask a person; sshd itself gives up after 120 */
	HELLO_SEC_MAX = 86400,
};

/* The text of the hosts file; NULL: there is none that can be trusted, as the fleet has it. */
static char *read_hosts(void)
{
	char path[PATH_MAX], reason[PATH_MAX + 512], *text = NULL;
	struct config_file file;
	if (address_config(path, sizeof path, "hosts") < 0)
		return NULL;
	if (config_file_read(&file, path, reason, sizeof reason) && file.is_there) {
		if ((file.stat.st_uid != geteuid() && file.stat.st_uid != 0) ||
		    (file.stat.st_mode & (S_IWGRP | S_IWOTH)) != 0)
			cli_error("%s is not used: another user can write to it", path);
		else
			text = xmemdup(file.text.data, file.text.len);
	}
	config_file_finish(&file);
	return text;
}

bool remote_find(const char *host, bool any_server, struct host_spec *ret_spec, char **ret_text)
{
	const char *slash = strchr(host, '/');
	size_t len = slash != NULL ? (size_t)(slash - host) : strlen(host);
	const char *server = slash != NULL ? slash + 1 : "default";
	char *rest = *ret_text = read_hosts(), *line, reason[512];
	unsigned count = 0;
	bool is_it = false;
	while (!is_it && rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
		struct host_spec spec;
		if (host_line_read(line, &spec, reason, sizeof reason) <= 0 ||
		    strlen(spec.name) != len || strncmp(spec.name, host, len) != 0)
			continue;
		is_it = any_server || strcmp(spec.server, server) == 0;
		if (is_it || count++ == 0)
			*ret_spec = spec;
	}
	if (is_it || (count == 1 && slash == NULL))
		return true;
	mem_free(*ret_text);
	return false;
}

bool remote_address(struct cli *cli, const char *host)
{
	struct host_spec spec = {.name = host};
	bool is_whole, has_server = cli->tmux_name != NULL || cli->tmux_path != NULL;
	char *text;
	struct buf out;
	if (strlen(host) >= HOST_SIZE || strchr(host, ' ') != NULL)
		return false;
	if (!remote_find(host, has_server, &spec, &text))
		text = NULL;
	buf_init(&out, sizeof cli->socket - 1);
	is_whole =
	    buf_printf(&out, REMOTE_PREFIX "%s", spec.ssh != NULL ? spec.ssh : spec.name) == 0 &&
	    relay_append_command(&out, spec.program, has_server ? cli->tmux_name : spec.tmux_name,
		has_server ? cli->tmux_path : spec.tmux_path);
	mem_free(text);
	if (is_whole)
		(void)snprintf(cli->socket, sizeof cli->socket, "%s", (const char *)out.data);
	/* No pane here is a pane of that server. */
	cli->tmux_socket[0] = '\0';
	buf_finish(&out);
	return is_whole;
}

bool remote_is(const struct cli *cli)
{
	return strncmp(cli->socket, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0;
}

/* In the child: ssh with its standard streams on the socket. Never returns. */
static _Noreturn void become_ssh(const char *address, const char *host, int fd)
{
	char words[RELAY_SSH_SIZE];
	const char *argv[RELAY_SSH_MAX + 6];
	size_t count = relay_ssh_words(words, argv);
	sigset_t none;
	argv[count++] = "--";
	argv[count++] = host;
	argv[count++] = address + strlen(host) + 1;
	argv[count] = NULL;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
		(void)execvp(argv[0], (char *const *)argv);
	cli_error("%s: %s", argv[0], strerror(errno));
	_exit(STATUS_SSH);
}

/* How long to wait for the hello: $MUXBUS_SSH_TIMEOUT, or longer where ssh can ask. */
static int64_t hello_ms(void)
{
	const char *text = getenv("MUXBUS_SSH_TIMEOUT");
	char *end;
	long sec = text != NULL ? strtol(text, &end, 10) : 0;
	int tty;
	if (sec > 0 && *end == '\0' && sec <= HELLO_SEC_MAX)
		return (int64_t)sec * 1000;
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (tty >= 0)
		(void)close(tty);
	sec = tty >= 0 || getenv("SSH_ASKPASS") != NULL ? HELLO_ASKING_SEC : HELLO_SEC;
	return (int64_t)sec * 1000;
}

/* Reads one line and no byte more, since requests and responses follow. errno at its failure. */
static bool read_line(int fd, int64_t deadline_ms, char *line, size_t size)
{
	size_t len = 0;
	char byte = '\0';
	while (byte != '\n') {
		struct pollfd readable = {.fd = fd, .events = POLLIN};
		int64_t left_ms = deadline_ms - clock_mono_ms();
		ssize_t n;
		if (left_ms <= 0 || poll(&readable, 1, (int)left_ms) == 0) {
			errno = ETIMEDOUT;
			return false;
		}
		n = recv(fd, &byte, 1, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0) {
			errno = n == 0 ? 0 : errno;
			return false;
		}
		if (byte != '\n' && len + 1 < size)
			line[len++] = byte;
	}
	line[len] = '\0';
	return true;
}

/* Waits for the hello. Returns the far protocol and version; protocol 0: there was none. */
static unsigned read_hello(int fd, int64_t deadline_ms, char *ret_version, size_t size)
{
	char line[RELAY_LINE_MAX];
	unsigned protocol = 0;
	errno = 0;
	for (unsigned noise = 0;
	     noise < RELAY_NOISE_MAX && read_line(fd, deadline_ms, line, sizeof line); noise++)
		if (relay_read_hello(line, &protocol, ret_version, size))
			return protocol;
	return 0;
}

static void explain(const char *host, int status, char *ret_reason, size_t size)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (code == STATUS_SSH)
		(void)snprintf(ret_reason, size, "ssh did not reach %s", host);
	else if (code == STATUS_NOT_FOUND)
		(void)snprintf(ret_reason, size,
		    "%s has no muxbus in the PATH that ssh gives; set MUXBUS_REMOTE to its path",
		    host);
	else
		(void)snprintf(
		    ret_reason, size, "muxbus relay on %s ended before it was ready", host);
}

struct link *remote_open(const char *address, char *ret_reason, size_t size)
{
	char host[HOST_SIZE], version[64];
	unsigned protocol;
	int fds[2], status = 0;
	int64_t wait_ms = hello_ms();
	bool is_late;
	pid_t pid;
	address += strlen(REMOTE_PREFIX);
	(void)snprintf(host, sizeof host, "%.*s", (int)strcspn(address, " "), address);
	pid = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0 ? fork() : -1;
	if (pid < 0) {
		(void)snprintf(ret_reason, size, "%s", strerror(errno));
		return NULL;
	}
	if (pid == 0)
		become_ssh(address, host, fds[1]);
	(void)close(fds[1]); /* the child's */
	protocol = read_hello(fds[0], clock_mono_ms() + wait_ms, version, sizeof version);
	is_late = protocol == 0 && errno == ETIMEDOUT;
	if (protocol == RELAY_PROTOCOL)
		return link_new(fds[0], pid);
	(void)close(fds[0]);
	if (is_late || protocol != 0)
		(void)kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (is_late)
		(void)snprintf(ret_reason, size,
		    "muxbus relay on %s did not answer within %d s (MUXBUS_SSH_TIMEOUT)", host,
		    (int)(wait_ms / 1000));
	else if (protocol != 0)
		relay_refuse(host, version, protocol, PACKAGE_VERSION, ret_reason, size);
	else
		explain(host, status, ret_reason, size);
	return NULL;
}
