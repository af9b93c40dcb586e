/* SPDX-License-Identifier: ISC */
/* muxbus setup: adds Muxbus to the configuration files of an agent. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"
#include "cli/screen_text.h"
#include "cli/setup_file.h"
#include "cli/verbs.h"

static void say_next(const struct setup *setup)
{
	const char *at = setup->agent->next;
	(void)putchar('\n');
	for (; *at; at++) {
		if (*at == '%')
			screen_print_line(stdout, setup_integrations());
		else
			(void)putchar(*at);
	}
	(void)putchar('\n');
}

/* Chooses the command for agents: the name if PATH leads to us, else the path. */
static bool find_command(struct setup *setup)
{
	char found[PATH_MAX], real[PATH_MAX], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	bool is_ours;
	if (len <= 0)
		return false;
	self[len] = '\0';
	is_ours = program_find_in_path("muxbus", found, sizeof found) &&
	    realpath(found, real) != NULL && strcmp(real, self) == 0;
	(void)snprintf(setup->command, sizeof setup->command, "%s", is_ours ? "muxbus" : self);
	return true;
}

static enum cli_status run(const struct setup *setup)
{
	char path[PATH_MAX];
	bool is_done = true;
	for (size_t i = 0; i < 2; i++) {
		const struct setup_file *file = &setup->agent->files[i];
		if (file->paths[setup->scope] == NULL)
			continue;
		if (!setup_place(setup, file->paths[setup->scope], path, sizeof path)) {
			cli_error("%s: $HOME is not an absolute path", file->paths[setup->scope]);
			return CLI_NO;
		}
		if (setup->action == SETUP_PRINT) {
			if (i > 0)
				(void)putchar('\n');
			setup_print_file(setup, file, path);
		} else {
			is_done &= setup_change_file(setup, file, path);
		}
	}
	if (!is_done) {
		cli_error(
		    "`muxbus setup %s` prints the settings, to paste by hand", setup->agent->name);
		return CLI_NO;
	}
	if (setup->action == SETUP_PRINT)
		(void)printf(
		    "\nThe files need these settings; `muxbus setup %s --write` merges them "
		    "into them.\n",
		    setup->agent->name);
	else if (setup->action == SETUP_WRITE)
		say_next(setup);
	return CLI_DONE;
}

static bool read_option(struct setup *setup, const char *arg)
{
	static const struct {
		const char *arg;
		enum setup_action action;
	} actions[] = {
	    {"--print", SETUP_PRINT}, {"--write", SETUP_WRITE}, {"--remove", SETUP_REMOVE}};
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(arg, actions[i].arg) == 0) {
			setup->action = actions[i].action;
			return true;
		}
	}
	if (strcmp(arg, "--scope=user") == 0)
		setup->scope = SETUP_USER;
	else if (strcmp(arg, "--scope=project") == 0)
		setup->scope = SETUP_PROJECT;
	else
		return false;
	return true;
}

enum cli_status setup_run(struct cli *cli, int argc, char **argv)
{
	struct setup setup = {0};
	for (int i = 1; i < argc; i++) {
		if (cli_help("setup", argv[i]))
			return CLI_DONE;
		if (read_option(&setup, argv[i]) || cli_option(cli, argv[i]))
			continue;
		if (argv[i][0] == '-' || setup.agent != NULL)
			return cli_usage("setup", "unexpected argument \"%s\"", argv[i]);
		setup.agent = setup_agent_find(argv[i]);
		if (setup.agent == NULL)
			return cli_usage("setup",
			    "unknown agent \"%s\"; choose claude, codex, copilot, gemini or "
			    "opencode",
			    argv[i]);
	}
	if (setup.agent == NULL)
		return cli_usage(
		    "setup", "an agent is missing: claude, codex, copilot, gemini or opencode");
	if (!find_command(&setup)) {
		cli_error("/proc/self/exe: %s", strerror(errno));
		return CLI_NO;
	}
	return cli_flush(run(&setup));
}
