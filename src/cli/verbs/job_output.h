/* SPDX-License-Identifier: ISC */
/* The output of a job, printed as it grows or at its end, and its line of progress. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

enum { JOB_OUTPUT_ID_SIZE = 256 /* of a job's id with its host and server */ };

struct job_output {
	struct cli *cli;
	const char *job;
	int64_t offset; /* printed up to here */
	bool is_running; /* the job, when its output was last read */
	struct buf bytes; /* of one read */
	struct buf tail; /* of an incomplete character or sequence */
	bool is_styled; /* sequences that change colours were printed */
	bool has_progress; /* standard error is a terminal that can erase a line */
	bool is_drawn; /* the line of progress is on the screen */
	int64_t started_ms; /* on the monotonic clock */
	uint64_t wait_id; /* of the request that waits for the end; 0: it was answered */
};

void job_output_init(struct job_output *output, struct cli *cli, const char *job);
void job_output_finish(struct job_output *output);

/*
 * Prints new output of the job: the exact bytes in a pipe; on a terminal with control characters
 * made visible, but for colours if we use them. Returns CLI_DONE, or the status after printing
 * the error. For CLI_UNREACHABLE (the daemon is gone) nothing is printed.
 */
enum cli_status job_output_print(struct job_output *output, struct link *link);

/* Begins with the last lines that there are now, 1 or more; the same statuses. */
enum cli_status job_output_skip(struct job_output *output, struct link *link, uint32_t lines);

/* Draws the line of progress, if enabled; returns the same statuses. */
enum cli_status job_output_progress(struct job_output *output, struct link *link);

/*
 * Asks the daemon to say when the job has ended; false: the daemon is gone. The answer to another
 * request may come later than this one: both set wait_id to 0.
 */
bool job_output_ask_for_end(struct job_output *output, struct link *link);
/* Checks for that answer; the same statuses. */
enum cli_status job_output_look_for_end(struct job_output *output, struct link *link);

/* Watches the log of a job for changes. A descriptor to read; -1: the log must be polled. */
int job_output_watch(const struct cli *cli, const char *log);

/* The exit status of a job that has ended, as of a shell: 124 if its time was up. */
int job_output_status(const struct json *job);

/* Erases the line of progress before other output. */
void job_output_erase(struct job_output *output);
