/* SPDX-License-Identifier: ISC */
/* Names of jobs. */
#include "daemon/job/job_name.h"

#include <string.h>

#include "daemon/job/job.h"
#include "daemon/job/job_record.h"

const struct job *job_name_find(const struct job_set *set, const char *text)
{
	const struct job *found = job_find(set, text);
	const struct job *job = NULL;
	if (found != NULL)
		return found;
	while ((job = job_next(set, job)) != NULL) {
		bool is_later = found == NULL || found->state != JOB_RUNNING;
		if (job->name != NULL && strcmp(job->name, text) == 0 &&
		    (is_later || job->state == JOB_RUNNING))
			found = job;
	}
	return found;
}

const char *job_name_id(const struct job_set *set, const char *text)
{
	const struct job *job = job_name_find(set, text);
	return job != NULL ? job->id : text;
}

bool job_name_has_id_form(const char *name)
{
	size_t len = strlen(name);
	for (size_t at = 0; at < len; at++) {
		char least = at % 2 == 0 ? 'A' : '0', most = at % 2 == 0 ? 'Z' : '9';
		if (name[at] < least || name[at] > most)
			return false;
	}
	return len == 4 || len == 6;
}
