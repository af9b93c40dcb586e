/* SPDX-License-Identifier: ISC */
/* muxbus completion: prints the completion script of a shell. */
#include <stdio.h>
#include <string.h>

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
	const char *shell = NULL;
	for (int i = 1; i < argc; i++) {
		if (cli_help("completion", argv[i]))
			return CLI_DONE;
		if (cli_option(cli, argv[i]))
			continue;
		if (shell != NULL)
			return cli_usage("completion", "one shell only");
		shell = argv[i];
	}
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
