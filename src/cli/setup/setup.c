/* SPDX-License-Identifier: ISC */
/* muxbus setup: adds Muxbus to the configuration files of agents, or removes it, or prints how. */
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
							  : "there is no home directory");
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
	char path[PATH_MAX]; /* of the agent's program, else of its folder */
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

/* Asks on the terminal. An answer that begins with y or Y means yes. */
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

struct setup_verb {
	bool prints, writes, removes, installs, is_sure;
	const char *agent, *scope, *tools;
	const char *group; /* of tools to install; NULL: the set of --tools */
};

static bool take_install(void *data, const struct option_row *row, const char *value)
{
	struct setup_verb *verb = data;
	(void)row;
	verb->installs = true;
	verb->group = value;
	return true;
}

static const struct option_row rows[] = {
    {"print", 0, OPTION_FLAG, offsetof(struct setup_verb, prints), NULL},
    {"write", 0, OPTION_FLAG, offsetof(struct setup_verb, writes), NULL},
    {"remove", 0, OPTION_FLAG, offsetof(struct setup_verb, removes), NULL},
    {"scope", 0, OPTION_TEXT, offsetof(struct setup_verb, scope), NULL},
    {"tools", 0, OPTION_TEXT, offsetof(struct setup_verb, tools), NULL},
    {"install", 0, OPTION_TAKE_GIVEN, 0, take_install},
    {"yes", 0, OPTION_FLAG, offsetof(struct setup_verb, is_sure), NULL},
    {"", 0, OPTION_TEXT, offsetof(struct setup_verb, agent), NULL},
    {0},
};

/* Replaces this program by the installer of declared tools. Returns only if that fails. */
static enum cli_status install_tools(const struct setup_verb *verb)
{
	static const char *const places[] = {"tools", "../tools"};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		(void)snprintf(
		    path, sizeof path, "%s/%s/install_tools", setup_integrations(), places[i]);
		(void)execl(path, path, verb->group != NULL ? verb->group : verb->tools,
		    verb->is_sure ? "--yes" : NULL, (char *)NULL);
		if (errno != ENOENT)
			break;
	}
	return errno == ENOENT
	    ? cli_fail(CLI_NO, "%s is not installed; `make install` does that", path)
	    : cli_fail(CLI_NO, "%s: %s", path, strerror(errno));
}

static enum cli_status read_words(struct setup *setup, const struct setup_verb *verb)
{
	if (verb->prints + verb->writes + verb->removes > 1)
		return cli_usage("setup", "--print, --write and --remove exclude each other");
	setup->action = verb->removes                           ? SETUP_REMOVE
	    : verb->writes || (verb->installs && !verb->prints) ? SETUP_WRITE
								: SETUP_PRINT;
	if (verb->scope != NULL && strcmp(verb->scope, "project") == 0)
		setup->scope = SETUP_PROJECT;
	else if (verb->scope != NULL && strcmp(verb->scope, "user") != 0)
		return cli_usage(
		    "setup", "--scope: choose user or project, not \"%s\"", verb->scope);
	if (verb->tools != NULL && !str_is_in(verb->tools, setup_tools))
		return cli_usage(
		    "setup", "--tools: choose coding or assistant, not \"%s\"", verb->tools);
	setup->tools = verb->tools;
	setup->agent = verb->agent != NULL ? setup_agent_find(verb->agent) : NULL;
	if (verb->agent != NULL && setup->agent == NULL)
		return cli_usage("setup", "unknown agent \"%s\"; choose %s", verb->agent, names);
	if (setup->tools != NULL && setup->agent != NULL && setup->scope == SETUP_USER &&
	    strcmp(setup->agent->name, "claude") == 0)
		return cli_usage("setup",
		    "the plugin of Claude Code has the default tools: --scope=project chooses "
		    "others");
	if (verb->installs && verb->group == NULL && verb->tools == NULL)
		return cli_usage("setup",
		    "--install needs --tools=coding or --tools=assistant, or --install=GROUP");
	return CLI_DONE;
}

enum cli_status setup_run(struct cli *cli, int argc, char **argv)
{
	static struct setup setup;
	struct setup_verb verb = {0};
	enum cli_status status;
	if (!setup_init(&setup))
		return cli_fail(CLI_NO, "/proc/self/exe: %s", strerror(errno));
	if (!option_read(cli, argc, argv, rows, &verb, NULL, &status))
		return status;
	status = read_words(&setup, &verb);
	if (status != CLI_DONE)
		return status;
	if (setup.agent != NULL)
		say_if_missing(&setup);
	if (setup.agent != NULL)
		status = run(&setup);
	else if (!verb.installs)
		status = run_all(&setup, verb.prints || verb.writes || verb.removes);
	status = cli_flush(status);
	return verb.installs && status == CLI_DONE ? install_tools(&verb) : status;
}
