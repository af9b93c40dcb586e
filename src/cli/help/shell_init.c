/* SPDX-License-Identifier: ISC */
/*
 * muxbus shell-init and muxbus completion: print scripts for the rc file of a shell. The first
 * marks the commands of the shell (OSC 133), the second completes words. make puts the scripts into
 * completion_scripts.h.
 */
#include "cli/verb.h"
#include "completion_scripts.h"

static const struct script {
	const char *shell, *completion, *marks;
} scripts[] = {
    {"bash", completion_bash, shell_init_bash},
    {"fish", completion_fish, shell_init_fish},
    {"zsh", completion_zsh, shell_init_zsh},
};

static enum cli_status print(struct cli *cli, int argc, char **argv, bool wants_marks)
{
	static const struct option_row options[] = {{"", 0, OPTION_TEXT, 0, NULL}, {0}};
	const char *shell = NULL;
	const struct script *script;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &shell, NULL, &status))
		return status;
	if (shell == NULL)
		return cli_usage(argv[0], "a shell is missing: bash, fish or zsh");
	script = str_row(scripts, shell);
	if (script == NULL)
		return cli_usage(
		    argv[0], "there is no script for \"%s\", but for bash, fish and zsh", shell);
	(void)fputs(wants_marks ? script->marks : script->completion, stdout);
	return cli_flush(CLI_DONE);
}

enum cli_status completion_run(struct cli *cli, int argc, char **argv)
{
	return print(cli, argc, argv, false);
}

enum cli_status shell_init_run(struct cli *cli, int argc, char **argv)
{
	return print(cli, argc, argv, true);
}
