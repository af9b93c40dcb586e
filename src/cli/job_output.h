/* SPDX-License-Identifier: ISC */
/* The output of a job, printed as it grows or at its end, and the line that tells how it goes. */
#ifndef CLI_JOB_OUTPUT_H
#define CLI_JOB_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/link.h"

struct job_output {
	struct cli *cli;
	const char *job;
	int64_t offset; /* printed up to here */
	struct buf bytes; /* of one reading */
	struct buf tail; /* of a character that is not whole yet */
	bool has_progress; /* standard error is a terminal that knows how to erase a line */
	bool is_drawn; /* the line of progress stands there */
	int64_t started_ms; /* on the monotonic clock */
};

void job_output_init(struct job_output *output, struct cli *cli, const char *job);
void job_output_finish(struct job_output *output);

/*
 * Prints what the job has written and was not printed: the exact bytes in a pipe, on a terminal
 * with control characters made visible. Returns CLI_DONE, or the status after saying what went
 * wrong (CLI_UNREACHABLE: the daemon has gone, and nothing was said).
 */
enum cli_status job_output_print(struct job_output *output, struct link *link);

/* Draws the line of progress, if there is to be one; the same statuses. */
enum cli_status job_output_progress(struct job_output *output, struct link *link);

/* Takes the line of progress away, before something else is printed. */
void job_output_erase(struct job_output *output);

#endif
