/* SPDX-License-Identifier: ISC */
/*
 * The daemon on files that lie: its state directory, records that are whole and wrong, torn files,
 * and the user's agents, on_notify, hosts and declarations. It starts and answers, or refuses with
 * a reason; a record that cannot be read is notified as lost; nothing is typed into other panes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "daemon/queue/journal_disk.h"
#include "daemon/queue/store.h"
#include "law.h"

enum { BYTES_MAX = 65536, SECONDS = 6, KEYS_MAX = 400, LOST_MAX = 8, FLEET_EVERY = 5 };

/* Requests whose records are then in the store: one of each kind that the socket can make. */
static const char *const deeds[][2] = {
    {"sleep", "{\"seconds\":3000,\"pane\":\"%1\"}"},
    {"sleep", "{\"seconds\":4000,\"pane\":\"%1\",\"text\":\"a reminder\",\"recurring\":true}"},
    {"watch_log", "{\"file_path\":\"/etc/passwd\",\"regex\":\"never\",\"pane\":\"%1\"}"},
    {"watch_pane", "{\"pane\":\"%1\",\"regex\":\"never this\"}"},
    {"wait_for_idle", "{\"cpu_threshold\":0,\"duration_seconds\":3000}"},
    {"wait_for",
	"{\"wait\":\"named\",\"any\":[{\"sec\":3000},{\"pane\":\"%1\",\"output\":\"x\"}],"
	"\"timeout_sec\":0.1}"},
    {"run_long_command", "{\"command\":\"echo done\",\"pane\":\"%1\"}"},
    {"post_notification", "{\"text\":\"kept\",\"data\":{\"a\":[1,2.5,null]},\"key\":\"k\"}"},
    {"post_notification", "{\"text\":\"of a pane\",\"pane\":\"%1\",\"urgency\":\"high\"}"},
    {"next_notification", "{\"consumer\":\"reader\",\"timeout_sec\":0}"},
    {"set_wake_policy", "{\"pane\":\"%1\",\"sources\":[\"job\"],\"window_ms\":2000}"},
    {"report_agent",
	"{\"agent\":\"claude\",\"pane\":\"%1\",\"session\":\"s1\",\"state\":\"busy\"}"},
    {"report_agent",
	"{\"agent\":\"codex\",\"pane\":\"%1\",\"session\":\"s2\",\"state\":\"asking\"}"},
    {"ensure_agent", "{\"name\":\"keeper\",\"command\":\"cat\",\"startup_timeout_sec\":5}"},
    {"send_task", "{\"agent\":\"keeper\",\"text\":\"a task\",\"timeout_sec\":1}"},
};

static const char *const looks[] = {"ping", "status", "describe", "list_panes", "list_timers",
    "list_watches", "list_jobs", "list_agents", "list_notifications", "list_tools", "meter", NULL};

static const char *const words[] = {"\"pane\":\"%0\"", "\"%1/1/1/1\"", "-1", "9007199254740993",
    "1e300", "null", "[]", "{}", "\"\"", "true", "\\u0000", "\"../../x\"", "A1B2",
    "18446744073709551615", "\n", "=", "%1", NULL};

struct file {
	const char *name; /* below the folder of the test */
	const char *text;
};
static const struct file files[] = {
    {".config/muxbus/agents", "fake_agent ready ^> $\nmine busy working\nclaude asking\n"},
    {".config/muxbus/on_notify", "/bin/true\n--title\nx\n"},
    {".config/muxbus/hosts", "one\ntwo ssh=u@two server=work muxbus=/opt/muxbus # x\n"},
    {".config/muxbus/tools/mine.json",
	"{\"name\":\"mine\",\"group\":\"files\",\"description\":\"It prints.\",\"parameters\":{"
	"\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"A "
	"file."
	"\"},\"n\":{\"type\":\"integer\",\"default\":1}},\"required\":[\"path\"]},"
	"\"run\":[\"cat\"],\"answer\":\"text\",\"timeout_sec\":5}"},
};

static char state[512]; /* the state directory */

static void write_bytes(const struct live *live, const char *name, const void *bytes, size_t len)
{
	char path[512];
	int file;
	(void)snprintf(path, sizeof path, "%s/%s", live->dir, name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || write(file, bytes, len) != (ssize_t)len)
		live_bail("%s cannot be written", path);
	(void)close(file);
}

static size_t mutate_text(struct fuzzing *fuzzing, const void *from, size_t len, uint8_t *out)
{
	len = len > BYTES_MAX ? BYTES_MAX : len;
	memcpy(out, from, len);
	return fuzzing_mutate(fuzzing, out, len, BYTES_MAX);
}

/* Files of the user, some of them wrong. */
static void write_files(struct live *live, struct fuzzing *fuzzing)
{
	static uint8_t bytes[BYTES_MAX];
	for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
		size_t len = strlen(files[at].text);
		memcpy(bytes, files[at].text, len);
		if (fuzzing_below(fuzzing, 3) > 0)
			len = mutate_text(fuzzing, files[at].text, len, bytes);
		write_bytes(live, files[at].name, bytes, len);
	}
}

/* Kinds of records the loss of which makes a notification. */
static bool is_notified(const char *key)
{
	static const char *const kinds[] = {
	    "agent/", "consumer/", "job/", "note/", "presence/", "timer/", "wait/", "watch/", NULL};
	const char *const *kind = kinds;
	while (*kind != NULL && strncmp(key, *kind, strlen(*kind)) != 0)
		kind++;
	return *kind != NULL;
}

/* Records that are whole, and lie. The names of some that are no JSON go to lost. */
static size_t spoil_records(struct fuzzing *fuzzing, char *lost[LOST_MAX])
{
	static uint8_t bytes[BYTES_MAX];
	struct journal_disk_dir *dir = journal_disk_dir_open(state);
	struct store *store = store_open(&journal_disk_dir_table, dir, false, NULL, NULL);
	char *keys[KEYS_MAX];
	size_t cursor = 0, count = 0, lost_count = 0, len;
	const char *key, *value;
	if (store == NULL)
		live_bail("%s: no store", state);
	while (count < KEYS_MAX && store_next(store, "", &cursor, &key, &value, NULL))
		keys[count++] = xstrdup(key);
	for (size_t at = 0; at < count; at++) {
		uint32_t kind = fuzzing_below(fuzzing, 6);
		value = store_get(store, keys[at], &len);
		if (kind < 2 && value != NULL) {
			len = mutate_text(fuzzing, value, len, bytes);
			store_put(store, keys[at], bytes, len);
		} else if (kind == 2 && is_notified(keys[at]) && lost_count < LOST_MAX) {
			store_put(store, keys[at], "{", 1);
			lost[lost_count++] = xstrdup(keys[at]);
		} else if (kind == 3 && value != NULL && len < BYTES_MAX) { /* under another name */
			char other[STORE_KEY_MAX + 1];
			memcpy(bytes, value, len);
			(void)snprintf(
			    other, sizeof other, "%.150s%u", keys[at], fuzzing_below(fuzzing, 10));
			store_put(store, other, bytes, len);
		}
		mem_free(keys[at]);
	}
	store_close(store);
	journal_disk_dir_close(dir);
	return lost_count;
}

/* Tears one file of the state directory somewhere. */
static void tear_file(struct live *live, struct fuzzing *fuzzing)
{
	static uint8_t bytes[BYTES_MAX];
	const char *path = live_run(
	    live, "find '%s' -type f | sort | sed -n %up", state, 1 + fuzzing_below(fuzzing, 12));
	int file = *path != '\0' ? open(path, O_RDWR | O_CLOEXEC) : -1;
	ssize_t len = file >= 0 ? read(file, bytes, sizeof bytes) : -1;
	if (len > 0) {
		size_t size = fuzzing_mutate(fuzzing, bytes, (size_t)len, sizeof bytes);
		(void)!pwrite(file, bytes, size, 0);
		(void)!ftruncate(file, (off_t)size);
	}
	if (file >= 0)
		(void)close(file);
}

static unsigned count_missing(struct law *law, char *lost[LOST_MAX], size_t count)
{
	const struct json *answer = talk_call(law->talk, "list_notifications", "{\"limit\":1000}");
	unsigned missing = 0;
	for (size_t at_lost = 0; at_lost < count; at_lost++) {
		const struct json *notes = at(answer, "result.notifications");
		const struct json *note = notes != NULL ? notes->child : NULL;
		while (note != NULL &&
		    (at_str(note, "data.record") == NULL ||
			strcmp(at_str(note, "data.record"), lost[at_lost]) != 0))
			note = note->next;
		if (note == NULL)
			diag("lost in silence: %s", lost[at_lost]);
		missing += note == NULL;
	}
	return missing;
}

/* A life of the daemon. Returns what was wrong with it. */
static unsigned live_once(struct live *live, char *lost[LOST_MAX], size_t count)
{
	unsigned wrong = 0;
	struct law law;
	int status;
	if (!live_try_daemon(live, NULL)) {
		const char *log = live_daemon_log(live);
		wrong = *log == '\0' || live->status > 2;
		if (wrong != 0)
			diag("it did not start (%d): %.2000s", live->status, log);
		return wrong + !law_is_sound(live);
	}
	law_init(&law, live);
	for (const char *const *look = looks; *look != NULL; look++)
		law_ask(&law, *look, NULL);
	law_settle(&law);
	wrong += law.breaches + count_missing(&law, lost, count);
	law_finish(&law);
	wrong += !law_is_sound(live);
	status = live_stop_daemon(live, SIGTERM);
	if (status != 0) {
		diag("it ended with %d: %.2000s", status, live_daemon_log(live));
		wrong++;
	}
	return wrong + !law_is_sound(live);
}

/* The same for a fleet, on the hosts file. */
static unsigned fleet_once(struct live *live)
{
	const char *out = live_run(live,
	    "'%s' --fleet -f -s \"$PWD/fleet\" >fleet.log 2>&1 & pid=$!; "
	    "for method in list_hosts status list_panes; do "
	    "printf '{\"id\":1,\"method\":\"%%s\"}\\n' $method; done | "
	    "timeout 20 socat -t 7 - UNIX-CONNECT:fleet,retry=100,interval=0.1 | grep -c "
	    "'^{.*\"id\":1,.*}$'; "
	    "kill $pid; wait $pid; echo $?; grep -a -A 30 -e 'ERROR: ' -e 'runtime error' "
	    "fleet.log",
	    live_daemon_path());
	if (strcmp(out, "3\n0") == 0)
		return 0;
	diag("the fleet: %.3000s", out);
	return 1;
}

static void do_deeds(struct live *live)
{
	struct talk *talk = talk_new(live);
	for (size_t at_deed = 0; at_deed < sizeof deeds / sizeof *deeds; at_deed++)
		if (at(talk_call_json(talk, deeds[at_deed][0], deeds[at_deed][1]), "result") ==
		    NULL)
			diag("%s: %s", deeds[at_deed][0], talk_text(talk));
	talk_free(talk);
}

static void run_round(struct live *live, struct fuzzing *fuzzing, unsigned *wrong)
{
	char *lost[LOST_MAX];
	size_t count = 0;
	live_run(live, "rm -rf '%s' && cp -a kept '%s'", state, state);
	write_files(live, fuzzing);
	if (fuzzing_below(fuzzing, 3) > 0)
		count = spoil_records(fuzzing, lost);
	else
		tear_file(live, fuzzing);
	*wrong += live_once(live, lost, count);
	if (fuzzing->rounds % FLEET_EVERY == 0)
		*wrong += fleet_once(live);
	live_tmux(live,
	    "list-windows -F '#{window_id}' | sed -n '4,$p' | "
	    "while read id; do '%s' -S '%s' kill-window -t $id; done",
	    live->tmux, live->tmux_socket);
	while (count > 0)
		mem_free(lost[--count]);
}

int main(void)
{
	struct fuzzing fuzzing;
	unsigned wrong = 0;
	struct live *live;
	char *path;
	(void)live_daemon_path();
	fuzzing_init(&fuzzing, SECONDS);
	fuzzing.words = words;
	live = live_new(NULL);
	live_start_tmux(live, "exec sleep 86400");
	is_str(law_pane(live, "typed1"), "%1", "a pane that the records are of");
	is_str(law_pane(live, "typed2"), "%2", "and one that no record is of");
	live_run(live,
	    "mkdir -p .config/muxbus/tools bin; printf '#!/bin/sh\\nexit 255\\n' >bin/ssh; "
	    "chmod +x bin/ssh");
	path = xasprintf("%s/bin:%s", live->dir, getenv("PATH"));
	(void)setenv("PATH", path, 1); /* hosts are reached by no ssh */
	mem_free(path);
	live_start_daemon(live, NULL);
	do_deeds(live);
	(void)snprintf(state, sizeof state, "%s", live_run(live, "echo $PWD/muxbus/tmux-*"));
	(void)live_stop_daemon(live, SIGKILL);
	live_run(live, "cp -a '%s' kept", state);
	while (fuzzing_goes_on(&fuzzing) && wrong == 0)
		run_round(live, &fuzzing, &wrong);
	diag("%llu rounds", (unsigned long long)fuzzing.rounds);
	is_int(wrong, 0, "it lives and answers, or says why not");
	is_str(live_run(live, "ls pwned */pwned 2>/dev/null"), "", "no command was run");
	ok(law_is_untouched(live, "typed2"), "nothing was typed that no record had asked for");
	live_free(live);
	return done_testing();
}
