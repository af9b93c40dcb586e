/* SPDX-License-Identifier: ISC */
/* muxbus rerun: runs a command again each time that files change. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/option.h"
#include "cli/remote.h"
#include "cli/screen_text.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "cli/verbs/file_tree.h"
#include "cli/verbs/interrupt.h"
#include "io/child.h"

enum {
	SETTLE_MS = 100, /* without a change until the command runs */
	SETTLE_MAX = 10, /* times that: no longer while changes go on */
	KILL_MS = 2000, /* from SIGTERM to SIGKILL */
	LOOK_MS = 500, /* for a folder that is gone */
	EXIT_SIGNAL = 128,
	EXIT_NOT_FOUND = 127,
};

struct rerun {
	bool is_quiet;
	bool kills; /* --restart: a change ends the command that runs */
	uint32_t runs; /* --count; 0: until a signal */
	int64_t settle_ms;
	char **command;
	struct file_tree *tree;
	struct interrupt interrupt; /* its extra_fd has the changes, and the end of the command */
	struct child child; /* pid 0: none runs */
	int64_t started_ms;
	int64_t kill_ms; /* when to kill it; -1: it was not asked to end */
	uint32_t count; /* of runs that have ended */
	int status; /* of the last one */
	bool is_due; /* files have changed since it began */
	int64_t first_ms, last_ms; /* these changes */
};

static const struct option_row options[] = {
    {"count", 'n', OPTION_COUNT, offsetof(struct rerun, runs), NULL},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct rerun, is_quiet), NULL},
    {"restart", 'r', OPTION_FLAG, offsetof(struct rerun, kills), NULL},
    {"settle", 't', OPTION_DURATION, offsetof(struct rerun, settle_ms), NULL},
    {0},
};

static bool is_running(const struct rerun *rerun)
{
	return rerun->child.pid > 0;
}

/* Adds a descriptor to those that wake interrupt_wait(). */
static bool add(const struct rerun *rerun, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	if (epoll_ctl(rerun->interrupt.extra_fd, EPOLL_CTL_ADD, fd, &event) == 0)
		return true;
	cli_error("cannot wait for changes: %s", strerror(errno));
	return false;
}

/* All that the command has started belongs to its session. */
static void signal_child(const struct rerun *rerun, int number)
{
	if (is_running(rerun))
		(void)kill(-rerun->child.pid, number); /* it may have ended */
}

static enum cli_status start(struct rerun *rerun)
{
	const struct child_options how = {
	    .argv = rerun->command,
	    .streams = {{.kind = CHILD_NULL}, {.kind = CHILD_INHERIT}, {.kind = CHILD_INHERIT}},
	    .group = CHILD_NEW_SESSION,
	    .wants_pidfd = true,
	};
	int error = child_start(&how, &rerun->child);
	rerun->is_due = false;
	rerun->kill_ms = -1;
	rerun->started_ms = clock_mono_ms();
	if (error != 0) {
		cli_error("%s: %s", rerun->command[0], strerror(error));
		rerun->status = EXIT_NOT_FOUND;
		return CLI_NO;
	}
	return add(rerun, rerun->child.pidfd) ? CLI_DONE : CLI_NO;
}

static void say_end(const struct rerun *rerun)
{
	struct buf took;
	if (rerun->is_quiet)
		return;
	buf_init(&took, 64);
	show_duration(&took, clock_mono_ms() - rerun->started_ms);
	cli_error("%s: exit status %d after %s", rerun->command[0], rerun->status, buf_text(&took));
	buf_finish(&took);
}

/* Looks whether the command has ended. */
static void look_for_end(struct rerun *rerun)
{
	int status;
	if (!is_running(rerun) || waitpid(rerun->child.pid, &status, WNOHANG) == 0)
		return;
	rerun->status = WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	signal_child(rerun, SIGTERM); /* what it has left behind */
	(void)close(rerun->child.pidfd);
	rerun->child.pid = 0;
	rerun->count++;
	say_end(rerun);
}

static enum cli_status look_for_changes(struct rerun *rerun)
{
	char reason[512];
	const char *name;
	int r = file_tree_read(rerun->tree, &name, reason, sizeof reason);
	if (r < 0) {
		cli_error("%s", reason);
		return CLI_NO;
	}
	if (r == 0)
		return CLI_DONE;
	if (!rerun->is_quiet && !rerun->is_due) {
		(void)fputs("muxbus: ", stderr);
		screen_print_line(stderr, *name != '\0' ? name : "a file");
		(void)fputs(" has changed\n", stderr);
	}
	rerun->last_ms = clock_mono_ms();
	rerun->first_ms = rerun->is_due ? rerun->first_ms : rerun->last_ms;
	rerun->is_due = true;
	return CLI_DONE;
}

/* How long until the changes have settled; -1: there are none. */
static int64_t settled_in_ms(const struct rerun *rerun)
{
	int64_t now_ms = clock_mono_ms();
	int64_t left = rerun->last_ms + rerun->settle_ms - now_ms;
	int64_t most = rerun->first_ms + SETTLE_MAX * rerun->settle_ms - now_ms;
	left = left < most ? left : most;
	return !rerun->is_due ? -1 : left > 0 ? left : 0;
}

/* Starts the command, or ends the one that runs, if it is time. *ret_ms: until the next look. */
static enum cli_status act(struct rerun *rerun, int64_t *ret_ms)
{
	int64_t left = settled_in_ms(rerun);
	*ret_ms = left;
	if (is_running(rerun) && rerun->kill_ms >= 0) {
		*ret_ms = clock_left_ms(rerun->kill_ms);
		if (*ret_ms == 0)
			signal_child(rerun, SIGKILL);
		*ret_ms = *ret_ms > 0 ? *ret_ms : KILL_MS;
	} else if (is_running(rerun) && !rerun->kills) {
		*ret_ms = -1;
	} else if (is_running(rerun) && left == 0) {
		signal_child(rerun, SIGTERM);
		rerun->kill_ms = clock_deadline_ms(KILL_MS);
		*ret_ms = KILL_MS;
	} else if (left == 0) {
		*ret_ms = -1;
		if (start(rerun) != CLI_DONE)
			return CLI_NO;
	}
	if (file_tree_is_torn(rerun->tree) && (*ret_ms < 0 || *ret_ms > LOOK_MS))
		*ret_ms = LOOK_MS;
	return CLI_DONE;
}

/* Until a signal, the last run, or an error; returns the exit status. */
static int run(struct rerun *rerun)
{
	enum interrupt_wake wake = INTERRUPT_TIME;
	int64_t ms;
	int number = SIGPIPE;
	while (look_for_changes(rerun) == CLI_DONE) {
		look_for_end(rerun);
		if (rerun->runs > 0 && rerun->count == rerun->runs)
			return rerun->status;
		if (act(rerun, &ms) != CLI_DONE)
			return rerun->status;
		wake = interrupt_wait(&rerun->interrupt, NULL, ms, &number);
		if (wake == INTERRUPT_SIGNAL || wake == INTERRUPT_READER) {
			signal_child(rerun, wake == INTERRUPT_SIGNAL ? number : SIGTERM);
			return EXIT_SIGNAL + number;
		}
	}
	return CLI_NO;
}

/* The words before "--" are patterns, those behind it the command. */
static enum cli_status split(int argc, char **argv, int first, int *ret_dashes)
{
	*ret_dashes = first;
	while (*ret_dashes < argc && strcmp(argv[*ret_dashes], "--") != 0)
		++*ret_dashes;
	if (*ret_dashes == first)
		return cli_usage("rerun", "a pattern is missing, such as 'src/**/*.c'");
	if (*ret_dashes + 1 >= argc)
		return cli_usage("rerun", "a command is missing behind --");
	return CLI_DONE;
}

enum cli_status rerun_run(struct cli *cli, int argc, char **argv)
{
	struct rerun rerun = {.settle_ms = SETTLE_MS, .is_due = true, .status = CLI_NO};
	char reason[512];
	int first, dashes, exit_status = CLI_NO;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &rerun, &first, &status))
		return status;
	if (remote_is(cli) || cli->is_fleet)
		return cli_usage("rerun", "the files of this machine are watched, without --host");
	if (strcmp(argv[first - 1], "--") == 0)
		first--;
	status = split(argc, argv, first, &dashes);
	if (status != CLI_DONE)
		return status;
	rerun.command = argv + dashes + 1;
	rerun.tree = file_tree_new(argv + first, (size_t)(dashes - first), reason, sizeof reason);
	if (rerun.tree == NULL) {
		cli_error("%s", reason);
		return CLI_NO;
	}
	if (interrupt_open(&rerun.interrupt) == 0) {
		rerun.interrupt.extra_fd = epoll_create1(EPOLL_CLOEXEC);
		if (add(&rerun, file_tree_fd(rerun.tree)))
			exit_status = run(&rerun);
		if (rerun.interrupt.extra_fd >= 0)
			(void)close(rerun.interrupt.extra_fd);
		interrupt_close(&rerun.interrupt);
	}
	file_tree_free(rerun.tree);
	return cli_flush((enum cli_status)exit_status);
}
