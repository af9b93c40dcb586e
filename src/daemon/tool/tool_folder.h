/* SPDX-License-Identifier: ISC */
/*
 * The folders of declared tools: the shipped one, and the user's, whose tools replace shipped ones
 * of the same name. Both are read again when they change. A file that cannot be used is an entry
 * with the reason.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/tool/declaration.h"

#define TOOLS_MAX 256 /* maximum number; further files are ignored, with a warning in the log */

enum tool_state {
	TOOL_LISTED,
	TOOL_HIDDEN, /* the tool's program or a needed one is missing */
	TOOL_BROKEN, /* the file or its program cannot be used: see reason */
};
extern const char *const tool_state_names[];

struct tool {
	struct method method; /* must be the first member; without a name if the tool is broken */
	struct list link;
	size_t uses; /* number of requests that use the row now */
	char *file; /* path of the declaration */
	char *dir; /* folder of the declaration */
	/* name of the tool; if the declaration is not valid, of the file without ".json" */
	char *name;
	struct declaration *declaration; /* NULL: not valid */
	enum tool_state state;
	char *reason; /* why the tool is in this state; or NULL */
};

struct tool_folder_parts {
	struct event_base *base;
	/* Handles a call of any declared tool: see struct method. */
	void (*handle)(struct request *request, const void *args);
	void (*changed)(void *data); /* called when the listed tools have changed */
	void *data;
};

/* Reads the folders. A folder that does not exist counts as empty. */
struct tool_folder *tool_folder_new(const struct tool_folder_parts *parts);
void tool_folder_free(struct tool_folder *folder);

/*
 * Reads the folders again, as programs may have been installed since. Does nothing while a file is
 * being written, as both folders are read after that.
 */
void tool_folder_read(struct tool_folder *folder);

/* Sets a function that is called after each reading, for the other files in the folders. */
void tool_folder_set_read(struct tool_folder *folder, void (*read)(void *data), void *data);

/*
 * Returns the path of a folder; at 0: the shipped one, 1: the user's. NULL: it does not exist,
 * others can write to it, or 1 is the same as 0.
 */
const char *tool_folder_path(const struct tool_folder *folder, size_t at);

/* Walks through the tools, sorted by name. Begin with NULL; returns NULL at the end. */
const struct tool *tool_next(const struct tool_folder *folder, const struct tool *previous);

/* Returns the tool of a method, which must be a row of a tool_folder. */
const struct tool *tool_of(const struct method *method);
