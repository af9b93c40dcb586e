/* SPDX-License-Identifier: ISC */
/* Prints the output of a job while it grows or at its end, and a line of progress. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

struct job_output {
	struct cli *cli;
	const char *job;
	int64_t offset; /* offset of the next byte to print */
	bool is_running; /* the job ran when its output was last read */
	struct buf bytes; /* the part read last */
	struct buf tail; /* an incomplete character or sequence */
	bool is_styled; /* sequences for colours were printed */
	bool has_progress; /* standard error is a terminal that shows progress */
	bool is_drawn; /* the line of progress is on the screen */
	int64_t started_ms; /* monotonic */
	uint64_t wait_id; /* id of the pending request for the job's end; 0 if answered */
};

void job_output_init(struct job_output *output, struct cli *cli, const char *job);
void job_output_finish(struct job_output *output);

/*
 * Prints the output so far: unchanged in a pipe; on a terminal with control characters made
 * visible, but with its colours if we use colours. Returns CLI_DONE, another status after an error
 * message, or CLI_UNREACHABLE without a message if the connection was lost.
 */
enum cli_status job_output_print(struct job_output *output, struct link *link);

/* Skips all but the last `lines` lines of the present output. Returns as job_output_print(). */
enum cli_status job_output_skip(struct job_output *output, struct link *link, uint32_t lines);

/* Draws the line of progress if has_progress. Returns as job_output_print(). */
enum cli_status job_output_progress(struct job_output *output, struct link *link);

/* Requests an answer at the job's end; it sets wait_id to 0. Returns false if the link is lost. */
bool job_output_ask_for_end(struct job_output *output, struct link *link);
/* Checks whether the job has ended. Returns as job_output_print(). */
enum cli_status job_output_look_for_end(struct job_output *output, struct link *link);

/* Watches a job's log for changes. Returns a descriptor, or -1 if the log must be polled. */
int job_output_watch(const struct cli *cli, const char *log);

/* Returns a job's exit status as a shell would; 124 if it timed out, CLI_NO if it has none. */
int job_output_status(const struct json *job);

/* Erases the line of progress, if drawn, to make room for other output. */
void job_output_erase(struct job_output *output);
