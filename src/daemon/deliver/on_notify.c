/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/on_notify.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "base/file.h"
#include "daemon/core/config.h"
#include "daemon/core/rlimit.h"
#include "daemon/deliver/mail.h"
#include "daemon/deliver/person.h"
#include "daemon/deliver/program.h"
#include "daemon/deliver/show.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"
#include "wire/address.h"

enum {
	POSTED_MS = 2, /* delay after a post: waiting requests and messages to clients come first */
	MINUTE_MS = 60000,
	INPUT_MAX = 2 * NOTIFICATION_DATA_MAX + 32768, /* bytes of JSON */
	SHORT_MS = 5000, /* time until the next try if a limit of the system prevented the start */
	FAILURE_SIZE = 256,
	SAID_MAX = 120, /* bytes of the program's output in the log */
};

/* Variables of the daemon that the program gets. */
static const char *const variables[] = {"ALL_PROXY", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME",
    "HTTPS_PROXY", "HTTP_PROXY", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LOGNAME", "NO_PROXY",
    "PATH", "SHELL", "TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR", "all_proxy", "http_proxy", "https_proxy", "no_proxy"};
#define VARIABLES_COUNT (sizeof variables / sizeof *variables)

struct on_notify {
	const struct daemon *parts;
	char file[PATH_MAX]; /* "": no configuration directory */
	struct queue_listener listener;
	struct loop_timer *timer; /* starts the next run */
	uint64_t earlier; /* number of the last notification of an earlier daemon */
	uint64_t pending[ON_NOTIFY_PENDING_MAX]; /* sequence numbers, as they came */
	size_t count;
	uint64_t more; /* notifications that did not fit into pending */
	struct program *program; /* the running one; NULL: none */
	uint64_t given[ON_NOTIFY_PENDING_MAX]; /* notifications given to the running program */
	size_t given_count;
	int64_t paid_ms; /* the runs so far use up the rate until this time (CLOCK_MONOTONIC) */
	uint64_t runs, failures;
	bool is_short; /* the last run failed because of a limit of the system */
	char failure[FAILURE_SIZE]; /* why the last run failed; "" if it did not */
};

struct notify_command {
	struct buf text;
	char *argv[ON_NOTIFY_WORDS_MAX + 1];
	char path[PATH_MAX]; /* of the program */
};

static int __attribute__((format(printf, 2, 3)))
fail(struct on_notify *on_notify, const char *format, ...)
{
	va_list args;
	on_notify->is_short = rlimit_text(errno) != NULL;
	va_start(args, format);
	(void)vsnprintf(on_notify->failure, sizeof on_notify->failure, format, args);
	va_end(args);
	on_notify->failure[utf8_valid_prefix(on_notify->failure, strlen(on_notify->failure))] =
	    '\0';
	on_notify->failures++;
	log_warning("on_notify: %s", on_notify->failure);
	return -1;
}

/* Finds the program: the word is a path, one below "~/", or a name to look up in PATH. */
static bool find_program(const char *word, char path[PATH_MAX])
{
	const char *home = address_home();
	if (strncmp(word, "~/", 2) == 0 && home != NULL)
		return snprintf(path, PATH_MAX, "%s%s", home, word + 1) < PATH_MAX;
	if (strchr(word, '/') != NULL)
		return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX;
	return file_find_program(word, getenv("PATH"), path, PATH_MAX);
}

/* Reads the command line from the file: one word a line, without empty lines and comments (#). */
static int read_command(struct on_notify *on_notify, struct notify_command *command)
{
	size_t count = 0;
	char *rest, *line, reason[FAILURE_SIZE];
	if (file_read_safe(on_notify->file, &command->text, reason, sizeof reason) < 0)
		return fail(on_notify, "%s", reason);
	rest = (char *)command->text.data;
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (count == ON_NOTIFY_WORDS_MAX)
			return fail(on_notify, "%s: has more than %d words", on_notify->file,
			    ON_NOTIFY_WORDS_MAX);
		command->argv[count++] = line;
	}
	if (count == 0)
		return fail(on_notify, "%s: names no program", on_notify->file);
	if (!find_program(command->argv[0], command->path))
		return fail(
		    on_notify, "%.100s: there is no such program in PATH", command->argv[0]);
	return 0;
}

static char **make_environ(const struct on_notify *on_notify, char **ret_own)
{
	char **env = xcalloc(VARIABLES_COUNT + 2, sizeof *env);
	size_t count = 0;
	extern char **environ;
	for (char **entry = environ; *entry != NULL && count < VARIABLES_COUNT; entry++) {
		for (size_t at = 0; at < VARIABLES_COUNT; at++) {
			size_t len = strlen(variables[at]);
			if (strncmp(*entry, variables[at], len) == 0 && (*entry)[len] == '=')
				env[count++] = *entry;
		}
	}
	env[count] = *ret_own = xasprintf("MUXBUS=%s", on_notify->parts->config->socket);
	return env;
}

static bool is_wanted(const struct on_notify *on_notify, const struct notification *note)
{
	if (note == NULL || note->state == NOTE_ACKNOWLEDGED || note->state == NOTE_CANCELLED)
		return false;
	return on_notify->parts->config->notifies_of_all ||
	    person_has_pane(on_notify->parts, &note->pane);
}

/* Moves the pending notifications that are still wanted to `given`. Returns the last, or NULL. */
static const struct notification *take_pending(struct on_notify *on_notify)
{
	const struct notification *last = NULL;
	on_notify->given_count = 0;
	for (size_t at = 0; at < on_notify->count; at++) {
		const struct notification *note =
		    queue_find(on_notify->parts->queue, on_notify->pending[at]);
		if (!is_wanted(on_notify, note))
			continue;
		on_notify->given[on_notify->given_count++] = note->seq;
		last = note;
	}
	on_notify->count = 0;
	return last;
}

static void write_input(struct buf *out, const struct notification *last, uint64_t count)
{
	struct json_writer writer;
	struct buf line = BUF(SHOW_LINE_MAX);
	show_compose(&line, last, (size_t)count);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_int(&writer, "notifications", (int64_t)count);
	(void)json_put_text(&writer, "line", (const char *)line.data, line.len);
	notification_write_members(&writer, last, false);
	json_object_end(&writer);
	(void)buf_append_byte(out, '\n');
	buf_finish(&line);
}

/* Returns a memory file with the input, or -1 with errno. */
static int open_input(const struct notification *last, uint64_t count)
{
	int fd = memfd_create("muxbus-notification", MFD_CLOEXEC);
	struct buf input = BUF(INPUT_MAX);
	bool is_written;
	if (fd < 0)
		return -1;
	write_input(&input, last, count);
	is_written =
	    write(fd, input.data, input.len) == (ssize_t)input.len && lseek(fd, 0, SEEK_SET) == 0;
	buf_finish(&input);
	if (is_written)
		return fd;
	(void)close(fd);
	return -1;
}

/* Called when the program has succeeded: the notifications for persons are delivered. */
static void give_receipts(struct on_notify *on_notify)
{
	const struct daemon *parts = on_notify->parts;
	uint64_t taken[ON_NOTIFY_PENDING_MAX];
	size_t count = 0;
	for (size_t at = 0; at < on_notify->given_count; at++) {
		const struct notification *note = queue_find(parts->queue, on_notify->given[at]);
		if (note != NULL && note->state == NOTE_QUEUED &&
		    person_has_pane(on_notify->parts, &note->pane))
			taken[count++] = note->seq;
	}
	if (count > 0)
		receipt_put_all(parts, taken, count, NOTE_DELIVERED, way_on_notify.result,
		    way_on_notify.name, NULL);
}

static void look_soon(struct on_notify *on_notify);

static void on_ended(void *data, const struct program_end *end)
{
	struct on_notify *on_notify = data;
	char *output = program_output(on_notify->program);
	char *said = notification_clean_text(output, strlen(output));
	if (end->is_late)
		(void)fail(on_notify, "the program did not end within %d s", ON_NOTIFY_MS / 1000);
	else if (!WIFEXITED(end->status))
		(void)fail(on_notify, "the program was killed by signal %d", WTERMSIG(end->status));
	else if (WEXITSTATUS(end->status) != 0)
		(void)fail(on_notify, "the program ended with status %d%s%.*s",
		    WEXITSTATUS(end->status), said[0] != '\0' ? ": " : "", SAID_MAX, said);
	else
		on_notify->failure[0] = '\0';
	mem_free(said);
	mem_free(output);
	program_free(on_notify->program);
	on_notify->program = NULL;
	if (on_notify->failure[0] == '\0')
		give_receipts(on_notify);
	look_soon(on_notify);
}

static void run(struct on_notify *on_notify, const struct notification *last, uint64_t count)
{
	struct notify_command command = {0};
	struct program_order order = {.path = command.path,
	    .argv = command.argv,
	    .input = open_input(last, count),
	    .output_max = ON_NOTIFY_OUTPUT_MAX,
	    .time_ms = ON_NOTIFY_MS,
	    .grace_ms = ON_NOTIFY_GRACE_MS};
	char *own, **env;
	on_notify->is_short = false;
	if (order.input < 0) {
		(void)fail(on_notify, "no file for the notification: %s", strerror(errno));
		return;
	}
	errno = 0;
	buf_init(&command.text, ON_NOTIFY_FILE_MAX);
	order.env = env = make_environ(on_notify, &own);
	if (read_command(on_notify, &command) == 0) {
		on_notify->runs++;
		on_notify->program =
		    program_start(on_notify->parts->base, &order, on_ended, on_notify);
		if (on_notify->program == NULL)
			(void)fail(on_notify, "%.100s: %s", command.path, strerror(errno));
	}
	mem_free(own);
	mem_free(env);
	buf_finish(&command.text);
	(void)close(order.input);
}

/* Returns for how long the rate forbids another run; 0 or less: it does not. */
static int64_t rate_left_ms(const struct on_notify *on_notify, int64_t every_ms)
{
	int64_t ahead_ms = on_notify->paid_ms - clock_mono_ms();
	return ahead_ms - (MINUTE_MS - every_ms);
}

static void on_time(void *data)
{
	struct on_notify *on_notify = data;
	int64_t every_ms = MINUTE_MS / on_notify->parts->config->limits.on_notify_rate;
	int64_t now_ms = clock_mono_ms();
	const struct notification *last;
	uint64_t more = on_notify->more;
	if (on_notify->program != NULL)
		return; /* on_ended() looks again */
	if (rate_left_ms(on_notify, every_ms) > 0) {
		loop_timer_arm(on_notify->timer, rate_left_ms(on_notify, every_ms));
		return;
	}
	last = take_pending(on_notify);
	on_notify->more = 0;
	if (last == NULL)
		return;
	on_notify->paid_ms = (on_notify->paid_ms > now_ms ? on_notify->paid_ms : now_ms) + every_ms;
	run(on_notify, last, on_notify->given_count + more);
	if (on_notify->program != NULL || !on_notify->is_short)
		return;
	memcpy(on_notify->pending, on_notify->given, sizeof on_notify->given);
	on_notify->count = on_notify->given_count;
	on_notify->more = more;
	loop_timer_arm(on_notify->timer, SHORT_MS);
}

static void look_soon(struct on_notify *on_notify)
{
	if (on_notify->count > 0 && on_notify->program == NULL &&
	    !loop_timer_is_armed(on_notify->timer))
		loop_timer_arm(on_notify->timer, POSTED_MS);
}

static void add(struct on_notify *on_notify, uint64_t seq)
{
	if (on_notify->count == ON_NOTIFY_PENDING_MAX) {
		memmove(on_notify->pending, on_notify->pending + 1,
		    (ON_NOTIFY_PENDING_MAX - 1) * sizeof *on_notify->pending);
		on_notify->count--;
		on_notify->more++;
	}
	on_notify->pending[on_notify->count++] = seq;
	look_soon(on_notify);
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct on_notify *on_notify = list_entry(listener, struct on_notify, listener);
	if (on_notify_is_set(on_notify) && note->state == NOTE_QUEUED && is_wanted(on_notify, note))
		add(on_notify, note->seq);
}

struct on_notify *on_notify_new(const struct daemon *parts)
{
	struct on_notify *on_notify = xcalloc(1, sizeof *on_notify);
	on_notify->parts = parts;
	if (address_config(on_notify->file, sizeof on_notify->file, "on_notify") < 0)
		on_notify->file[0] = '\0';
	on_notify->timer = loop_timer_new(parts->base, on_time, on_notify);
	on_notify->earlier = queue_last(parts->queue);
	on_notify->listener.posted = on_posted;
	queue_listen(parts->queue, &on_notify->listener);
	return on_notify;
}

void on_notify_free(struct on_notify *on_notify)
{
	if (on_notify == NULL)
		return;
	list_remove(&on_notify->listener.link);
	program_free(on_notify->program);
	loop_timer_free(on_notify->timer);
	mem_free(on_notify);
}

bool on_notify_is_set(const struct on_notify *on_notify)
{
	return on_notify->file[0] != '\0' && access(on_notify->file, F_OK) == 0;
}

void on_notify_write(
    const struct on_notify *on_notify, struct json_writer *writer, const char *name)
{
	const char *failure = on_notify->failure;
	if (!on_notify_is_set(on_notify)) {
		json_put_null(writer, name);
		return;
	}
	json_object_begin(writer, name);
	(void)json_put_text(writer, "file", on_notify->file, strlen(on_notify->file));
	json_put_str(writer, "for", on_notify->parts->config->notifies_of_all ? "all" : "person");
	json_put_int(writer, "runs", (int64_t)on_notify->runs);
	json_put_int(writer, "failures", (int64_t)on_notify->failures);
	json_put_int(writer, "waiting", (int64_t)(on_notify->count + on_notify->more));
	if (failure[0] != '\0')
		(void)json_put_text(writer, "failure", failure, strlen(failure));
	else
		json_put_null(writer, "failure");
	json_object_end(writer);
}

static enum way_use use(const struct way_place *place, struct way_found *found)
{
	if (!place->runs_on_notify) {
		snprintf(found->text, WAY_TEXT_SIZE, "pane %%%u: no agent is there, and show=none",
		    (unsigned)place->address->pane);
		return WAY_REFUSES;
	}
	snprintf(found->text, WAY_TEXT_SIZE, "given%s to the program of on_notify",
	    place->parts->config->shows_nothing ? "" : ", as no client is attached,");
	return WAY_TAKES;
}

/* The earlier daemon may have been killed before or during a run: gives its notifications again. */
static void resume(const struct mail *mail)
{
	struct on_notify *on_notify = mail->office->parts->on_notify;
	const struct notification *note = NULL;
	while ((note = queue_next_for(mail->office->parts->queue, &mail->pane, note)) != NULL &&
	    note->seq <= on_notify->earlier)
		if (mail_is_for(mail, note))
			add(on_notify, note->seq);
}

/* Waits for on_posted() to start the program. Without a program, refuses the notifications. */
static void start(struct mail *mail, const struct way_found *found)
{
	const struct notification *notes[MAIL_BATCH_MAX];
	mail_end_deferral(mail);
	if (!found->is_final) {
		if (!mail->waits_for_person)
			resume(mail);
		mail_wait_for_person(mail, found);
		return;
	}
	mail_gather(mail, notes);
	receipt_put_all(mail->office->parts, mail->batch, mail->batch_count, NOTE_FAILED, "refused",
	    way_none.name, found->text);
	mail->batch_count = 0;
	loop_timer_arm(mail->soon, 0);
}

const struct way way_on_notify = {.name = "on_notify",
    .result = "handed_over",
    .is_for_person = true,
    .use = use,
    .start = start};
