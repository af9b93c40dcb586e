/* SPDX-License-Identifier: ISC */
/* The files that each agent needs for Muxbus, and functions that print, write and clean one. */
#pragma once

#include "base/base.h"

enum setup_scope {
	SETUP_USER, /* all sessions of this user */
	SETUP_PROJECT, /* sessions in the current directory */
	SETUP_SCOPE_COUNT_,
};

enum setup_kind {
	SETUP_SET, /* set a member, or a key of a table */
	SETUP_PRESET, /* as SETUP_SET, unless the member exists */
	SETUP_ELEMENT, /* set an element of an array, found by its mark */
};

#define SETUP_STEPS_MAX 16
#define SETUP_NAMES_MAX 4
#define SETUP_FILES_MAX 4
#define SETUP_AGENTS_MAX 8

/* In values, @ is the program, $ the program as a shell word, % the folder of integrations. */
struct setup_step {
	enum setup_kind kind;
	const char *path[SETUP_NAMES_MAX + 1]; /* of a member; in TOML a table and a key */
	const char *value; /* JSON, or TOML on one line */
	const char *mark; /* text by which the element is found; other elements have none */
};

struct setup_file {
	/* Path below the agent's folder or the project; NULL if it has no file in this scope. */
	const char *paths[SETUP_SCOPE_COUNT_];
	bool is_toml;
	/*
	 * If the file is wholly ours: its source, below the folder of integrations, and a text that
	 * each version of it contains. NULL: the file is the agent's, and is edited by steps.
	 */
	const char *source, *mark;
	/* File in the same directory that the agent prefers if it exists, or NULL. */
	const char *rival;
	struct setup_step steps[SETUP_STEPS_MAX]; /* ended by a step without a value */
	/* Members or tables that are wholly ours, ended by an entry without names. */
	const char *own[3][SETUP_NAMES_MAX + 1];
};

struct setup_agent {
	const char *name;
	const char *title; /* such as "Claude Code" */
	const char *home_variable; /* variable with the path of the agent's folder, or NULL */
	const char *home; /* the agent's folder below $HOME, if the variable has no absolute path */
	/* NULL, or a file that mentions muxbus if that is installed there as an extension. */
	const char *elsewhere;
	/* The first file has a path for the user. Unused entries at the end have no paths. */
	struct setup_file files[SETUP_FILES_MAX];
	const char *next; /* next steps to print; % stands for the folder of integrations */
};

/* All agents, sorted by name; ended by one without a name. */
extern const struct setup_agent setup_agents[SETUP_AGENTS_MAX];

const struct setup_agent *setup_agent_find(const char *name);

enum setup_action { SETUP_PRINT, SETUP_WRITE, SETUP_REMOVE };

enum setup_state {
	SETUP_ABSENT, /* no file has settings of muxbus */
	SETUP_PARTIAL, /* settings are missing, or differ from those of this version */
	SETUP_COMPLETE,
};

struct setup {
	const struct setup_agent *agent;
	enum setup_action action;
	enum setup_scope scope;
	const char *tools; /* a set of tools, such as "coding"; NULL: the default set */
	char command[PATH_MAX]; /* "muxbus", or our path if PATH has none or another */
};

/* Initialises setup for the user, without an agent, with our command. Returns false with errno. */
bool setup_init(struct setup *setup);

/* The sets of tools, NULL-terminated. */
extern const char *const setup_tools[];

/*
 * Returns true if the agent is in PATH or its folder exists. ret_path is its program, else its
 * folder, which may be missing; "" if there is no home directory.
 */
bool setup_is_installed(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints a line that may contain an untrusted path. */
void setup_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

const char *setup_integrations(void); /* the folder of integrations: Muxbus' files for agents */

/* Writes the path of a file. Returns false if it is too long, or if a directory is unknown. */
bool setup_place(const struct setup *setup, const char *path, char *out, size_t size);

/*
 * Returns how far the agent is set up in this scope. ret_path is the first file that lacks
 * settings, else one that has them; "" if there is none.
 */
enum setup_state setup_look(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints what setup would write to a new file, or which file it would copy. */
void setup_print_file(const struct setup *setup, const struct setup_file *file, const char *path);

/* Reads, edits and writes or removes one file, and reports the result. False after an error. */
bool setup_change_file(const struct setup *setup, const struct setup_file *file, const char *path);
