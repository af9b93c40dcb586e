/* SPDX-License-Identifier: ISC */
/* muxbus run: runs a command as a job; unless detached, waits for it and exits with its status. */
#include <sys/ioctl.h>
#include <sys/random.h>

#include "base/file.h"
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"
#include "cli/verbs/job_output.h"
#include "wire/address.h"
#include "wire/shell_word.h"

#define PARAMS_MAX LINK_LINE_MAX
/* The limits of run_long_command: */
#define COMMAND_MAX ((size_t)131071)
#define ENV_MAX 1000
#define INPUT_MAX ((size_t)1048576)
#define PROGRESS_MS 1000
#define RECONNECT_TRIES 60
#define START_TRIES 3
#define EXIT_NOT_FOUND 127

extern char **environ;

struct run_verb {
	struct cli *cli;
	/* From the command line and standard input: */
	bool is_detached;
	bool wants_follow; /* --follow: print output even as a background job */
	bool is_shell, is_quiet;
	bool wants_input; /* --stdin */
	struct buf input;
	const char *name, *dir;
	int64_t timeout_ms; /* 0: no timeout */
	char **words;
	int count;
	/* The job: */
	char id[CLI_ID_SIZE];
	struct link *link;
	bool told_input; /* warned that the job does not get standard input */
	struct interrupt interrupt;
	int interrupts; /* times that the user pressed ^C */
	bool has_ended;
	struct job_output output;
};

static const struct option_row options[] = {
    {"detach", 'd', OPTION_FLAG, offsetof(struct run_verb, is_detached), NULL},
    {"follow", 'f', OPTION_FLAG, offsetof(struct run_verb, wants_follow), NULL},
    {"shell", 'c', OPTION_FLAG, offsetof(struct run_verb, is_shell), NULL},
    {"stdin", 'i', OPTION_FLAG, offsetof(struct run_verb, wants_input), NULL},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct run_verb, is_quiet), NULL},
    {"name", 'n', OPTION_TEXT, offsetof(struct run_verb, name), NULL},
    {"cwd", 'C', OPTION_TEXT, offsetof(struct run_verb, dir), NULL},
    {"timeout", 't', OPTION_DURATION, offsetof(struct run_verb, timeout_ms), NULL},
    {0},
};

#define say(run, ...) ((run)->is_quiet ? (void)0 : cli_error(__VA_ARGS__))

/* Writes the command for /bin/sh -c: the quoted words, or with --shell the given line. */
static enum cli_status put_command(const struct run_verb *run, struct buf *command)
{
	int r = 0;
	if (run->is_shell) {
		r = buf_append_str(command, run->words[0]);
	} else {
		/* Without exec, the shell would run its builtins, such as echo. */
		r = buf_append_str(command, "exec");
		for (int i = 0; i < run->count && r == 0; i++) {
			r = buf_append_byte(command, ' ');
			r = r < 0 ? r : shell_word(command, run->words[i]);
		}
	}
	if (r < 0)
		return cli_usage("run", "the command is longer than %zu bytes", COMMAND_MAX);
	if (!utf8_is_valid(command->data, command->len))
		return cli_usage("run", "the command is not valid UTF-8");
	return CLI_DONE;
}

/* Sends our environment and umask, since the daemon's may be from another session. */
static void put_env(const struct run_verb *run, struct json_writer *writer)
{
	int count = 0, left = 0;
	mode_t mask = umask(0);
	(void)umask(mask);
	json_put_int(writer, "umask", mask);
	json_put_bool(writer, "env_only", true);
	json_object_begin(writer, "env");
	for (char **entry = environ; *entry != NULL; entry++) {
		const char *equals = strchr(*entry, '=');
		size_t len = strlen(*entry);
		bool is_first = true;
		char *name;
		size_t name_len;
		if (equals == NULL || equals == *entry)
			continue;
		if (count == ENV_MAX || !utf8_is_valid(*entry, len)) {
			left++;
			continue;
		}
		name_len = (size_t)(equals - *entry);
		for (char **before = environ; before < entry && is_first; before++)
			is_first = strncmp(*before, *entry, name_len + 1) != 0;
		if (!is_first)
			continue;
		name = xmemdup(*entry, name_len);
		json_put_str(writer, name, equals + 1);
		mem_free(name);
		count++;
	}
	json_object_end(writer);
	if (left > 0)
		say(run, "the job does not get %d variable%s: not UTF-8, or more than %d", left,
		    left == 1 ? "" : "s", ENV_MAX);
}

static enum cli_status read_input(struct run_verb *run)
{
	int r = file_read_all(STDIN_FILENO, &run->input);
	if (r < 0 && errno == EFBIG)
		return cli_usage("run",
		    "standard input is longer than %zu bytes: name a file in a line for --shell",
		    INPUT_MAX);
	if (r < 0)
		return cli_fail(CLI_NO, "standard input: %s", strerror(errno));
	if (strlen(buf_text(&run->input)) < run->input.len ||
	    !utf8_is_valid(buf_text(&run->input), run->input.len))
		return cli_usage("run",
		    "standard input is not text in UTF-8: name a file in a line for --shell");
	return CLI_DONE;
}

/* Returns true if the job runs on this machine, with our environment and directories. */
static bool is_here(const struct run_verb *run)
{
	return !remote_is(run->cli) && !run->cli->is_fleet;
}

static enum cli_status put_params(const struct run_verb *run, struct buf *params)
{
	struct json_writer writer;
	struct buf command = BUF(COMMAND_MAX);
	char path[PATH_MAX], key[48];
	uint64_t random[2];
	const char *dir = run->dir;
	enum cli_status status;
	bool is_relative = dir == NULL || (dir[0] != '/' && dir[0] != '~');
	/* Never change the directory silently, since the command may remove files. */
	if (is_relative && !is_here(run) && dir != NULL)
		return cli_usage(
		    "run", "--cwd %s: on another machine a directory begins with / or ~", dir);
	if (is_relative && is_here(run)) {
		errno = ENAMETOOLONG;
		if (dir == NULL ? getcwd(path, sizeof path) == NULL
				: address_absolute(path, sizeof path, dir) < 0)
			return cli_fail(CLI_NO, "the directory %s: %s", dir != NULL ? dir : "here",
			    strerror(errno));
		dir = path;
	}
	if (dir != NULL && !utf8_is_valid(dir, strlen(dir)))
		return cli_usage("run", "the name of the directory is not valid UTF-8");
	status = put_command(run, &command);
	json_writer_init(&writer, params);
	json_object_begin(&writer, NULL);
	if (status == CLI_DONE)
		json_put_str(&writer, "command", buf_text(&command));
	json_put_given(&writer, "cwd", dir);
	json_put_given(&writer, "name", run->name);
	if (run->timeout_ms > 0)
		json_put_double(&writer, "timeout_sec", (double)run->timeout_ms / 1000);
	if (run->input.len > 0)
		(void)json_put_text(&writer, "stdin", buf_text(&run->input), run->input.len);
	if (run->cli->is_fleet && !run->is_detached)
		json_put_null(&writer, "pane"); /* this program waits, so no pane is notified */
	if (getrandom(random, sizeof random, 0) == (ssize_t)sizeof random) {
		(void)snprintf(
		    key, sizeof key, "run-%016" PRIx64 "%016" PRIx64, random[0], random[1]);
		json_put_str(&writer, "key", key);
	}
	if (is_here(run)) /* another machine has its own environment */
		put_env(run, &writer); /* last, since the history of requests may cut it */
	json_object_end(&writer);
	buf_finish(&command);
	if (status == CLI_DONE && writer.is_cut)
		return cli_usage("run", "the command and the environment are too long");
	return status;
}

/* Requests the job, again if the daemon ends. The key keeps a repeat from starting a second job. */
static enum cli_status ask_for_job(
    struct run_verb *run, const char *params, struct link_answer *ret_answer)
{
	enum interrupt_wake wake;
	enum link_read read;
	for (int i = 1;; i++) {
		read = link_ask(run->link, "run_long_command", params, ASK_TIMEOUT_MS, ret_answer);
		if (!link_is_lost(read) || i == START_TRIES)
			break;
		say(run, "muxbusd is gone, waiting for muxbusd");
		link_close(run->link);
		run->link =
		    interrupt_reconnect(&run->interrupt, run->cli, RECONNECT_TRIES, -1, &wake);
		if (run->link == NULL)
			break;
	}
	if (read != LINK_LINE)
		return ask_say_read(read);
	return ret_answer->error != NULL ? ask_say_error(ret_answer->error) : CLI_DONE;
}

static enum cli_status start_job(struct run_verb *run)
{
	struct buf params = BUF(PARAMS_MAX);
	struct link_answer answer;
	const struct json *result;
	enum cli_status status = put_params(run, &params);
	if (status == CLI_DONE)
		status = ask_for_job(run, buf_text(&params), &answer);
	buf_finish(&params);
	if (status != CLI_DONE)
		return status;
	result = answer.result;
	(void)snprintf(run->id, sizeof run->id, "%s", json_get_str(result, "id", ""));
	if (run->is_detached) {
		show_result(run->cli, "run_long_command", result);
		return CLI_DONE;
	}
	run->interrupt.extra_fd = job_output_watch(run->cli, json_get_str(result, "log", ""));
	return CLI_DONE;
}

/* Reconnects. The job outlives the daemon, and the next daemon knows the job. */
static enum cli_status connect_again(struct run_verb *run)
{
	enum interrupt_wake wake = INTERRUPT_TIME;
	job_output_erase(&run->output);
	say(run, "muxbusd is gone; job %s %s, waiting for muxbusd", run->id,
	    run->has_ended ? "has ended" : "goes on");
	for (int i = 0; i < RECONNECT_TRIES && wake == INTERRUPT_TIME; i++) {
		link_close(run->link);
		run->link = interrupt_reconnect(&run->interrupt, run->cli, 1, -1, &wake);
		if (run->link != NULL && job_output_ask_for_end(&run->output, run->link))
			return CLI_DONE;
	}
	link_close(run->link);
	run->link = NULL;
	return cli_fail(CLI_UNREACHABLE,
	    "muxbusd did not come back; start it, and see: muxbus get_job %s", run->id);
}

/* Stops the job. Returns CLI_DONE to continue waiting for its end. */
static enum cli_status stop_job(struct run_verb *run, const char *signal_name)
{
	struct link_answer answer;
	enum link_read read = ask_read(run->link, "stop_job",
	    ASK_PARAMS({"job", .text = run->id}, {"signal", .text = signal_name}), ASK_TIMEOUT_MS,
	    &answer);
	/* Ignore an error: the job has probably ended just now. */
	return read == LINK_LINE ? CLI_DONE : CLI_UNREACHABLE;
}

static enum cli_status on_signal(struct run_verb *run, int number, int *ret_exit)
{
	bool is_first;
	job_output_erase(&run->output);
	if (number != SIGINT || run->interrupts >= 2) {
		say(run, "job %s goes on; see: muxbus get_job %s", run->id, run->id);
		*ret_exit = CLI_SIGNAL + number;
		return CLI_NO;
	}
	is_first = run->interrupts++ == 0;
	say(run,
	    is_first ? "stopping job %s (^C again: kill it)"
		     : "killing job %s (^C again: leave it alone)",
	    run->id);
	return stop_job(run, is_first ? "INT" : "KILL");
}

/* Returns true if a person may need the warning about standard input. */
static bool may_tell_input(const struct run_verb *run)
{
	return !run->told_input && !run->is_quiet && !run->wants_input && isatty(STDERR_FILENO);
}

static void tell_input(struct run_verb *run)
{
	int waiting = 0;
	if (!may_tell_input(run) || !screen_is_ours(STDERR_FILENO) ||
	    ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || waiting <= 0)
		return;
	run->told_input = true;
	job_output_erase(&run->output);
	cli_error("standard input does not reach job %s, which --stdin would pass on", run->id);
}

/* Prints new output; without --follow, nothing while another job of the shell is in front. */
static enum cli_status print_output(struct run_verb *run)
{
	if (!run->wants_follow && !screen_is_ours(STDOUT_FILENO))
		return CLI_DONE;
	return job_output_print(&run->output, run->link);
}

static enum cli_status wait_once(struct run_verb *run, int *ret_exit)
{
	enum cli_status status;
	int number;
	bool is_polled = run->interrupt.extra_fd < 0;
	bool has_tick = is_polled || run->output.has_progress || may_tell_input(run);
	tell_input(run);
	switch (interrupt_wait(&run->interrupt, run->link, has_tick ? PROGRESS_MS : -1, &number)) {
	case INTERRUPT_SIGNAL:
		return on_signal(run, number, ret_exit);
	case INTERRUPT_READER: /* as if the job itself had written to the pipe */
		say(run, "the reader of the output is gone: stopping job %s", run->id);
		(void)stop_job(run, "TERM");
		*ret_exit = CLI_SIGNAL + SIGPIPE;
		return CLI_NO;
	case INTERRUPT_EXTRA:
		interrupt_drain(&run->interrupt);
		return print_output(run);
	case INTERRUPT_TIME:
		if (is_polled && (status = print_output(run)) != CLI_DONE)
			return status;
		return job_output_progress(&run->output, run->link);
	case INTERRUPT_LINK:
		break;
	}
	return job_output_look_for_end(&run->output, run->link);
}

static int tell_end(struct run_verb *run, const struct json *job)
{
	const char *state = json_get_str(job, "state", "?");
	int64_t code = json_get_int(job, "exit_code", -1);
	int64_t number = json_get_int(job, "signal", -1);
	struct buf took = BUF(64);
	const char *time;
	show_duration(&took, json_get_int(job, "duration_ms", 0));
	time = buf_text(&took);
	if (json_get_bool(job, "timed_out", false)) {
		say(run, "job %s: the time was up after %s", run->id, time);
	} else if (number > 0) {
		say(run, "job %s was killed by signal %" PRId64 " after %s", run->id, number, time);
	} else if (code >= 0) {
		if (isatty(STDERR_FILENO))
			say(run, "job %s: exit status %" PRId64 " after %s", run->id, code, time);
		if (code == EXIT_NOT_FOUND && run->count == 1 && strchr(run->words[0], ' ') != NULL)
			say(run, "for a line of the shell: muxbus run --shell '...'");
	} else {
		say(run, "job %s: %s, without an exit status", run->id, state);
	}
	buf_finish(&took);
	/* If a signal killed the job after ^C, even SIGKILL, exit as if by ^C. */
	return run->interrupts > 0 && number > 0 ? (int)interrupt_status() : job_output_status(job);
}

static enum cli_status finish_job(struct run_verb *run, int *ret_exit)
{
	const struct json *job;
	enum cli_status status = job_output_print(&run->output, run->link);
	if (status == CLI_DONE)
		status =
		    ask_alive(run->link, "get_job", ASK_PARAMS({"job", .text = run->id}), &job);
	if (status == CLI_DONE)
		*ret_exit = tell_end(run, job);
	return status;
}

static int wait_for_job(struct run_verb *run)
{
	int exit_status = CLI_NO;
	bool is_due = true; /* the log may have grown before it was watched */
	enum cli_status status;
	if (!job_output_ask_for_end(&run->output, run->link) && connect_again(run) != CLI_DONE)
		return CLI_UNREACHABLE;
	while (!run->has_ended) {
		status = is_due ? print_output(run) : wait_once(run, &exit_status);
		is_due = status == CLI_UNREACHABLE;
		if (status == CLI_UNREACHABLE)
			status = connect_again(run);
		if (status != CLI_DONE)
			return status == CLI_UNREACHABLE ? CLI_UNREACHABLE : exit_status;
		run->has_ended |= run->output.wait_id == 0;
	}
	job_output_erase(&run->output);
	do
		status = finish_job(run, &exit_status);
	while (status == CLI_UNREACHABLE && connect_again(run) == CLI_DONE);
	return status == CLI_DONE ? exit_status : (int)status;
}

enum cli_status run_run(struct cli *cli, int argc, char **argv)
{
	struct run_verb run = {.cli = cli};
	int exit_status, first;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &run, &first, &status))
		return status;
	run.words = argv + first;
	run.count = argc - first;
	if (run.count == 0)
		return cli_usage("run", "a command is missing");
	if (run.is_shell && run.count != 1)
		return cli_usage("run", "--shell takes one word: a line for sh -c");
	/* Signals are not blocked yet, so that ^C ends the reading. */
	buf_init(&run.input, INPUT_MAX);
	status = run.wants_input ? read_input(&run) : CLI_DONE;
	if (status == CLI_DONE && interrupt_open(&run.interrupt) < 0)
		status = CLI_NO;
	if (status != CLI_DONE) {
		buf_finish(&run.input);
		return status;
	}
	run.link = ask_connect(cli);
	status = run.link != NULL ? start_job(&run) : CLI_UNREACHABLE;
	buf_finish(&run.input);
	exit_status = (int)status;
	if (status == CLI_DONE && !run.is_detached) {
		job_output_init(&run.output, cli, run.id);
		run.output.has_progress &= !run.is_quiet;
		exit_status = wait_for_job(&run);
		job_output_finish(&run.output);
	}
	link_close(run.link);
	return interrupt_close(&run.interrupt, (enum cli_status)exit_status);
}
