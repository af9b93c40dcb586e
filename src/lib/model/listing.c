/* SPDX-License-Identifier: ISC */
#include "lib/model/listing.h"

#include "base/hash.h"
#include "lib/library.h"
#include "lib/model/fields.h"
#include "lib/model/merge.h"
#include "lib/model/model.h"
#include "lib/stream/parser.h"

/* Maximum number of commands in a listing: one for each id, and those without an id. */
#define STEPS_MAX (4 * PARTS_IDS_MAX + 6)

struct listing_reading {
	struct listing *listing;
	const struct parts *parts;
	const struct muxbus_model *before; /* may be NULL if the whole server is listed */
	struct map groups; /* maps the hash of a group's name to a number, from 1 */
	struct fields_target target;
	struct merge_read read;
	struct muxbus_link links[PARTS_IDS_MAX]; /* one link of each window that was read */
};

static uint32_t number_group(struct listing_reading *reading, const char *name)
{
	uint64_t key = hash_bytes(name, strlen(name));
	uintptr_t number = (uintptr_t)map_get(&reading->groups, key);
	if (number != 0)
		return (uint32_t)number;
	number = reading->groups.count + 1;
	if (map_set(&reading->groups, key, (void *)number) != 0)
		model_fail(reading->listing->model);
	return (uint32_t)number;
}

static int end_line(int error, const char *const *line)
{
	return error == 0 && *line != NULL ? MUXBUS_ERR_SYNTAX : error;
}

static int read_session(struct listing_reading *reading, const char **line, const char *end,
    struct session_record *ret_record)
{
	int error;
	*ret_record = (struct session_record){
	    .session = {.current_window = MUXBUS_NO_ID, .group = MUXBUS_NO_ID},
	};
	error = fields_read(&reading->target, session_fields, line, end, ret_record);
	if (error == 0 && ret_record->session.id == MUXBUS_NO_ID)
		error = MUXBUS_ERR_SYNTAX;
	return error;
}

static void take_session(struct listing_reading *reading, const struct session_record *record)
{
	reading->listing->version = record->version;
	reading->listing->exit_unattached |= record->exit_unattached;
	reading->listing->has_hook |= record->has_hook;
	model_add_session(reading->listing->model, &record->session);
}

static int add_session(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct session_record record;
	int error = end_line(read_session(reading, &line, end, &record), &line);
	if (error != 0)
		return error;
	if (record.group[0] != '\0')
		record.session.group = number_group(reading, record.group);
	take_session(reading, &record);
	return 0;
}

static int read_link(struct listing_reading *reading, const char **line, const char *end,
    struct muxbus_link *ret_link)
{
	int error;
	*ret_link = (struct muxbus_link){.window = MUXBUS_NO_ID, .session = MUXBUS_NO_ID};
	error = fields_read(&reading->target, link_fields, line, end, ret_link);
	if (error == 0 && (ret_link->window == MUXBUS_NO_ID || ret_link->session == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	return error;
}

static void take_link(struct listing_reading *reading, const struct muxbus_link *link)
{
	if (muxbus_model_window(reading->before, link->window) == NULL &&
	    !part_ids_have(&reading->parts->windows, link->window))
		parts_add_window(&reading->listing->more, link->window);
	else
		model_add_link(reading->listing->model, link);
}

static int add_link(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct muxbus_link link;
	int error = end_line(read_link(reading, &line, end, &link), &line);
	if (error == 0)
		take_link(reading, &link);
	return error;
}

/* If the session is new in its group, lists the whole server next, to number the group. */
static int add_session_link(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	const struct muxbus_session *before;
	struct session_record record;
	struct muxbus_link link;
	int error = read_session(reading, &line, end, &record);
	if (error == 0)
		error = end_line(read_link(reading, &line, end, &link), &line);
	if (error != 0)
		return error;
	before = muxbus_model_session(reading->before, record.session.id);
	if (record.group[0] != '\0') {
		if (before == NULL || before->group == MUXBUS_NO_ID)
			reading->listing->more.all = true;
		else
			record.session.group = before->group;
	}
	take_session(reading, &record);
	take_link(reading, &link);
	return 0;
}

static int read_window(struct listing_reading *reading, const char **line, const char *end,
    struct window_record *ret_record)
{
	int error;
	*ret_record = (struct window_record){.window = {.active_pane = MUXBUS_NO_ID}};
	error = fields_read(&reading->target, window_fields, line, end, ret_record);
	if (error == 0 &&
	    (ret_record->link.window == MUXBUS_NO_ID || ret_record->link.session == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	ret_record->window.id = ret_record->link.window;
	return error;
}

static int add_window(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct window_record record;
	int error = end_line(read_window(reading, &line, end, &record), &line);
	if (error != 0)
		return error;
	model_add_window(reading->listing->model, &record.window);
	model_add_link(reading->listing->model, &record.link);
	return 0;
}

static int read_pane(struct listing_reading *reading, const struct format_field *fields,
    const char **line, const char *end, struct muxbus_pane *ret_pane)
{
	int error;
	*ret_pane = (struct muxbus_pane){.command = "", .path = "", .exit_status = -1};
	error = fields_read(&reading->target, fields, line, end, ret_pane);
	if (error == 0 && (ret_pane->id == MUXBUS_NO_ID || ret_pane->window == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	if (!ret_pane->is_dead || ret_pane->exit_signal != 0)
		ret_pane->exit_status = -1;
	return error;
}

static int take_pane(struct listing_reading *reading, const struct format_field *fields,
    const char *line, const char *end)
{
	struct muxbus_pane pane;
	int error = end_line(read_pane(reading, fields, &line, end, &pane), &line);
	if (error == 0)
		model_add_pane(reading->listing->model, &pane);
	return error;
}

static int add_pane(void *data, const char *line, const char *end)
{
	return take_pane(data, pane_fields, line, end);
}

static int add_bare_pane(void *data, const char *line, const char *end)
{
	return take_pane(data, bare_pane_fields, line, end);
}

/*
 * tmux does not announce that windows were swapped. So if the link is unknown, lists the sessions
 * of the window's known links next.
 */
static void doubt_links(struct listing_reading *reading, const struct muxbus_link *now)
{
	const struct muxbus_link *link = model_first_link(reading->before, now->window);
	if (reading->parts->tree || model_link(reading->before, now->session, now->window) != NULL)
		return;
	for (; link != NULL; link = model_next_window_link(reading->before, link))
		parts_add_session(&reading->listing->more, link->session);
}

/* Lists the whole server next if the link's session is unknown, or after too many windows. */
static void take_window(struct listing_reading *reading, const struct window_record *record)
{
	struct merge_read *read = &reading->read;
	const struct muxbus_link *link = &record->link;
	if (read->link_count > 0 && reading->links[read->link_count - 1].window == link->window)
		return; /* the record of another pane of this window */
	if (read->link_count == PARTS_IDS_MAX ||
	    (!reading->parts->tree &&
		muxbus_model_session(reading->before, link->session) == NULL)) {
		reading->listing->more.all = true;
		return;
	}
	doubt_links(reading, link);
	reading->links[read->link_count++] = *link;
	model_add_window(reading->listing->model, &record->window);
	model_add_link(reading->listing->model, link);
}

static int add_window_pane(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct window_record record;
	struct muxbus_pane pane;
	int error = read_window(reading, &line, end, &record);
	if (error == 0)
		error = end_line(read_pane(reading, pane_fields, &line, end, &pane), &line);
	if (error != 0)
		return error;
	take_window(reading, &record);
	if (map_set(&reading->read.panes, pane.id, reading) != 0)
		model_fail(reading->listing->model);
	model_add_pane(reading->listing->model, &pane);
	return 0;
}

static bool has_link(const struct muxbus_model *model, const struct pane_detail *detail)
{
	const struct muxbus_link *link = model_first_link(model, detail->window);
	while (link != NULL &&
	    (link->session != detail->session || link->index != detail->window_index))
		link = model_next_window_link(model, link);
	return link != NULL;
}

static int read_detail(struct listing_reading *reading, const struct format_field *fields,
    const char *line, const char *end, struct pane_detail *ret_detail)
{
	int error;
	*ret_detail = (struct pane_detail){.pane = MUXBUS_NO_ID, .window = MUXBUS_NO_ID};
	error = end_line(fields_read(&reading->target, fields, &line, end, ret_detail), &line);
	if (error == 0 && (ret_detail->pane == MUXBUS_NO_ID || ret_detail->window == MUXBUS_NO_ID))
		error = MUXBUS_ERR_SYNTAX;
	return error;
}

static void list_unread_window(struct listing_reading *reading, uint32_t window)
{
	if (!part_ids_have(&reading->parts->windows, window))
		parts_add_window(&reading->listing->more, window);
}

/* Lists windows next if a pane is new or its place differs, and all links if a link is missing. */
static void compare_detail(struct listing_reading *reading, const struct pane_detail *detail)
{
	const struct muxbus_pane *pane = muxbus_model_pane(reading->before, detail->pane);
	if (!reading->parts->tree && !has_link(reading->before, detail))
		reading->listing->more.tree = true;
	if (pane == NULL || pane->window != detail->window || pane->index != detail->index)
		list_unread_window(reading, detail->window);
	if (pane != NULL && pane->window != detail->window)
		list_unread_window(reading, pane->window);
}

static int compare_index(void *data, const char *line, const char *end)
{
	struct pane_detail detail;
	int error = read_detail(data, index_fields, line, end, &detail);
	if (error == 0)
		compare_detail(data, &detail);
	return error;
}

static int add_detail(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct pane_detail record, *detail;
	int error = read_detail(reading, detail_fields, line, end, &record);
	if (error != 0)
		return error;
	compare_detail(reading, &record);
	detail = mem_memdup(&record, sizeof record);
	mem_free(map_remove(&reading->read.details, record.pane));
	if (detail != NULL && map_set(&reading->read.details, record.pane, detail) == 0)
		return 0;
	mem_free(detail);
	model_fail(reading->listing->model);
	return 0;
}

/* Returns true if text is this title, maybe cut, without a '\\', which tmux may have added. */
static bool is_title(const char *title, const char *text, size_t len)
{
	size_t known = strlen(title);
	bool is_cut = len > MUXBUS_NAME_MAX && known + 4 > MUXBUS_NAME_MAX && known <= len;
	return memchr(text, '\\', len) == NULL && (known == len || is_cut) &&
	    memcmp(title, text, known) == 0;
}

/* tmux does not announce rotate-window: lists a window with another layout or size next. */
static int compare_layout(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct window_record record = {.link = {.window = MUXBUS_NO_ID}};
	const struct muxbus_window *window;
	int error =
	    end_line(fields_read(&reading->target, layout_fields, &line, end, &record), &line);
	if (error != 0)
		return error;
	window = muxbus_model_window(reading->before, record.link.window);
	if (window != NULL &&
	    (strcmp(window->layout, record.window.layout) != 0 ||
		window->width != record.window.width || window->height != record.window.height))
		list_unread_window(reading, window->id);
	return 0;
}

/* Titles are printed without encoding, which is cheap. They have no control characters. */
static int compare_title(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	const char *tab = memchr(line, '\t', (size_t)(end - line));
	const struct muxbus_pane *pane;
	uint32_t id;
	if (tab == NULL || !str_parse_id(line, (size_t)(tab - line), '%', &id))
		return MUXBUS_ERR_SYNTAX;
	pane = muxbus_model_pane(reading->before, id);
	if (pane == NULL || is_title(pane->title, tab + 1, (size_t)(end - tab - 1)))
		return 0;
	if (reading->listing->more.windows.count < PARTS_IDS_MAX)
		list_unread_window(reading, pane->window);
	else
		reading->listing->more.details = true;
	return 0;
}

/* tmux does not announce that it renumbers windows. The first or last index changes then. */
static int compare_end(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	const struct muxbus_link *known;
	struct muxbus_link link;
	int error = end_line(read_link(reading, &line, end, &link), &line);
	if (error != 0)
		return error;
	known = model_link(reading->before, link.session, link.window);
	if (known == NULL || known->index != link.index)
		parts_add_session(&reading->listing->more, link.session);
	return 0;
}

/* Compares the window of a pane. For a closed pane tmux prints another pane, which is ignored. */
static int compare_place(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct muxbus_pane pane = {.id = MUXBUS_NO_ID, .window = MUXBUS_NO_ID};
	int error = end_line(fields_read(&reading->target, place_fields, &line, end, &pane), &line);
	if (error != 0)
		return error;
	if (part_ids_have(&reading->parts->places, pane.id) &&
	    !part_ids_have(&reading->parts->windows, pane.window)) {
		parts_add_window(&reading->listing->more, pane.window);
		reading->listing->is_torn = true;
	}
	return 0;
}

static int add_client(void *data, const char *line, const char *end)
{
	struct listing_reading *reading = data;
	struct muxbus_client client = {.session = MUXBUS_NO_ID};
	int error =
	    end_line(fields_read(&reading->target, client_fields, &line, end, &client), &line);
	/* Skip a locked or suspended client, which tmux 3.7 and later do not list. */
	if (error == 0 && client.session != MUXBUS_NO_ID)
		model_add_client(reading->listing->model, &client);
	return error;
}

enum list_kind {
	LIST_SESSIONS,
	LIST_WINDOWS,
	LIST_PANES,
	LIST_CLIENTS,
	LIST_BARE_PANES, /* all panes without command and directory */
	LIST_WINDOW, /* one window with its panes */
	LIST_SESSION, /* one session with its links */
	LIST_ENDS, /* first and last link of a session */
	LIST_PLACE, /* window of a pane */
	LIST_LINKS,
	LIST_LAYOUTS,
	LIST_INDEXES,
	LIST_DETAILS,
	LIST_TITLES,
	LIST_NOTHING, /* no listing: just a reply, with the running number of tmux */
};

/* A command of a listing. add reads one record, without its letter, TAB and end mark. */
struct list_command {
	const char *command;
	const char *option; /* NULL: none */
	char sigil; /* of the listed object's id; NUL: no target */
	const char *filter; /* condition for the links of a session; NULL: the id is the target */
	const char *format_option; /* NULL: the format is the last argument */
	char letter;
	const struct format_field *fields;
	const struct format_field *more_fields; /* fields behind the first ones; NULL: none */
	int (*add)(void *data, const char *line, const char *end);
};

/*
 * Names are a letter short, as tmux completes them: a command-alias of the user may have the name.
 * A filter, not a target, chooses the links of a session: with a target, tmux up to 3.5a crashes if
 * the session is in a group and has no current window.
 */
static const struct list_command list_commands[] = {
    [LIST_SESSIONS] = {"list-session", NULL, 0, NULL, "-F", 'S', session_fields, NULL, add_session},
    [LIST_WINDOWS] = {"list-window", "-a", 0, NULL, "-F", 'W', window_fields, NULL, add_window},
    [LIST_PANES] = {"list-pane", "-a", 0, NULL, "-F", 'P', pane_fields, NULL, add_pane},
    [LIST_CLIENTS] = {"list-client", NULL, 0, NULL, "-F", 'C', client_fields, NULL, add_client},
    [LIST_BARE_PANES] = {"list-pane", "-a", 0, NULL, "-F", 'B', bare_pane_fields, NULL,
	add_bare_pane},
    [LIST_WINDOW] = {"list-pane", NULL, '@', NULL, "-F", 'V', window_fields, pane_fields,
	add_window_pane},
    [LIST_SESSION] = {"list-window", "-a", '$', "1", "-F", 'U', session_fields, link_fields,
	add_session_link},
    [LIST_ENDS] = {"list-window", "-a", '$', "#{||:#{window_start_flag},#{window_end_flag}}", "-F",
	'E', link_fields, NULL, compare_end},
    [LIST_PLACE] = {"display-message", "-p", '%', NULL, NULL, 'Q', place_fields, NULL,
	compare_place},
    [LIST_LINKS] = {"list-window", "-a", 0, NULL, "-F", 'L', link_fields, NULL, add_link},
    [LIST_LAYOUTS] = {"list-window", "-a", 0, NULL, "-F", 'Y', layout_fields, NULL, compare_layout},
    [LIST_INDEXES] = {"list-pane", "-a", 0, NULL, "-F", 'I', index_fields, NULL, compare_index},
    [LIST_DETAILS] = {"list-pane", "-a", 0, NULL, "-F", 'D', detail_fields, NULL, add_detail},
    [LIST_TITLES] = {"list-pane", "-a", 0, NULL, "-F", 'T', title_fields, NULL, compare_title},
    [LIST_NOTHING] = {LIST_COMMANDS, NULL, 0, NULL, "-F", 0, NULL, NULL, NULL},
};

struct listing_step {
	enum list_kind kind;
	uint32_t id;
};

struct plan {
	struct listing_step steps[STEPS_MAX];
	size_t count;
};

static void plan_step(struct plan *plan, enum list_kind kind, uint32_t id)
{
	plan->steps[plan->count++] = (struct listing_step){.kind = kind, .id = id};
}

/* The last command must print something or have no hook: see divide() in one_shot.c. */
static void plan_parts(struct plan *plan, const struct parts *parts)
{
	plan->count = 0;
	if (parts->all) {
		plan_step(plan, LIST_SESSIONS, 0);
		plan_step(plan, LIST_WINDOWS, 0);
		plan_step(plan, LIST_CLIENTS, 0);
		plan_step(plan, parts->is_bare ? LIST_BARE_PANES : LIST_PANES, 0);
		return;
	}
	for (unsigned i = 0; i < parts->windows.count; i++)
		plan_step(plan, LIST_WINDOW, parts->windows.ids[i]);
	for (unsigned i = 0; i < parts->sessions.count; i++)
		plan_step(plan, LIST_SESSION, parts->sessions.ids[i]);
	for (unsigned i = 0; i < parts->ends.count; i++)
		plan_step(plan, LIST_ENDS, parts->ends.ids[i]);
	for (unsigned i = 0; i < parts->places.count; i++)
		plan_step(plan, LIST_PLACE, parts->places.ids[i]);
	if (parts->details)
		plan_step(plan, LIST_DETAILS, 0);
	else if (parts->indexes)
		plan_step(plan, LIST_INDEXES, 0);
	if (parts->titles && !parts->details)
		plan_step(plan, LIST_TITLES, 0);
	if (parts->tree)
		plan_step(plan, LIST_SESSIONS, 0);
	if (parts->clients)
		plan_step(plan, LIST_CLIENTS, 0);
	if (parts->tree)
		plan_step(plan, LIST_LINKS, 0);
	if (parts->layouts)
		plan_step(plan, LIST_LAYOUTS, 0);
	if (plan->count == 0)
		plan_step(plan, LIST_NOTHING, 0);
}

/* Returns the beginning of a format that prints what a command lists; NULL: there is none. */
static const char *loops_of(const struct list_command *list)
{
	if (list->fields == NULL || list->fields == client_fields)
		return NULL;
	if (strcmp(list->command, "list-session") == 0)
		return "#{S:";
	return strcmp(list->command, "list-window") == 0 ? "#{S:#{W:" : "#{S:#{W:#{P:";
}

/*
 * Writes a listing as a format of list-commands, after which no hook runs. The last line is "1",
 * which tmux leaves out if it has not expanded the whole format.
 */
static void write_unhooked(struct muxbus_command *command, const struct list_command *list,
    uint32_t id, const char *loops, bool is_counted)
{
	const char *variable = list->sigil == '$' ? "session_id"
	    : list->sigil == '@'                  ? "window_id"
						  : "pane_id";
	char before[128], after[32];
	(void)snprintf(before, sizeof before, "%s", loops);
	if (list->sigil != 0)
		(void)snprintf(before, sizeof before, "%s#{?#{&&:#{==:#{%s},%c%u},%s},", loops,
		    variable, list->sigil, id, list->filter != NULL ? list->filter : "1");
	(void)snprintf(after, sizeof after, "\n%s%.*s" MUXBUS_FORMAT_WHOLE,
	    list->sigil != 0 ? ",}" : "", (int)strlen(loops) / 4, "}}}");
	muxbus_command_args(command, LIST_COMMANDS, "-F", NULL);
	fields_write(
	    command, before, list->letter, list->fields, list->more_fields, is_counted, after);
	muxbus_command_args(command, LIST_ONE, NULL);
	muxbus_command_next(command);
}

static void write_step(
    struct muxbus_command *command, const struct listing_step *step, const struct parts *parts)
{
	const struct list_command *list = &list_commands[step->kind];
	const char *loops = parts->is_unhooked ? loops_of(list) : NULL;
	if (loops != NULL) {
		write_unhooked(command, list, step->id, loops, parts->is_counted);
		return;
	}
	muxbus_command_args(command, list->command, NULL);
	if (list->option != NULL)
		muxbus_command_args(command, list->option, NULL);
	if (list->filter != NULL) {
		muxbus_command_args(command, "-f", NULL);
		muxbus_command_argf(command, "#{&&:#{==:#{session_id},%c%u},%s}", list->sigil,
		    step->id, list->filter);
	} else if (list->sigil != 0) {
		muxbus_command_args(command, "-t", NULL);
		muxbus_command_argf(command, "%c%u", list->sigil, step->id);
	}
	if (list->format_option != NULL)
		muxbus_command_args(command, list->format_option, NULL);
	if (list->fields != NULL)
		fields_write(command, "", list->letter, list->fields, list->more_fields,
		    parts->is_counted, "");
	else
		muxbus_command_args(command, "", list->command, NULL);
	muxbus_command_next(command);
}

void listing_write(struct muxbus_command *command, const struct parts *parts)
{
	struct plan plan;
	plan_parts(&plan, parts);
	for (size_t i = 0; i < plan.count; i++)
		write_step(command, &plan.steps[i], parts);
}

/* Numbers each group by its lowest session, so that the number is stable. */
static int settle_groups(struct muxbus_model *model)
{
	struct map lowest;
	int error = 0;
	map_init(&lowest);
	next_each (const struct muxbus_session, session, muxbus_model_next_session, model) {
		uintptr_t first = (uintptr_t)map_get(&lowest, session->group);
		if (session->group == MUXBUS_NO_ID)
			continue;
		if (first == 0) {
			first = (uintptr_t)session->id + 1;
			if (map_set(&lowest, session->group, (void *)first) != 0) {
				error = MUXBUS_ERR_NOMEM;
				break;
			}
		}
		model_session_entry(model, session->id)->group = (uint32_t)(first - 1);
	}
	map_finish(&lowest);
	return error;
}

static int read_reply(struct listing_reading *reading, const struct listing_step *step,
    const struct muxbus_reply *reply)
{
	const struct list_command *list = &list_commands[step->kind];
	unsigned links = reading->read.link_count;
	struct muxbus_reply lines = *reply;
	bool needs_records = list->filter != NULL;
	if (reading->parts->is_unhooked && loops_of(list) != NULL && reply->error == 0) {
		*reading->target.is_cut |=
		    lines.body_len < 2 || memcmp(lines.body + lines.body_len - 2, "1\n", 2) != 0;
		lines.body_len -= *reading->target.is_cut ? lines.body_len : 2;
		needs_records |= step->kind == LIST_WINDOW && !*reading->target.is_cut;
	}
	if (reply->error != 0 || (needs_records && lines.body_len == 0))
		return MUXBUS_ERR_COMMAND;
	if (list->add == NULL)
		return 0;
	fields_read_lines(&reading->target, &lines, list->letter, list->add, reading,
	    &reading->listing->malformed);
	/* No record of the window was read. Only a listing of the whole server shows why. */
	if (step->kind == LIST_WINDOW && reading->read.link_count == links)
		reading->listing->more.all = true;
	return 0;
}

bool listing_has_no_session(
    const struct parts *parts, const struct muxbus_reply *replies, size_t count)
{
	return parts->all && count > 0 && replies[0].error == 0 && replies[0].body_len == 0;
}

static int read_replies(
    struct listing_reading *reading, const struct muxbus_reply *replies, size_t count)
{
	struct muxbus_model *model = reading->listing->model;
	struct plan plan;
	int error = 0;
	if (listing_has_no_session(reading->parts, replies, count))
		return model_finish(model);
	plan_parts(&plan, reading->parts);
	if (count != plan.count)
		return MUXBUS_ERR_INVALID;
	for (size_t i = 0; error == 0 && i < count; i++)
		error = read_reply(reading, &plan.steps[i], &replies[i]);
	if (error == 0 && reading->parts->all)
		error = model_finish(model);
	else if (error == 0)
		error = merge_rest(model, reading->before, &reading->read, &reading->listing->more);
	if (error == 0 && (reading->parts->all || reading->parts->tree))
		error = settle_groups(model);
	return error;
}

static void free_details(struct map *details)
{
	map_each (struct pane_detail, detail, details)
		mem_free(detail);
	map_finish(details);
}

int listing_read(const struct muxbus_reply *replies, size_t count, uint32_t caps,
    const struct parts *parts, const struct muxbus_model *before, struct listing *ret_listing)
{
	struct listing listing = {.version = NULL};
	struct listing_reading reading = {.listing = &listing, .parts = parts, .before = before};
	int error = model_new(&listing.model);
	if (error != 0)
		return error;
	reading.target = (struct fields_target){.model = listing.model,
	    .is_cut = &listing.is_cut,
	    .caps = caps,
	    .is_counted = parts->is_counted};
	reading.read.parts = parts;
	reading.read.links = reading.links;
	map_init(&reading.groups);
	map_init(&reading.read.panes);
	map_init(&reading.read.details);
	error = read_replies(&reading, replies, count);
	map_finish(&reading.groups);
	map_finish(&reading.read.panes);
	free_details(&reading.read.details);
	if (error != 0) {
		model_free(listing.model);
		return error;
	}
	if (listing.malformed > 0)
		library_log(MUXBUS_LOG_WARNING, "%u records of a listing could not be read",
		    listing.malformed);
	*ret_listing = listing;
	return 0;
}
