/* SPDX-License-Identifier: ISC */
#include "cli/verbs/interrupt.h"

#include <poll.h>
#include <sys/signalfd.h>

#include "cli/ask.h"

#define RECONNECT_MS 500 /* interval of attempts to connect */

static int taken; /* last signal received, or 0 */

static void signal_set(sigset_t *set)
{
	struct sigaction action;
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	/* A SIGHUP that nohup(1) made ignored is left out: a blocked signal is never ignored. */
	if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		(void)sigaddset(set, SIGHUP);
}

enum cli_status interrupt_status(void)
{
	return taken != 0 ? (enum cli_status)(CLI_SIGNAL + taken) : CLI_DONE;
}

int interrupt_open(struct interrupt *interrupt)
{
	sigset_t set;
	signal_set(&set);
	interrupt->extra_fd = -1;
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	interrupt->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (interrupt->fd < 0)
		cli_error("cannot watch signals: %s", strerror(errno));
	link_heed(interrupt->fd);
	return interrupt->fd < 0 ? -1 : 0;
}

enum cli_status interrupt_close(struct interrupt *interrupt, enum cli_status status)
{
	sigset_t set;
	signal_set(&set);
	link_heed(-1);
	(void)close(interrupt->fd);
	interrupt->fd = -1;
	status = cli_flush(status);
	if (taken != 0 && status == interrupt_status()) {
		(void)signal(taken, SIG_DFL);
		(void)raise(taken); /* takes effect when unblocked below */
	}
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	return status;
}

static bool take_signal(const struct interrupt *interrupt, int *ret_signal)
{
	struct signalfd_siginfo info;
	if (read(interrupt->fd, &info, sizeof info) != sizeof info)
		return false;
	taken = *ret_signal = (int)info.ssi_signo;
	return true;
}

enum interrupt_wake interrupt_wait(
    const struct interrupt *interrupt, struct link *link, int64_t timeout_ms, int *ret_signal)
{
	int64_t deadline = clock_deadline_ms(timeout_ms);
	for (;;) {
		int64_t left = clock_left_ms(deadline);
		struct pollfd fds[4] = {
		    {.fd = interrupt->fd, .events = POLLIN},
		    {.fd = STDOUT_FILENO}, /* POLLERR if a pipe has no reader */
		    {.fd = interrupt->extra_fd, .events = POLLIN},
		    {.fd = link != NULL ? link_fd(link) : -1, .events = POLLIN},
		};
		int r;
		if (take_signal(interrupt, ret_signal))
			return INTERRUPT_SIGNAL;
		if (link != NULL && link_has_input(link))
			return INTERRUPT_LINK;
		if (left == 0)
			return INTERRUPT_TIME;
		r = poll(fds, 4, left > INT_MAX ? INT_MAX : (int)left);
		if (r < 0 && errno != EINTR)
			return INTERRUPT_READER;
		if (r > 0 && fds[1].revents & POLLERR)
			return INTERRUPT_READER;
		if (r > 0 && fds[3].revents)
			return INTERRUPT_LINK;
		if (r > 0 && fds[2].revents)
			return INTERRUPT_EXTRA;
	}
}

struct link *interrupt_reconnect(const struct interrupt *interrupt, struct cli *cli, int tries,
    int64_t deadline, enum interrupt_wake *ret_wake)
{
	struct interrupt signals = {.fd = interrupt != NULL ? interrupt->fd : -1, .extra_fd = -1};
	struct link *link;
	int signal;
	*ret_wake = INTERRUPT_TIME;
	for (int i = 0; (tries == 0 || i < tries) && *ret_wake == INTERRUPT_TIME; i++) {
		if (ask_reconnect(cli, &link))
			return link;
		if (interrupt != NULL)
			*ret_wake = interrupt_wait(&signals, NULL, RECONNECT_MS, &signal);
		else
			(void)poll(NULL, 0, RECONNECT_MS);
		if (clock_left_ms(deadline) == 0)
			break;
	}
	return NULL;
}

void interrupt_drain(const struct interrupt *interrupt)
{
	char bytes[4096];
	while (read(interrupt->extra_fd, bytes, sizeof bytes) > 0)
		;
}

enum cli_status interrupt_follow(const struct interrupt *interrupt, struct link *link,
    int64_t deadline, link_other_fn *fn, bool (*is_done)(const void *data), void *data)
{
	while (!is_done(data)) {
		const struct json *message;
		const char *line;
		size_t len;
		int signal;
		enum link_read read = LINK_LATE;
		enum interrupt_wake wake =
		    interrupt_wait(interrupt, link, clock_left_ms(deadline), &signal);
		if (wake != INTERRUPT_LINK)
			return wake == INTERRUPT_TIME ? CLI_TIMEOUT : interrupt_status();
		link_receive(link);
		while (!is_done(data) &&
		    (read = link_read_message(link, 0, &message, &line, &len)) == LINK_LINE)
			fn(data, message, line, len);
		if (link_is_lost(read))
			return CLI_UNREACHABLE;
	}
	return CLI_DONE;
}
