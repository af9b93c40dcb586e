/* SPDX-License-Identifier: ISC */
/*
 * The configuration that each agent needs for Muxbus: files, members, values; and one file of an
 * agent that muxbus setup prints, writes, or cleans.
 */
#pragma once

#include "base/base.h"

enum setup_scope {
	SETUP_USER, /* all sessions of this user */
	SETUP_PROJECT, /* sessions in the current directory */
	SETUP_SCOPE_COUNT_,
};

enum setup_kind {
	SETUP_SET, /* a member, or a key of the table */
	SETUP_PRESET, /* the same, unless it exists already */
	SETUP_ELEMENT, /* of an array, identified by mark */
};

#define SETUP_STEPS_MAX 16
#define SETUP_NAMES_MAX 4
#define SETUP_FILES_MAX 4
#define SETUP_AGENTS_MAX 8

/*
 * One setting of a file. In values @ stands for the program, $ for the program as a shell word, %
 * for the folder of integrations.
 */
struct setup_step {
	enum setup_kind kind;
	const char *path[SETUP_NAMES_MAX + 1]; /* of a member; or a table of TOML, and a key */
	const char *value; /* JSON, or TOML on one line */
	const char *mark; /* of an element: text that only this element contains */
};

struct setup_file {
	/* Its path, below the agent's folder or the project; NULL: not in this scope. */
	const char *paths[SETUP_SCOPE_COUNT_];
	bool is_toml;
	/*
	 * A file that is ours as a whole is a copy of this one, below the folder of integrations;
	 * every version of it contains mark. NULL: a file of the agent's, with steps.
	 */
	const char *source;
	const char *mark;
	/* If this file exists beside it, the agent reads it instead. NULL: there is none. */
	const char *rival;
	struct setup_step steps[SETUP_STEPS_MAX]; /* ended by a step without a value */
	/* The members, or the table, that are ours as a whole; ended by an entry without names. */
	const char *own[3][SETUP_NAMES_MAX + 1];
};

struct setup_agent {
	const char *name;
	const char *title; /* "Claude Code" */
	const char *home_variable; /* contains the path of its folder; or NULL */
	const char *home; /* its folder otherwise, below $HOME */
	/* A file below its folder that mentions muxbus if the agent has it as an extension. */
	const char *elsewhere;
	/* The first has a path for the user; the last ones may have no paths. */
	struct setup_file files[SETUP_FILES_MAX];
	const char *next; /* next steps for the user; % stands for the folder of integrations */
};

/* All agents, sorted by name, ended by one without a name. */
extern const struct setup_agent setup_agents[SETUP_AGENTS_MAX];

const struct setup_agent *setup_agent_find(const char *name);

enum setup_action { SETUP_PRINT, SETUP_WRITE, SETUP_REMOVE };

enum setup_state {
	SETUP_ABSENT, /* no file contains anything of muxbus */
	SETUP_PARTIAL, /* settings are missing, or come from another version */
	SETUP_COMPLETE,
};

struct setup {
	const struct setup_agent *agent;
	enum setup_action action;
	enum setup_scope scope;
	const char *tools; /* a word for a set of tools: "coding"; NULL: the default ones */
	char command[PATH_MAX]; /* "muxbus", or its path if PATH does not lead to it */
};

/*
 * No agent, for the user, and the command that agents can run: the name if PATH leads to this
 * program, else its path. Returns false with errno.
 */
bool setup_init(struct setup *setup);

/* The words for sets of tools, NULL-terminated. */
extern const char *const setup_tools[];

/* Whether the agent is in PATH, or else its folder exists; the path of the one or the other, or "". */
bool setup_is_installed(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints a line that may contain an untrusted path. */
void setup_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The directory of the installed integrations. */
const char *setup_integrations(void);

/* The path of a file. Returns false if it is too long, or without a home directory. */
bool setup_place(const struct setup *setup, const char *path, char *out, size_t size);

/*
 * How far the agent is set up in this scope. The path is of the first file that lacks settings,
 * else of the file that has them; "" if no path can be built.
 */
enum setup_state setup_look(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints the settings that a file needs. */
void setup_print_file(const struct setup *setup, const struct setup_file *file, const char *path);

/* Reads, edits and writes one file, and reports the result. */
bool setup_change_file(const struct setup *setup, const struct setup_file *file, const char *path);
