/* SPDX-License-Identifier: ISC */
/*
 * Calls of programs: a declared tool that runs a program is a job, so that its end survives the
 * daemon. The program gets its arguments as a line of JSON on standard input, and answers on
 * standard output.
 */
#pragma once

#include "daemon/job/job.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_program.h"

#define TOOL_TEXT_MAX (1024 * 1024) /* bytes of an answer; of more text, the middle is left out */
#define TOOL_IMAGE_MAX (8 * 1024 * 1024)

struct tool_run_order {
	const struct declaration *declaration;
	const char *dir; /* of the declaration */
	const char *arguments; /* JSON, with a newline at its end */
	const char *const *session_env; /* changes, as in struct job_order */
	const char *const *env; /* the same, after these */
	const char *cwd;
	const struct pane_ref *pane;
	bool is_silent; /* a request waits for the end */
};

/* Starts the program. NULL with a reason; errno as job_start() has it, ENOENT: not installed. */
const struct job *tool_run_start(
    struct job_set *jobs, const struct tool_run_order *order, char *ret_reason, size_t size);

/* The answer that a declaration says: "text", "json", or a kind of image such as "image/png". */
const char *tool_run_answer(const struct declaration *declaration);

/* The kind of an image by its first bytes, of those that models take, or NULL. */
const char *tool_run_image_type(const struct buf *bytes);

/*
 * Writes the members of the result of a call that has ended, of at most result_max bytes. answer is
 * as above; NULL: it is not known, and taken for text. False with a failure; members may have been
 * written.
 */
bool tool_run_write(struct json_writer *writer, const struct job_set *jobs, const struct job *job,
    const char *answer, size_t result_max, struct tool_failure *ret_failure);
