/* SPDX-License-Identifier: ISC */
#include "cli/remote.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"
#include "cli/config_file.h"
#include "client/link.h"
#include "wire/address.h"
#include "wire/host_line.h"
#include "wire/relay.h"

enum {
	HOST_SIZE = 1025, /* bytes of a destination for ssh, as in the hosts file */
	STATUS_SSH = 255, /* exit status of ssh if ssh itself has failed */
	SAID_MAX = 256 * 1024, /* bytes that are kept of the standard error of ssh */
	SAID_SIZE = 16384, /* bytes that are read from the end of the kept text */
	HELLO_SEC = 30, /* timeout for ssh and the relay */
	HELLO_ASKING_SEC = 150, /* timeout if ssh may ask for a password; sshd waits 120 s for it */
	HELLO_SEC_MAX = 86400,
	END_MS = 5000, /* how long ssh may run after its output has ended; then SIGKILL */
};

/* Returns the text of the hosts file, or NULL if it is absent, unreadable or not safe. */
static char *read_hosts(void)
{
	static char path[PATH_MAX], reason[PATH_MAX + 512];
	char *text = NULL;
	struct config_file file;
	if (address_config(path, sizeof path, "hosts") < 0)
		return NULL;
	if (config_file_read(&file, path, reason, sizeof reason) && file.is_there) {
		if (file_is_safe(path, &file.stat, reason, sizeof reason))
			text = xmemdup(file.text.data, file.text.len);
		else
			cli_error("%s is not used: %s", path, reason);
	}
	buf_finish(&file.text);
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
	struct buf out = BUF(sizeof cli->socket - 1);
	if (strlen(host) >= HOST_SIZE || strchr(host, ' ') != NULL)
		return false;
	if (!remote_find(host, has_server, &spec, &text))
		text = NULL;
	is_whole =
	    buf_printf(&out, REMOTE_PREFIX "%s", spec.ssh != NULL ? spec.ssh : spec.name) == 0 &&
	    relay_append_command(&out, spec.program, has_server ? cli->tmux_name : spec.tmux_name,
		has_server ? cli->tmux_path : spec.tmux_path);
	mem_free(text);
	if (is_whole)
		(void)snprintf(cli->socket, sizeof cli->socket, "%s", buf_text(&out));
	/* No tmux socket: panes of this machine do not belong to that server. */
	cli->tmux_socket[0] = '\0';
	buf_finish(&out);
	return is_whole;
}

bool remote_is(const struct cli *cli)
{
	return strncmp(cli->socket, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0;
}

/*
 * A file of limited size for the standard error of ssh. -1: ssh writes to our standard error, where
 * it may ask the user, or no file could be made.
 */
static int said_fd = -1;

static size_t read_said(char said[SAID_SIZE])
{
	off_t end = lseek(said_fd, 0, SEEK_CUR), from = end > SAID_SIZE ? end - SAID_SIZE : 0;
	ssize_t len = end > 0 ? pread(said_fd, said, (size_t)(end - from), from) : 0;
	return len > 0 ? (size_t)len : 0;
}

static void close_said(void)
{
	static char said[SAID_SIZE];
	(void)fwrite(said, 1, read_said(said), stderr);
	if (said_fd >= 0)
		(void)close(said_fd);
	said_fd = -1;
}

static void open_said(void)
{
	int fd = isatty(STDERR_FILENO) ? -1 : memfd_create("ssh", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && (ftruncate(fd, SAID_MAX) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0)) {
		(void)close(fd);
		fd = -1;
	}
	said_fd = fd;
}

static pid_t start_ssh(const char *address, const char *host, int fd, char *ret_reason, size_t size)
{
	char words[RELAY_SSH_SIZE];
	const char *argv[RELAY_SSH_MAX + 6];
	size_t count = relay_ssh_words(words, argv);
	const struct child_options options = {
	    .argv = (char *const *)argv,
	    .streams = {{CHILD_FD, fd}, {CHILD_FD, fd},
		{said_fd >= 0 ? CHILD_FD : CHILD_INHERIT, said_fd}},
	    .defaults = {SIGPIPE, SIGXFSZ},
	};
	struct child child;
	int error;
	argv[count++] = "--";
	argv[count++] = host;
	argv[count++] = address + strlen(host) + 1;
	argv[count] = NULL;
	error = child_start(&options, &child);
	if (error == 0)
		return child.pid;
	(void)snprintf(ret_reason, size,
	    "%s: %s: install an ssh client here, or name one in MUXBUS_SSH", argv[0],
	    strerror(error));
	return -1;
}

/* Returns $MUXBUS_SSH_TIMEOUT or a default, which is longer if ssh can ask for a password. */
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

/* Waits for the hello. Returns LINK_BROKEN also after too many other lines. */
static enum link_read read_hello(struct link *link, int64_t wait_ms, unsigned *ret_protocol,
    char *ret_version, size_t size, char ret_noise[STR_SHOWN_SIZE])
{
	int64_t deadline = clock_deadline_ms(wait_ms);
	enum link_read read = LINK_LINE;
	for (unsigned noise = 0; noise < RELAY_NOISE_MAX && read == LINK_LINE; noise++) {
		const char *line;
		size_t len;
		read = link_read_line(link, clock_left_ms(deadline), &line, &len);
		if (read == LINK_LINE && relay_read_hello(line, ret_protocol, ret_version, size))
			return LINK_LINE;
		if (read == LINK_LINE)
			relay_keep_noise(line, ret_noise);
	}
	return read == LINK_LINE ? LINK_BROKEN : read;
}

/* Writes why ssh ended. The process stays a zombie, which link_close() reaps. */
static void explain(struct link *link, pid_t pid, const char *host, const char *noise,
    char *ret_reason, size_t size)
{
	static char said[SAID_SIZE];
	char how[80];
	siginfo_t info;
	int prefix = 0;
	(void)shutdown(link_fd(link), SHUT_RDWR); /* makes ssh end */
	if (!child_ends_in(pid, END_MS, &info)) {
		(void)kill(pid, SIGKILL);
		(void)child_ends_in(pid, END_MS, &info);
	}
	(void)snprintf(how, sizeof how, "%s %d",
	    info.si_code == CLD_EXITED ? "exit status" : "signal", info.si_status);
	if (info.si_code == CLD_EXITED && info.si_status == STATUS_SSH)
		prefix = snprintf(ret_reason, size, "ssh did not reach %s: ", host);
	prefix = prefix < (int)size ? prefix : (int)size - 1; /* a long name is cut */
	relay_explain(&(struct relay_end){.host = host,
			  .how = how,
			  .said = said,
			  .said_len = read_said(said),
			  .noise = noise},
	    ret_reason + prefix, size - (size_t)prefix);
}

static struct link *open_with(const char *address, char *ret_reason, size_t size)
{
	char host[HOST_SIZE], version[64], noise[STR_SHOWN_SIZE] = "";
	unsigned protocol;
	int fds[2];
	int64_t wait_ms = hello_ms();
	enum link_read read;
	struct link *link;
	pid_t pid;
	(void)snprintf(host, sizeof host, "%.*s", (int)strcspn(address, " "), address);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		(void)snprintf(ret_reason, size, "%s", strerror(errno));
		return NULL;
	}
	pid = start_ssh(address, host, fds[1], ret_reason, size);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return NULL;
	}
	link = link_new(fds[0], pid);
	read = read_hello(link, wait_ms, &protocol, version, sizeof version, noise);
	if (read == LINK_LINE && protocol == RELAY_PROTOCOL)
		return link;
	if (read == LINK_LINE)
		relay_refuse(host, version, protocol, ret_reason, size);
	else if (read == LINK_LATE)
		(void)snprintf(ret_reason, size,
		    "muxbus relay on %s did not answer within %d s (MUXBUS_SSH_TIMEOUT)", host,
		    (int)(wait_ms / 1000));
	else if (read == LINK_BROKEN)
		(void)snprintf(ret_reason, size, "%s: " RELAY_NOISE_REASON, host);
	else if (read == LINK_SIGNAL)
		(void)snprintf(ret_reason, size, "%s: a signal ended the wait", host);
	else
		explain(link, pid, host, noise, ret_reason, size);
	link_close(link);
	return NULL;
}

struct link *remote_open(const char *address, char *ret_reason, size_t size)
{
	static bool is_closed_at_exit;
	struct link *link;
	if (!is_closed_at_exit)
		is_closed_at_exit = atexit(close_said) == 0;
	close_said();
	open_said();
	link = open_with(address + strlen(REMOTE_PREFIX), ret_reason, size);
	(void)lseek(said_fd, 0, SEEK_SET); /* the text up to here is in the reason, or not needed */
	return link;
}
