/* SPDX-License-Identifier: ISC */
/* muxbus completion: prints the completion script of a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/verbs.h"
#include "completion_scripts.h"

/* The files of contrib/completions, as they are. */
static const struct {
	const char *shell;
	const char *script;
} scripts[] = {
    {"bash", completion_bash},
    {"fish", completion_fish},
    {"zsh", completion_zsh},
};

enum cli_status completion_run(struct cli *cli, int argc, char **argv)
{
	static const struct option_row options[] = {{"", 0, OPTION_TEXT, 0, NULL}, {0}};
	const char *shell = NULL;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &shell, NULL, &status))
		return status;
	if (shell == NULL)
		return cli_usage("completion", "a shell is missing: bash, fish or zsh");
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		if (strcmp(scripts[i].shell, shell) != 0)
			continue;
		(void)fputs(scripts[i].script, stdout); /* cli_flush() checks */
		return cli_flush(CLI_DONE);
	}
	return cli_usage(
	    "completion", "there is no script for \"%s\", but for bash, fish and zsh", shell);
}
