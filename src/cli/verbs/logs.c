/* SPDX-License-Identifier: ISC */
/* muxbus logs: prints the output of a job, and with --follow also what the job still writes. */
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"
#include "cli/verbs/job_output.h"

enum { LOOK_MS = 1000 /* interval of polling a log that inotify cannot watch */ };

struct logs {
	struct cli *cli;
	const char *job;
	bool follows;
	uint32_t lines; /* number of last lines to print; 0: all */
	struct link *link;
	struct interrupt interrupt;
	struct job_output output;
};

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct logs, job), NULL},
    {"follow", 'f', OPTION_FLAG, offsetof(struct logs, follows), NULL},
    {"lines", 'n', OPTION_COUNT, offsetof(struct logs, lines), NULL},
    {"tail", 0, OPTION_COUNT, offsetof(struct logs, lines), NULL}, /* name used by other programs */
    {0},
};

static enum cli_status open_log(struct logs *logs, char id[CLI_ID_SIZE])
{
	const struct json *job;
	enum cli_status status =
	    ask_method(logs->link, "get_job", ASK_PARAMS({"job", .text = logs->job}), &job);
	if (status != CLI_DONE)
		return status;
	(void)snprintf(id, CLI_ID_SIZE, "%s", json_get_str(job, "id", ""));
	logs->interrupt.extra_fd = job_output_watch(logs->cli, json_get_str(job, "log", ""));
	return CLI_DONE;
}

static enum cli_status print_log(struct logs *logs)
{
	for (;;) {
		int signal;
		enum cli_status status = job_output_print(&logs->output, logs->link);
		if (status == CLI_UNREACHABLE)
			cli_error("muxbusd is gone");
		if (status != CLI_DONE || !logs->follows || !logs->output.is_running ||
		    ferror(stdout))
			return status;
		if (logs->output.wait_id == 0)
			continue; /* the response has arrived, so the job is over: print the rest */
		switch (interrupt_wait(&logs->interrupt, logs->link, LOOK_MS, &signal)) {
		case INTERRUPT_SIGNAL:
		case INTERRUPT_READER:
			return interrupt_status();
		case INTERRUPT_EXTRA:
			interrupt_drain(&logs->interrupt);
			break;
		case INTERRUPT_LINK: /* if the link has ended, the next request says so */
			status = job_output_look_for_end(&logs->output, logs->link);
			if (status != CLI_DONE && status != CLI_UNREACHABLE)
				return status;
			break;
		case INTERRUPT_TIME:
			break;
		}
	}
}

enum cli_status logs_run(struct cli *cli, int argc, char **argv)
{
	struct logs logs = {.cli = cli};
	char id[CLI_ID_SIZE];
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &logs, NULL, &status))
		return status;
	if (logs.job == NULL)
		return cli_usage("logs", "a job is missing: its id or name");
	if (interrupt_open(&logs.interrupt) < 0)
		return CLI_NO;
	logs.link = ask_connect(cli);
	status = logs.link != NULL ? open_log(&logs, id) : CLI_UNREACHABLE;
	if (status == CLI_DONE) {
		job_output_init(&logs.output, cli, id);
		if (logs.follows)
			(void)job_output_ask_for_end(
			    &logs.output, logs.link); /* print_log() handles a failure */
		if (logs.lines > 0)
			status = job_output_skip(&logs.output, logs.link, logs.lines);
		if (status == CLI_DONE)
			status = print_log(&logs);
		job_output_finish(&logs.output);
	}
	if (logs.interrupt.extra_fd >= 0)
		(void)close(logs.interrupt.extra_fd);
	link_close(logs.link);
	return interrupt_close(&logs.interrupt, status);
}
