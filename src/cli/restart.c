/* SPDX-License-Identifier: ISC */
/* muxbus restart: ends a job if it runs, and starts its command again. */
#include <string.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/show.h"
#include "cli/verbs.h"
#include "wire/json.h"

enum {
	PARAMS_MAX = 4096,
	RESTART_MS = 30000, /* the job may take 5 s to end */
};

enum cli_status restart_run(struct cli *cli, int argc, char **argv)
{
	struct option_reader reader;
	const char *word, *job = NULL;
	const struct json *result;
	struct json_writer writer;
	enum cli_status status;
	enum option_read read;
	struct buf params;
	struct link *link;
	option_start(&reader, cli, argc, argv);
	while ((read = option_next(&reader, &word)) != OPTION_END) {
		if (read == OPTION_WORD && job == NULL)
			job = word;
		else if (read == OPTION_WORD)
			return cli_usage("restart", "one job at a time, not \"%s\" too", word);
		else if (cli_help("restart", word))
			return CLI_DONE;
		else
			return option_unknown(&reader);
	}
	if (job == NULL)
		return cli_usage("restart", "a job is missing: its id or name");
	link = ask_connect(cli, true);
	if (link == NULL)
		return CLI_UNREACHABLE;
	buf_init(&params, PARAMS_MAX);
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	(void)json_put_text(&writer, "job", job, strlen(job));
	json_object_end(&writer);
	status = ask_result(link, "restart_job", (const char *)params.data, RESTART_MS, &result);
	if (status == CLI_DONE)
		show_result(cli, "restart_job", result);
	buf_finish(&params);
	link_close(link);
	return status;
}
