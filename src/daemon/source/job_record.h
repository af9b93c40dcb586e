/* SPDX-License-Identifier: ISC */
/* A job as JSON: in the store, and in what is said of it. */
#ifndef DAEMON_SOURCE_JOB_RECORD_H
#define DAEMON_SOURCE_JOB_RECORD_H

#include "base/buf.h"
#include "daemon/source/job.h"
#include "wire/json.h"

#define JOB_RECORD_PREFIX "job/"

/* The key of a job in the store; lent until the next call. */
const char *job_record_key(const struct job *job);
void job_record_write(struct buf *out, const struct job *job);
/* Fills a job whose id is set; false if the text is none. */
bool job_record_read(struct json_reader *reader, const char *text, size_t len, struct job *job);
/* Frees what a job holds. */
void job_record_finish(struct job *job);

/* What its notification says, and carries; the caller frees. */
char *job_record_text(const struct job *job);
char *job_record_data(const struct job *job, const char *log, const char *excerpt);

/* Its members as protocol section 10 has them. */
void job_write_members(
    struct json_writer *writer, const struct job *job, const char *log, int64_t log_bytes);

#endif
