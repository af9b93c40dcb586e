/* SPDX-License-Identifier: ISC */
/*
 * Names of jobs. A text is first looked up as an id; then the running job with this name counts, or
 * else the latest one.
 */
#include "daemon/job/job.h"
#include "daemon/server/request.h"

const struct job *job_name_find(const struct job_set *set, const char *text)
{
	const struct job *found = job_find(set, text);
	if (found != NULL)
		return found;
	next_each (const struct job, job, job_next, set) {
		bool is_later = found == NULL || found->state != JOB_RUNNING;
		if (job->name != NULL && strcmp(job->name, text) == 0 &&
		    (is_later || job->state == JOB_RUNNING))
			found = job;
	}
	return found;
}

const struct job *job_name_get(struct request *request, const char *text)
{
	const struct job *job = job_name_find(request_daemon(request)->jobs, text);
	if (job == NULL)
		request_fail(
		    request, MESSAGE_NO_SUCH_JOB, "there is no job \"%.40s\": see list_jobs", text);
	return job;
}

const char *job_name_id(const struct job_set *set, const char *text)
{
	const struct job *job = job_name_find(set, text);
	return job != NULL ? job->id : text;
}

/* Returns true for a name that looks like an id, as "A1B2" or "A1B2C3". */
static bool has_id_form(const char *name)
{
	size_t len = strlen(name);
	for (size_t at = 0; at < len; at++) {
		char least = at % 2 == 0 ? 'A' : '0', most = at % 2 == 0 ? 'Z' : '9';
		if (name[at] < least || name[at] > most)
			return false;
	}
	return len == 4 || len == 6;
}

bool job_name_check(struct request *request, const char *name)
{
	const struct job *job;
	char data[64];
	if (name == NULL)
		return true;
	if (has_id_form(name))
		return request_fail_field(
		    request, "name", "\"%s\" has the form of an id: choose another name", name);
	if (strncmp(name, JOB_PROVIDER_PREFIX, strlen(JOB_PROVIDER_PREFIX)) == 0)
		return request_fail_field(request, "name",
		    "names that begin with \"" JOB_PROVIDER_PREFIX
		    "\" are those of providers: choose another name");
	job = job_name_find(request_daemon(request)->jobs, name);
	if (job == NULL || job->state != JOB_RUNNING)
		return true;
	snprintf(data, sizeof data, "\"field\":\"name\",\"job\":\"%s\"", job->id);
	return request_fail_data(request, MESSAGE_BUSY, data,
	    "name: job %s runs under the name \"%.100s\": choose another name, see restart_job",
	    job->id, name);
}
