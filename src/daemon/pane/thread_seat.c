/* SPDX-License-Identifier: ISC */
#include "daemon/pane/thread_seat.h"

#include <dirent.h>

#include "base/process.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/tmux.h"

#define PROGRAM "codex"
#define FOLDER "tui-thread-reference-capabilities"

enum {
	WINDOWS_MAX = 64, /* maximum number of windows; with more, windows are not searched */
	THREAD_SIZE = 37, /* bytes of a UUID with its NUL */
	THREADS_MAX = 65536, /* maximum file names that are read in the folder */
	START_MS = 30000, /* a window begins its thread within this time from its start */
	SLACK_MS = 50, /* tolerance, as start times of processes are in clock ticks */
	LAUNCHERS_MAX = 3, /* maximum processes above the program: a shell, npx, node */
	CMDLINE_SIZE = 1024, /* bytes of a command line that are read */
};

/* A window: a program of Codex in a pane. */
struct window {
	uint32_t pane;
	pid_t pid;
	int64_t start_ms; /* CLOCK_REALTIME */
	bool is_resumed; /* started with an existing thread */
	char words[CMDLINE_SIZE]; /* arguments, each with its NUL, and then an empty one */
	char thread[THREAD_SIZE]; /* the thread that it began with; "": not known */
	int64_t thread_ms;
};

struct windows {
	struct window at[WINDOWS_MAX];
	size_t count;
	bool is_too_many;
};

/* Returns when a UUID of version 7 was made, in ms since 1970; -1 for any other text. */
static int64_t thread_time(const char *thread)
{
	unsigned long long high;
	unsigned low;
	if (strlen(thread) != THREAD_SIZE - 1 || thread[8] != '-' || thread[14] != '7' ||
	    strspn(thread, "0123456789abcdef-") != THREAD_SIZE - 1 ||
	    sscanf(thread, "%8llx-%4x-", &high, &low) != 2)
		return -1;
	return (int64_t)(high << 16 | low);
}

static bool find_home(pid_t pid, char out[PATH_MAX])
{
	const char *home, *own;
	struct buf block = BUF(PROCESS_ENVIRON_MAX);
	int len = -1;
	process_read_environ(pid, &block);
	own = process_variable(&block, "CODEX_HOME");
	home = process_variable(&block, "HOME");
	if (own != NULL)
		len = snprintf(out, PATH_MAX, "%s", own + sizeof "CODEX_HOME");
	else if (home != NULL)
		len = snprintf(out, PATH_MAX, "%s/.codex", home + sizeof "HOME");
	buf_finish(&block);
	return len > 0 && len < PATH_MAX;
}

static bool has_word(const struct window *window, const char *word)
{
	const char *end = window->words + sizeof window->words;
	for (const char *at = window->words; at < end && *at != '\0'; at += strlen(at) + 1)
		if (strcmp(at, word) == 0)
			return true;
	return false;
}

static void read_words(struct window *window)
{
	/* Leaves the last two bytes NUL. */
	(void)process_read(window->pid, "cmdline", window->words, sizeof window->words - 1);
	window->is_resumed = has_word(window, "resume") || has_word(window, "fork");
}

static pid_t find_window(const struct muxbus_pane *pane)
{
	struct tty_process process;
	pid_t front = pane->is_dead ? 0 : pane_tty_front_pid(pane->pid);
	pid_t pid = process_find_program(front, PROGRAM, LAUNCHERS_MAX);
	return pid > 0 && pane_tty_process(pid, &process) && process.tty != 0 ? pid : 0;
}

/* Finds the windows with this home of Codex, up to WINDOWS_MAX. The caller frees the result. */
static struct windows *find_windows(const struct tmux *tmux, const char *home)
{
	struct windows *windows = xcalloc(1, sizeof *windows);
	char other[PATH_MAX];
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, tmux_model(tmux)) {
		struct window *window = &windows->at[windows->count];
		pid_t pid = find_window(pane);
		if (pid == 0 || !find_home(pid, other) || strcmp(home, other) != 0)
			continue;
		windows->is_too_many = windows->count >= WINDOWS_MAX;
		if (windows->is_too_many)
			break;
		window->pane = pane->id;
		window->pid = pid;
		window->start_ms = clock_real_ms() - process_age_ms(process_start_ticks(pid));
		read_words(window);
		windows->count++;
	}
	return windows;
}

/*
 * Gives a thread to the windows that were started shortly before the thread. A window keeps its
 * earliest thread.
 */
static void offer_thread(struct windows *windows, const char *thread)
{
	int64_t made_ms = thread_time(thread);
	for (size_t at = 0; at < windows->count; at++) {
		struct window *window = &windows->at[at];
		int64_t age_ms = made_ms - window->start_ms;
		if (window->is_resumed || age_ms < -SLACK_MS || age_ms > START_MS ||
		    (window->thread[0] != '\0' && window->thread_ms <= made_ms))
			continue;
		memcpy(window->thread, thread, THREAD_SIZE);
		window->thread_ms = made_ms;
	}
}

/* Takes a thread away from windows that were started at nearly the same time. */
static void drop_doubts(struct windows *windows)
{
	bool has_doubt[WINDOWS_MAX] = {false};
	for (size_t at = 0; at < windows->count; at++) {
		for (size_t by = 0; by < windows->count; by++)
			has_doubt[at] |= by != at && windows->at[by].thread[0] != '\0' &&
			    strcmp(windows->at[by].thread, windows->at[at].thread) == 0;
	}
	for (size_t at = 0; at < windows->count; at++)
		if (has_doubt[at])
			windows->at[at].thread[0] = '\0';
}

static void find_threads(const char *home, struct windows *windows)
{
	char path[PATH_MAX + sizeof FOLDER + 1];
	const struct dirent *entry;
	DIR *folder;
	snprintf(path, sizeof path, "%s/%s", home, FOLDER);
	folder = opendir(path);
	if (folder == NULL)
		return;
	for (int count = 0; count < THREADS_MAX && (entry = readdir(folder)) != NULL; count++)
		if (thread_time(entry->d_name) >= 0)
			offer_thread(windows, entry->d_name);
	(void)closedir(folder);
	drop_doubts(windows);
}

static bool is_of_only_window(const struct windows *windows, const char *thread)
{
	return windows->count == 1 &&
	    (windows->at[0].is_resumed ||
		thread_time(thread) >= windows->at[0].start_ms - SLACK_MS);
}

static const struct window *find_seat(
    struct windows *windows, const char *home, const char *thread, pid_t server)
{
	for (size_t at = 0; at < windows->count; at++)
		if (windows->at[at].pid == server || has_word(&windows->at[at], thread))
			return &windows->at[at];
	find_threads(home, windows);
	for (size_t at = 0; at < windows->count; at++)
		if (strcmp(windows->at[at].thread, thread) == 0)
			return &windows->at[at];
	return is_of_only_window(windows, thread) ? &windows->at[0] : NULL;
}

bool thread_seat_take(
    struct presence_set *presences, const struct presence_report *report, pid_t server)
{
	struct presence_report seated = *report;
	const struct presence *known =
	    presence_of_session(presences, report->agent, report->session);
	const struct window *window;
	struct windows *windows;
	struct pane_ref pane;
	char home[PATH_MAX];
	if (strcmp(report->agent, PROGRAM) != 0)
		return false;
	if (known != NULL && known->pane.pane != MUXBUS_NO_ID && !known->is_by_mark) {
		pane = known->pane;
		seated.pid = known->pid;
	} else {
		if (server <= 0 || !find_home(server, home))
			return false;
		windows = find_windows(presence_set_tmux(presences), home);
		window =
		    windows->is_too_many ? NULL : find_seat(windows, home, report->session, server);
		pane_ref_clear(&pane);
		if (window != NULL) {
			pane_ref_of(presence_set_tmux(presences), window->pane, &pane);
			seated.pid = window->pid;
		}
		mem_free(windows);
		if (!pane_ref_is_set(&pane))
			return false;
	}
	seated.pane = &pane;
	return presence_report(presences, &seated);
}

bool thread_seat_report(
    struct presence_set *presences, const struct presence_report *report, pid_t server)
{
	struct presence_report unseated = *report;
	struct pane_ref none;
	if (thread_seat_take(presences, report, server))
		return true;
	pane_ref_clear(&none);
	unseated.pane = &none;
	unseated.pid = server;
	return presence_report(presences, &unseated);
}

void thread_seat_look(struct presence_set *presences, const struct pane_ref *pane)
{
	const struct muxbus_pane *found =
	    muxbus_model_pane(tmux_model(presence_set_tmux(presences)), pane->pane);
	pid_t pid = found != NULL ? find_window(found) : 0;
	struct windows *windows;
	char home[PATH_MAX];
	if (pid == 0 || !find_home(pid, home))
		return;
	windows = find_windows(presence_set_tmux(presences), home);
	find_threads(home, windows);
	for (size_t at = 0; at < windows->count && !windows->is_too_many; at++) {
		struct presence_report report = {.pane = pane,
		    .agent = PROGRAM,
		    .session = windows->at[at].thread,
		    .pid = windows->at[at].pid,
		    .is_found = true};
		if (windows->at[at].pid == pid && report.session[0] != '\0')
			(void)presence_report(presences, &report);
	}
	mem_free(windows);
}
