/* SPDX-License-Identifier: ISC */
/* muxbus logs: prints the output of a job, and follows it until the job ends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/verbs.h"
#include "cli/verbs/interrupt.h"
#include "cli/verbs/job_output.h"

enum {
	PARAMS_MAX = 4096,
	JOB_MAX = 200, /* bytes of a name */
	LOOK_MS = 1000, /* for more output, where inotify does not say */
	WAIT_MAX_SEC = 316224000,
};

struct logs {
	struct cli *cli;
	const char *job;
	bool follows;
	struct link *link;
	uint64_t wait_id; /* of the request that waits for the end; 0: it was answered */
	struct interrupt interrupt;
	struct job_output output;
};

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct logs, job), NULL},
    {"follow", 'f', OPTION_FLAG, offsetof(struct logs, follows), NULL},
    {0},
};

/* The answer to wait_for may come before that to another request. */
static void on_other(void *data, const struct json *message, const char *line, size_t len)
{
	struct logs *logs = data;
	int64_t id;
	(void)line;
	(void)len;
	if (json_member(message, "id") != NULL && json_int(json_member(message, "id"), &id) &&
	    id == (int64_t)logs->wait_id)
		logs->wait_id = 0;
}

/* Asks the daemon to say when the job has ended; without its answer the log is polled. */
static void ask_for_end(struct logs *logs, const char *id)
{
	char params[JOB_OUTPUT_ID_SIZE + 96];
	(void)snprintf(params, sizeof params, "{\"any\":[{\"job\":\"%s\"}],\"timeout_sec\":%d}", id,
	    WAIT_MAX_SEC);
	link_set_other(logs->link, on_other, logs);
	logs->wait_id = link_request(logs->link, "wait_for", params);
}

/* Checks for the answer to wait_for. */
static void look_for_end(struct logs *logs)
{
	struct link_answer answer;
	link_receive(logs->link); /* the next request sees an end */
	if (logs->wait_id != 0 && link_await(logs->link, logs->wait_id, 0, &answer) == LINK_LINE)
		logs->wait_id = 0;
}

/* Finds the job, and watches its log for changes. */
static enum cli_status open_log(struct logs *logs, char id[JOB_OUTPUT_ID_SIZE])
{
	const struct json *job;
	struct json_writer writer;
	struct buf params;
	enum cli_status status;
	json_start_object(&writer, &params, PARAMS_MAX);
	json_put_str(&writer, "job", logs->job);
	json_object_end(&writer);
	status = ask_result(logs->link, "get_job", buf_text(&params), ASK_TIMEOUT_MS, &job);
	buf_finish(&params);
	if (status != CLI_DONE)
		return status;
	(void)snprintf(id, JOB_OUTPUT_ID_SIZE, "%s", ask_string(job, "id", ""));
	logs->interrupt.extra_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (logs->interrupt.extra_fd >= 0)
		(void)inotify_add_watch(logs->interrupt.extra_fd, ask_string(job, "log", ""),
		    IN_MODIFY); /* else the log is polled */
	return CLI_DONE;
}

static enum cli_status print_log(struct logs *logs)
{
	for (;;) {
		char events[4096];
		int signal;
		enum cli_status status = job_output_print(&logs->output, logs->link);
		if (status == CLI_UNREACHABLE)
			cli_error("muxbusd is gone");
		if (status != CLI_DONE || !logs->follows || !logs->output.is_running ||
		    ferror(stdout))
			return status;
		if (logs->wait_id == 0)
			continue; /* it has just ended: print the rest */
		switch (interrupt_wait(&logs->interrupt, logs->link, LOOK_MS, &signal)) {
		case INTERRUPT_SIGNAL:
		case INTERRUPT_READER:
			return CLI_DONE;
		case INTERRUPT_EXTRA:
			while (read(logs->interrupt.extra_fd, events, sizeof events) > 0)
				;
			break;
		case INTERRUPT_LINK:
			look_for_end(logs);
			break;
		case INTERRUPT_TIME:
			break;
		}
	}
}

enum cli_status logs_run(struct cli *cli, int argc, char **argv)
{
	struct logs logs = {.cli = cli};
	char id[JOB_OUTPUT_ID_SIZE];
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &logs, NULL, &status))
		return status;
	if (logs.job == NULL || strlen(logs.job) > JOB_MAX)
		return cli_usage("logs", "a job is missing: its id or name");
	if (interrupt_open(&logs.interrupt) < 0) {
		cli_error("cannot watch signals: %s", strerror(errno));
		return CLI_NO;
	}
	logs.link = ask_connect(cli);
	status = logs.link != NULL ? open_log(&logs, id) : CLI_UNREACHABLE;
	if (status == CLI_DONE) {
		job_output_init(&logs.output, cli, id);
		if (logs.follows)
			ask_for_end(&logs, id);
		status = print_log(&logs);
		job_output_finish(&logs.output);
	}
	if (logs.interrupt.extra_fd >= 0)
		(void)close(logs.interrupt.extra_fd);
	link_close(logs.link);
	interrupt_close(&logs.interrupt);
	return cli_flush(status);
}
