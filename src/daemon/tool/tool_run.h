/* SPDX-License-Identifier: ISC */
/*
 * The answers of programs of declared tools. Such a program runs as a job, so that its end is known
 * even if the daemon ends before. It gets its arguments as a line of JSON on standard input, and
 * answers on standard output.
 */
#pragma once

#include "daemon/job/job.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_program.h"

/* maximum bytes of JSON, or of a text; the middle of a longer text is left out */
#define TOOL_TEXT_MAX (1024 * 1024)
#define TOOL_IMAGE_MAX (8 * 1024 * 1024)

/* Returns the kind of answer: "text", "json", or a kind of image as "image/png". */
const char *tool_run_answer(const struct declaration *declaration);

/* Returns how many bytes of the output are kept, besides the last JOB_TAIL_SIZE bytes. */
int64_t tool_run_kept_bytes(const char *answer);

/* Returns the type of an image by its first bytes; NULL: models do not accept this kind. */
const char *tool_run_image_type(const struct buf *bytes);

/*
 * Writes the answer of a job. answer: as returned by tool_run_answer(); NULL means text.
 * result_max: maximum bytes of an answer with images. Returns false with a failure; members may
 * have been written then.
 */
bool tool_run_write(struct json_writer *writer, const struct job_set *jobs, const struct job *job,
    const char *answer, size_t result_max, struct tool_failure *ret_failure);
