/* SPDX-License-Identifier: ISC */
/* The terminal of muxbus top. */
#include "cli/top/top_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

enum { COLUMNS_MAX = 1000, ROWS_MAX = 500, WRITE_TIMEOUT_MS = 5000 };

/* Alternate screen, no cursor, no wrapping; and back. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[0m\033[2J";
static const char leave[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static const int awaited[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

static struct {
	volatile sig_atomic_t is_taken;
	struct termios before;
	int signal_fd;
} terminal = {.signal_fd = -1};

void top_terminal_close(void)
{
	int error = errno;
	if (terminal.is_taken) {
		ssize_t written;
		terminal.is_taken = 0;
		/* Errors do not matter: the terminal may be gone. */
		written = write(STDOUT_FILENO, leave, sizeof leave - 1);
		(void)written;
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
	}
	errno = error;
}

static void on_fault(int signal)
{
	top_terminal_close();
	(void)raise(signal); /* SA_RESETHAND: now it ends us */
}

static int take(void)
{
	struct termios raw;
	if (tcgetattr(STDIN_FILENO, &terminal.before) < 0)
		return -1;
	raw = terminal.before;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0)
		return -1;
	terminal.is_taken = 1;
	return top_terminal_write(enter, sizeof enter - 1);
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND};
	sigset_t set;
	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof awaited / sizeof awaited[0]; i++)
		(void)sigaddset(&set, awaited[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	terminal.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		(void)sigaction(faults[i], &action, NULL);
}

int top_terminal_open(void)
{
	if (take() < 0)
		return -1;
	(void)atexit(top_terminal_close);
	watch_signals();
	return terminal.signal_fd < 0 ? -1 : 0;
}

void top_terminal_suspend(void)
{
	top_terminal_close();
	/* Not SIGTSTP, which is blocked here. For the shell both are the same. */
	(void)raise(SIGSTOP);
	(void)take(); /* if the terminal is gone, the next read fails */
}

void top_terminal_resume(void)
{
	if (terminal.is_taken) {
		struct termios raw = terminal.before;
		cfmakeraw(&raw);
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
		(void)top_terminal_write(enter, sizeof enter - 1);
	} else {
		(void)take();
	}
}

void top_terminal_size(unsigned *ret_columns, unsigned *ret_rows)
{
	struct winsize size = {0};
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0) {
		size.ws_col = 80;
		size.ws_row = 24;
	}
	*ret_columns = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
	*ret_rows = size.ws_row < ROWS_MAX ? size.ws_row : ROWS_MAX;
}

int top_terminal_signal_fd(void)
{
	return terminal.signal_fd;
}

int top_terminal_signal(void)
{
	struct signalfd_siginfo info;
	ssize_t len = read(terminal.signal_fd, &info, sizeof info);
	return len == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int top_terminal_write(const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t written = write(STDOUT_FILENO, at, len);
		if (written > 0) {
			at += written;
			len -= (size_t)written;
		} else if (written < 0 && errno == EAGAIN) {
			struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};
			if (poll(&fd, 1, WRITE_TIMEOUT_MS) <= 0)
				return -1;
		} else if (written < 0 && errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

void top_terminal_die(int signal)
{
	sigset_t set;
	struct sigaction action = {.sa_handler = SIG_DFL};
	top_terminal_close();
	(void)sigaction(signal, &action, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)raise(signal);
	_exit(128 + signal);
}
