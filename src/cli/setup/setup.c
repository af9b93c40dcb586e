/* SPDX-License-Identifier: ISC */
/* muxbus setup: adds Muxbus to the configuration files of an agent. */
#include "cli/setup/setup_file.h"
#include "cli/verb.h"

static void say_next(const struct setup *setup)
{
	const char *at = setup->agent->next;
	(void)putchar('\n');
	for (; *at; at++)
		if (*at == '%')
			screen_print_line(stdout, setup_integrations());
		else
			(void)putchar(*at);
	(void)putchar('\n');
}

/* Warns if the agent is not installed. Setting it up first is allowed, but may be a mistake. */
static void say_if_missing(const struct setup *setup)
{
	char path[PATH_MAX];
	/* Without a home directory, `path` is empty, which setup_place() reports. */
	if (setup->action != SETUP_REMOVE && !setup_is_installed(setup, path) && *path == '/')
		cli_error("%s is not installed: there is no %s in PATH, nor the folder %s",
		    setup->agent->title, setup->agent->name, path);
}

static enum cli_status run(const struct setup *setup)
{
	char path[PATH_MAX];
	bool is_done = true;
	size_t printed = 0;
	for (size_t i = 0; i < SETUP_FILES_MAX; i++) {
		const struct setup_file *file = &setup->agent->files[i];
		if (file->paths[setup->scope] == NULL)
			continue;
		if (!setup_place(setup, file->paths[setup->scope], path, sizeof path))
			return cli_fail(CLI_NO, "%s: %s", file->paths[setup->scope],
			    setup->scope == SETUP_PROJECT ? "the current directory was removed"
							  : "$HOME is not an absolute path");
		if (setup->action == SETUP_PRINT) {
			if (printed++ > 0)
				(void)putchar('\n');
			setup_print_file(setup, file, path);
		} else {
			is_done &= setup_change_file(setup, file, path);
		}
	}
	if (!is_done)
		return cli_fail(CLI_NO, "`muxbus setup %s` prints the settings, to paste by hand",
		    setup->agent->name);
	if (setup->action == SETUP_PRINT)
		(void)printf(
		    "\nThe files need these settings; `muxbus setup %s --write` merges them "
		    "into them.\n",
		    setup->agent->name);
	else if (setup->action == SETUP_WRITE)
		say_next(setup);
	return CLI_DONE;
}

static const char names[] = "claude, codex, copilot, gemini or opencode";

static const char *state_text(enum setup_state state)
{
	static const char *const texts[] = {
	    [SETUP_ABSENT] = "not set up",
	    [SETUP_PARTIAL] = "set up in part",
	    [SETUP_COMPLETE] = "set up",
	};
	return texts[state];
}

struct installed {
	const struct setup_agent *agent;
	char path[PATH_MAX]; /* of its program or its folder */
	char file[PATH_MAX]; /* from setup_look() */
	enum setup_state state;
};

static size_t find_installed(struct setup setup, struct installed found[SETUP_AGENTS_MAX])
{
	size_t count = 0;
	for (setup.agent = setup_agents; setup.agent->name != NULL; setup.agent++) {
		struct installed *one = &found[count];
		one->agent = setup.agent;
		if (!setup_is_installed(&setup, one->path))
			continue;
		one->state = setup_look(&setup, one->file);
		count++;
	}
	return count;
}

static void list(const struct setup *setup, const struct installed *found, size_t count)
{
	const char *scope = setup->scope == SETUP_PROJECT ? " --scope=project" : "";
	size_t open = 0;
	for (size_t i = 0; i < count; i++) {
		setup_say("%-12s %-16s %s", found[i].agent->title, state_text(found[i].state),
		    found[i].state == SETUP_COMPLETE ? found[i].file : found[i].path);
		open += found[i].state != SETUP_COMPLETE;
	}
	if (open > 0)
		(void)printf("\nTo set up an agent, or all of them:\n\n");
	for (size_t i = 0; i < count; i++)
		if (found[i].state != SETUP_COMPLETE)
			(void)printf("  muxbus setup %s --write%s\n", found[i].agent->name, scope);
	if (open > 0)
		(void)printf("  muxbus setup --write%s\n", scope);
}

/* Asks on the terminal. Only an answer that begins with "y" means yes. */
static bool is_wanted(const struct installed *one)
{
	int first, c;
	(void)printf("\nSet up %s? [y/N] ", one->agent->title);
	(void)fflush(stdout);
	first = c = getchar();
	while (c != '\n' && c != EOF)
		c = getchar();
	return first == 'y' || first == 'Y';
}

/* Handles a command without the name of an agent: all installed agents. */
static enum cli_status run_all(struct setup *setup, bool has_action)
{
	static struct installed found[SETUP_AGENTS_MAX];
	size_t count = find_installed(*setup, found);
	bool asks = !has_action && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	enum cli_status status = CLI_DONE;
	if (count == 0)
		return cli_fail(CLI_NO, "no agent is installed; muxbus knows %s", names);
	if (setup->action == SETUP_PRINT)
		list(setup, found, count);
	for (size_t i = 0; i < count; i++) {
		struct setup one = *setup;
		bool is_complete = found[i].state == SETUP_COMPLETE;
		one.agent = found[i].agent;
		if (asks && !is_complete && is_wanted(&found[i]))
			one.action = SETUP_WRITE;
		if (one.action == SETUP_PRINT)
			continue;
		if (!asks)
			(void)printf("%s%s:\n", i > 0 ? "\n" : "", one.agent->title);
		if (one.action == SETUP_WRITE && is_complete)
			setup_say("%s: contains everything already", found[i].file);
		else if (run(&one) != CLI_DONE)
			status = CLI_NO;
	}
	return status;
}

struct install {
	bool is_asked, is_sure;
	const char *group; /* NULL: the set of --tools */
};

static bool read_install(struct install *install, const char *arg)
{
	static const char option[] = "--install";
	size_t len = strlen(option);
	if (strcmp(arg, "--yes") == 0) {
		install->is_sure = true;
		return true;
	}
	if (strncmp(arg, option, len) != 0 || (arg[len] != '\0' && arg[len] != '='))
		return false;
	install->is_asked = true;
	install->group = arg[len] == '=' ? arg + len + 1 : NULL;
	return true;
}

/* Executes the installer in the folder of the declared tools. It asks before it installs. */
static enum cli_status install_tools(const struct install *install, const char *group)
{
	static const char *const places[] = {"tools", "../tools"};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		(void)snprintf(
		    path, sizeof path, "%s/%s/install_tools", setup_integrations(), places[i]);
		(void)execl(path, path, group, install->is_sure ? "--yes" : NULL, (char *)NULL);
		if (errno != ENOENT)
			break;
	}
	return errno == ENOENT
	    ? cli_fail(CLI_NO, "%s is not installed; `make install` does that", path)
	    : cli_fail(CLI_NO, "%s: %s", path, strerror(errno));
}

/* Reads --scope or --tools. Returns the choices if the value is none of them, else "". */
static const char *read_choice(struct setup *setup, const char *arg)
{
	const char *value = arg[7] == '=' ? arg + 8 : "";
	bool is_project = strcmp(value, "project") == 0;
	if (strncmp(arg, "--scope", 7) == 0) {
		setup->scope = is_project ? SETUP_PROJECT : SETUP_USER;
		return is_project || strcmp(value, "user") == 0 ? "" : "user or project";
	}
	setup->tools = value;
	return str_is_in(value, setup_tools) ? "" : "coding or assistant";
}

static bool read_action(struct setup *setup, const char *arg, bool *ret_has_action)
{
	static const struct {
		const char *arg;
		enum setup_action action;
	} actions[] = {
	    {"--print", SETUP_PRINT}, {"--write", SETUP_WRITE}, {"--remove", SETUP_REMOVE}};
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(arg, actions[i].arg) == 0) {
			if (*ret_has_action && setup->action != actions[i].action)
				return false; /* the actions exclude each other */
			setup->action = actions[i].action;
			*ret_has_action = true;
			return true;
		}
	}
	return false;
}

enum cli_status setup_run(struct cli *cli, int argc, char **argv)
{
	static struct setup setup;
	struct install install = {0};
	enum cli_status status = CLI_DONE;
	bool has_action = false;
	if (!setup_init(&setup))
		return cli_fail(CLI_NO, "/proc/self/exe: %s", strerror(errno));
	for (int i = 1; i < argc; i++) {
		bool is_choice =
		    strncmp(argv[i], "--scope", 7) == 0 || strncmp(argv[i], "--tools", 7) == 0;
		const char *choices = is_choice ? read_choice(&setup, argv[i]) : "";
		if (cli_help("setup", argv[i]))
			return CLI_DONE;
		if (*choices != '\0')
			return cli_usage("setup", "\"%s\": choose %s", argv[i], choices);
		if (is_choice || read_action(&setup, argv[i], &has_action) ||
		    read_install(&install, argv[i]) || cli_option(cli, argv[i]))
			continue;
		if (argv[i][0] == '-' || setup.agent != NULL)
			return cli_usage("setup", "unexpected argument \"%s\"", argv[i]);
		setup.agent = setup_agent_find(argv[i]);
		if (setup.agent == NULL)
			return cli_usage(
			    "setup", "unknown agent \"%s\"; choose %s", argv[i], names);
	}
	if (setup.tools != NULL && setup.agent != NULL && setup.scope == SETUP_USER &&
	    strcmp(setup.agent->name, "claude") == 0)
		return cli_usage("setup",
		    "the plugin of Claude Code has the default tools: --scope=project chooses "
		    "others");
	if (install.is_asked && install.group == NULL && setup.tools == NULL)
		return cli_usage("setup",
		    "--install needs --tools=coding or --tools=assistant, or --install=GROUP");
	if (install.is_asked && !has_action)
		setup.action = SETUP_WRITE;
	if (setup.agent != NULL)
		say_if_missing(&setup);
	if (setup.agent != NULL)
		status = run(&setup);
	else if (!install.is_asked)
		status = run_all(&setup, has_action);
	status = cli_flush(status);
	return install.is_asked && status == CLI_DONE
	    ? install_tools(&install, install.group != NULL ? install.group : setup.tools)
	    : status;
}
