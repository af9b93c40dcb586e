/* SPDX-License-Identifier: ISC */
#include "daemon/pane/pane_tty.h"

#include <sys/ioctl.h>
#include <termios.h>

#include "base/process.h"

enum { STAT_SIZE = 1024 }; /* bytes of /proc/PID/stat: 52 numbers, and a name of up to 64 bytes */

/* Opens a pseudo-terminal. Opening another device may have effects, so this is refused. */
static int open_tty(const char *path)
{
	static const char folder[] = "/dev/pts/";
	const size_t len = sizeof folder - 1;
	if (path == NULL || strncmp(path, folder, len) != 0 || path[len] == '\0' ||
	    path[len + strspn(path + len, "0123456789")] != '\0')
		return -1;
	return open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

bool pane_tty_process(pid_t pid, struct tty_process *ret_process)
{
	char text[STAT_SIZE], *after;
	if (process_read(pid, "stat", text, sizeof text) <= 0)
		return false;
	/* The name of the command, in parentheses, may have any character. */
	after = strrchr(text, ')');
	return after != NULL &&
	    sscanf(after + 1,
		" %c %d %d %d %d %d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
		&ret_process->state, &ret_process->parent, &ret_process->group,
		&ret_process->session, &ret_process->tty, &ret_process->front,
		&ret_process->start) == 7;
}

pid_t pane_tty_front_pid(pid_t pid)
{
	struct tty_process process;
	return pane_tty_process(pid, &process) && process.front > 0 ? process.front : 0;
}

bool pane_tty_front(pid_t pid, char *out, size_t size)
{
	pid_t front = pane_tty_front_pid(pid);
	return front != 0 && pane_tty_program(front, out, size);
}

bool pane_tty_program(pid_t pid, char *out, size_t size)
{
	char text[512], *name;
	if (process_read(pid, "cmdline", text, sizeof text) <= 0)
		return false;
	name = process_cut_name(text);
	return *name != '\0' && (size_t)snprintf(out, size, "%s", name) < size;
}

void pane_tty_read(const char *path, pid_t pid, struct pane_tty *ret_tty)
{
	struct tty_process process;
	struct termios modes;
	int fd = open_tty(path);
	*ret_tty = (struct pane_tty){0};
	if (fd < 0)
		return;
	if (tcgetattr(fd, &modes) == 0 && ioctl(fd, FIONREAD, &ret_tty->unread) == 0) {
		ret_tty->is_known = true;
		ret_tty->is_cooked = (modes.c_lflag & ICANON) != 0;
		ret_tty->has_echo = (modes.c_lflag & ECHO) != 0;
		ret_tty->has_signals = (modes.c_lflag & ISIG) != 0;
		ret_tty->is_first =
		    pane_tty_process(pid, &process) && process.group == process.front;
	}
	(void)close(fd);
}

bool pane_tty_keeps(const struct pane_tty *tty, const char *text, size_t len)
{
	size_t begin = 0;
	if (!tty->is_known || !tty->is_cooked)
		return true;
	for (size_t at = 0; at <= len; at++) {
		if (at < len && text[at] != '\n' && text[at] != '\r')
			continue;
		if (at - begin > PANE_TTY_LINE_MAX)
			return false;
		begin = at + 1;
	}
	return true;
}
