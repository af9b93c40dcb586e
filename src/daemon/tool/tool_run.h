/* SPDX-License-Identifier: ISC */
/*
 * Calls of programs: a declared tool with a program runs as a job, so that its end is known even if
 * the daemon ends before. The program gets its arguments as a line of JSON on standard input, and
 * answers on standard output.
 */
#pragma once

#include "daemon/job/job.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_program.h"

#define TOOL_TEXT_MAX (1024 * 1024) /* bytes of a text; the middle of a longer text is left out */
#define TOOL_IMAGE_MAX (8 * 1024 * 1024)

struct tool_run_order {
	const struct declaration *declaration;
	const char *dir; /* folder of the declaration */
	const char *arguments; /* JSON, with a newline at its end */
	const char *const *session_env; /* changes of the environment, as in struct job_order */
	const char *const *env; /* further changes, after session_env */
	const char *cwd;
	const struct pane_ref *pane;
	bool is_silent; /* its end is not notified, since a request waits */
};

/*
 * Starts the program. On error, returns NULL with a reason, and with errno as job_start() sets it,
 * or ENOENT if the program is not installed.
 */
const struct job *tool_run_start(
    struct job_set *jobs, const struct tool_run_order *order, char *ret_reason, size_t size);

/* Returns the declared kind of answer: "text", "json", or a kind of image such as "image/png". */
const char *tool_run_answer(const struct declaration *declaration);

/* Returns the kind of an image by its first bytes; NULL if models do not accept it. */
const char *tool_run_image_type(const struct buf *bytes);

/*
 * Writes the members of the result of an ended call, at most result_max bytes. answer: as returned
 * by tool_run_answer(); NULL means text. On error, returns false with a failure; then members may
 * have been written.
 */
bool tool_run_write(struct json_writer *writer, const struct job_set *jobs, const struct job *job,
    const char *answer, size_t result_max, struct tool_failure *ret_failure);
