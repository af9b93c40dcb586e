/* SPDX-License-Identifier: ISC */
/* Methods that list tmux objects: list_sessions, list_windows, list_panes, get_pane. */
#include "daemon/event/event_log.h"
#include "daemon/methods/tables.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/model_json.h"

#define HUMAN_MS 1000

enum detail { DETAIL_SHORT, DETAIL_FULL };

static const char *const details[] = {[DETAIL_SHORT] = "short", [DETAIL_FULL] = "full", NULL};

/* The parameters of all list methods. Each method uses the members that it has rows for. */
struct object_list_args {
	int detail; /* an enum detail; below 0: full */
	int64_t max_age_ms;
	bool has_max_age;
	const char *pane;
	const char *window;
	const char *session;
};

struct object_listing {
	struct request *request;
	char *pane;
	char *window;
	char *session;
	bool is_short;
	void (*put)(struct object_listing *listing);
};

static char *copy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

static void free_listing(struct object_listing *listing)
{
	mem_free(listing->pane);
	mem_free(listing->window);
	mem_free(listing->session);
	mem_free(listing);
}

static void on_fresh(void *data, int error)
{
	struct object_listing *listing = data;
	if (error < 0)
		tmux_call_fail(listing->request, error, NULL);
	else
		listing->put(listing);
	free_listing(listing);
}

static bool are_ids(const struct object_list_args *args)
{
	return (args->pane == NULL || target_is_id(RESOLVE_PANE, args->pane)) &&
	    (args->window == NULL || target_is_id(RESOLVE_WINDOW, args->window)) &&
	    (args->session == NULL || target_is_id(RESOLVE_SESSION, args->session));
}

static struct object_listing *listing_new(struct request *request,
    const struct object_list_args *args, void (*put)(struct object_listing *listing))
{
	struct object_listing *listing = xalloc(sizeof *listing);
	*listing = (struct object_listing){
	    .request = request,
	    .pane = copy(args->pane),
	    .window = copy(args->window),
	    .session = copy(args->session),
	    .is_short = args->detail == DETAIL_SHORT,
	    .put = put,
	};
	return listing;
}

static unsigned max_age_ms_of(const struct request *request, const struct object_list_args *args)
{
	if (args->has_max_age)
		return (unsigned)args->max_age_ms;
	return are_ids(args) ? (unsigned)request_daemon(request)->config->limits.fresh_ms : 0;
}

static void start(struct request *request, const struct object_list_args *args, unsigned parts,
    void (*put)(struct object_listing *listing))
{
	const struct daemon *daemon = request_daemon(request);
	struct object_listing *listing = listing_new(request, args, put);
	unsigned max_age_ms = max_age_ms_of(request, args);
	int error;
	if (!are_ids(args))
		parts |= MUXBUS_PART_PANES; /* needed to find panes by their indexes */
	/* At rest, the dispatcher has listed tmux for this request, or has checked the age. */
	if (tmux_is_resting(daemon->tmux) ||
	    muxbus_sync_is_fresh(tmux_sync(daemon->tmux), parts, max_age_ms)) {
		on_fresh(listing, 0);
		return;
	}
	error = muxbus_sync_refresh(tmux_sync(daemon->tmux), parts, max_age_ms, on_fresh, listing);
	if (error < 0)
		on_fresh(listing, error);
}

static const struct muxbus_model *model_of(const struct object_listing *listing)
{
	return tmux_model(request_daemon(listing->request)->tmux);
}

static void put_seq(struct object_listing *listing, struct json_writer *writer)
{
	uint64_t last = event_log_last(request_daemon(listing->request)->events);
	json_put_int(writer, "seq", (int64_t)last);
}

static bool window_is_in(const struct object_view *view, uint32_t window, uint32_t session)
{
	const struct muxbus_link *links;
	size_t count = muxbus_model_window_links(view->model, window, &links);
	for (size_t i = 0; i < count; i++)
		if (links[i].session == session)
			return true;
	return false;
}

static const struct field_result list_sessions_results[] = {
    {"seq", "integer", "subscribe after this number to miss nothing"},
    {"sessions", "array", "the sessions, by id"},
    {"sessions[].session", "string", "its id, such as \"$0\""},
    {"sessions[].name", "string", "its name"},
    {"sessions[].windows", "integer", "how many windows it has"},
    {"sessions[].attached", "integer", "how many people look at it; control clients not"},
    {"sessions[].created", "string", "when it was made"},
    {"sessions[].activity", "string",
	"when one of its persons last pressed a key; without one that is attached, "
	"session_activity of tmux, which an attach of muxbusd changes too"},
    {"sessions[].current_window", "string", "the id of its current window"},
    {"sessions[].group", "integer", "a number that sessions sharing their windows share"},
    {0},
};

static void put_sessions(struct object_listing *listing)
{
	struct json_writer *writer = request_result(listing->request);
	put_seq(listing, writer);
	json_array_begin(writer, "sessions");
	next_each (
	    const struct muxbus_session, session, muxbus_model_next_session, model_of(listing)) {
		json_object_begin(writer, NULL);
		object_put_session(writer, model_of(listing), session);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(listing->request);
}

static void handle_list_sessions(struct request *request, const void *data)
{
	start(request, data, MUXBUS_PART_SESSIONS | MUXBUS_PART_CLIENTS, put_sessions);
}

#define MAX_AGE                                                                                    \
	{                                                                                          \
		FIELD_ROW(INT, struct object_list_args, max_age_ms, METHOD_MAX_AGE),               \
		    .given_offset = offsetof(struct object_list_args, has_max_age),                \
		    .max = 86400000, .flags = FIELD_RARE, .unit = "ms",                            \
		    .help =                                                                        \
			"Answer at once with what tmux said at most so long ago, and ask it only " \
			"if that is older."                                                        \
	}

static const struct field list_sessions_fields[] = {
    MAX_AGE,
    {0},
};

static const struct field list_windows_fields[] = {
    {FIELD_ROW(STRING, struct object_list_args, session, "session"), .min = 1, .max = 1024,
	.help = "Only those of this session; left out, all."},
    MAX_AGE,
    {0},
};

static const struct field_result list_windows_results[] = {
    {"seq", "integer", "subscribe after this number to miss nothing"},
    {"windows", "array", "the windows, by id; one that is linked several times stands once"},
    {"windows[].window", "string", "its id, such as \"@1\""},
    {"windows[].sessions", "array", "the ids of the sessions that hold it"},
    {"windows[].index", "integer", "its index in the first of these"},
    {"windows[].name", "string", "its name"},
    {"windows[].width", "integer", "in columns"},
    {"windows[].height", "integer", "in rows"},
    {"windows[].layout", "string", "as tmux writes it, as if nothing were zoomed; JSON since 3.8"},
    {"windows[].active_pane", "string", "the id of its active pane"},
    {"windows[].panes", "integer", "how many panes it has"},
    {"windows[].zoomed", "boolean", "whether one pane fills it for now"},
    {"windows[].bell", "boolean", "whether tmux shows a bell for it"},
    {"windows[].activity", "boolean", "whether tmux shows activity for it"},
    {"windows[].silence", "boolean", "whether tmux shows silence for it"},
    {"windows[].links", "array", "where it stands: session, index, and whether it is current"},
    {0},
};

static void put_windows(struct object_listing *listing)
{
	const struct muxbus_session *only = NULL;
	struct json_writer *writer;
	struct object_view view;
	if (listing->session != NULL && !target_session(listing->request, listing->session, &only))
		return;
	object_view_init(&view, model_of(listing));
	writer = request_result(listing->request);
	put_seq(listing, writer);
	json_array_begin(writer, "windows");
	next_each (const struct muxbus_window, window, muxbus_model_next_window, view.model) {
		if (only != NULL && !window_is_in(&view, window->id, only->id))
			continue;
		json_object_begin(writer, NULL);
		object_put_window(writer, &view, window);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(listing->request);
}

static void handle_list_windows(struct request *request, const void *data)
{
	start(request, data, MUXBUS_PART_SESSIONS, put_windows);
}

static const struct field list_panes_fields[] = {
    {FIELD_ROW(CHOICE, struct object_list_args, detail, "detail"), .choices = details,
	.help =
	    "full: all members. Tools get short by default: place, command, path, unusual states."},
    {FIELD_ROW(STRING, struct object_list_args, session, "session"), .min = 1, .max = 1024,
	.help = "Only those of this session."},
    {FIELD_ROW(STRING, struct object_list_args, window, "window"), .min = 1, .max = 1024,
	.help = "Only those of this window, such as \"@1\" or \"work:0\"."},
    MAX_AGE,
    {0},
};

static const struct field get_pane_fields[] = {
    PANE_FIELD(object_list_args),
    MAX_AGE,
    {0},
};

#define PANE_RESULTS(in)                                                                          \
	{in "pane", "string", "its id, such as \"%3\""},                                          \
	    {in "window", "string", "the id of its window"},                                      \
	    {in "session", "string", "the id of the first session that holds its window"},        \
	    {in "session_name", "string", "the name of that session"},                            \
	    {in "window_index", "integer", "the index of the window there"},                      \
	    {in "window_name", "string", "the name of the window"},                               \
	    {in "sessions", "array", "all sessions that hold it, if there are several"},          \
	    {in "pane_index", "integer", "its index in the window"},                              \
	    {in "width", "integer", "in columns"}, {in "height", "integer", "in rows"},           \
	    {in "left", "integer", "its first column in the window, from 0"},                     \
	    {in "top", "integer", "its first row in the window, from 0"},                         \
	    {in "active", "boolean", "whether it is the active pane of its window"},              \
	    {in "title", "string", "what its program calls it: text from a stranger"},            \
	    {in "command", "string", "the name of the program in front"},                         \
	    {in "path", "string", "the directory of that program"},                               \
	    {in "pid", "integer|null", "of its first process"},                                   \
	    {in "tty", "string", "its terminal"},                                                 \
	    {in "dead", "boolean", "whether its program has ended and the pane is kept"},         \
	    {in "exit_status", "integer|null", "with what it ended; null: not known, or signal"}, \
	    {in "signal", "integer|null", "the signal that ended it"},                            \
	    {in "signal_name", "string", "its name, if there is one"},                            \
	    {in "mode", "string|null", "\"copy-mode\" and the like: keys go there"},              \
	    {in "alternate_screen", "boolean", "whether a full-screen program has it"},           \
	    {in "input_off", "boolean", "whether tmux lets no input through"},                    \
	    {in "synchronized", "boolean", "whether keys go to all panes of the window"},         \
	    {in "mouse", "boolean", "whether its program asked for the mouse"},                   \
	    {in "floating", "boolean", "true for one that floats over the others"},               \
	    {in "last_output", "string|null", "when it last wrote, if its output is followed"},   \
	{                                                                                         \
		in "human", "boolean",                                                            \
		    "whether it is the pane before a person who pressed a key in the last minute" \
	}

static const struct field_result list_panes_results[] = {
    {"seq", "integer", "subscribe after this number to miss nothing"},
    {"panes", "array", "the panes, by window id and index; one of a linked window once"},
    PANE_RESULTS("panes[]."),
    {"panes[].place", "string",
	"with detail short, instead of all the members of its place: its session, window and "
	"index, such as \"work:editor.0\""},
    {0},
};

static const struct field_result get_pane_results[] = {
    PANE_RESULTS(""),
    {0},
};

static struct {
	uint64_t revision; /* revision of the model that json shows; 0: none */
	int64_t until_ms; /* json is valid until then, as "human" changes with time */
	struct buf json; /* a JSON array */
	bool is_cut; /* json is not complete, as it was too long */
} written;

static void write_panes(const struct object_view *view)
{
	struct json_writer writer;
	buf_clear(&written.json);
	json_writer_init(&writer, &written.json);
	json_array_begin(&writer, NULL);
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, view->model) {
		json_object_begin(&writer, NULL);
		object_put_pane(&writer, view, pane);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	written.is_cut = writer.is_cut;
}

/* Writes all panes. Most calls list all, so the JSON of the last call is kept. */
static void put_all_panes(struct object_listing *listing)
{
	const struct daemon *daemon = request_daemon(listing->request);
	uint64_t revision = tmux_revision(daemon->tmux);
	int64_t now_ms = clock_mono_ms();
	struct json_writer *writer;
	if (written.revision != revision || now_ms >= written.until_ms) {
		struct object_view view;
		if (!written.revision)
			buf_init(&written.json,
			    (size_t)daemon->config->limits.result_bytes + JSON_SPARE);
		object_view_init(&view, model_of(listing));
		write_panes(&view);
		written.revision = revision;
		written.until_ms = now_ms + HUMAN_MS;
	}
	writer = request_result(listing->request);
	put_seq(listing, writer);
	json_put_raw(writer, "panes", written.json.data, written.json.len);
	writer->is_cut = writer->is_cut || written.is_cut;
	request_done(listing->request);
}

static void put_panes(struct object_listing *listing)
{
	const struct muxbus_session *session = NULL;
	const struct muxbus_window *window = NULL;
	struct json_writer *writer;
	struct object_view view;
	if (listing->session == NULL && listing->window == NULL && !listing->is_short) {
		put_all_panes(listing);
		return;
	}
	if (listing->session != NULL &&
	    !target_session(listing->request, listing->session, &session))
		return;
	if (listing->window != NULL && !target_window(listing->request, listing->window, &window))
		return;
	object_view_init(&view, model_of(listing));
	writer = request_result(listing->request);
	put_seq(listing, writer);
	json_array_begin(writer, "panes");
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, view.model) {
		if (window != NULL && pane->window != window->id)
			continue;
		if (session != NULL && !window_is_in(&view, pane->window, session->id))
			continue;
		json_object_begin(writer, NULL);
		if (listing->is_short)
			object_put_pane_brief(writer, &view, pane);
		else
			object_put_pane(writer, &view, pane);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(listing->request);
}

static void put_pane(struct object_listing *listing)
{
	const struct muxbus_pane *pane;
	struct object_view view;
	if (!target_pane(listing->request, listing->pane, &pane))
		return;
	object_view_init(&view, model_of(listing));
	object_put_pane(request_result(listing->request), &view, pane);
	request_done(listing->request);
}

static bool has_one_link(const struct muxbus_model *model, uint32_t window)
{
	const struct muxbus_link *links;
	return muxbus_model_window_links(model, window, &links) == 1;
}

static void start_window(struct object_listing *listing, uint32_t window, bool is_fresh)
{
	struct tmux *tmux = request_daemon(listing->request)->tmux;
	int error;
	if (tmux_is_resting(tmux) || is_fresh) {
		on_fresh(listing, 0);
		return;
	}
	error = muxbus_sync_refresh_window(tmux_sync(tmux), window,
	    has_one_link(tmux_model(tmux), window) ? 0 : MUXBUS_PART_SESSIONS, on_fresh, listing);
	if (error < 0)
		on_fresh(listing, error);
}

static void handle_list_panes(struct request *request, const void *data)
{
	const struct object_list_args *args = data;
	const struct muxbus_window *window;
	unsigned max_age_ms = max_age_ms_of(request, args);
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	if (args->window == NULL || args->session != NULL || !are_ids(args))
		start(request, args, MUXBUS_PART_PANES, put_panes);
	else if (target_window(request, args->window, &window))
		start_window(listing_new(request, args, put_panes), window->id,
		    muxbus_sync_is_fresh(sync, MUXBUS_PART_PANES, max_age_ms));
}

/* tmux does not announce changes of indexes, so target_pane() looks them up in a fresh model. */
static void handle_get_pane(struct request *request, const void *data)
{
	const struct object_list_args *args = data;
	struct muxbus_sync *sync = tmux_sync(request_daemon(request)->tmux);
	const struct muxbus_pane *pane;
	struct object_listing *listing;
	if (!target_pane(request, args->pane, &pane))
		return;
	listing = listing_new(request, args, put_pane);
	mem_free(listing->pane);
	listing->pane = xasprintf("%%%u", pane->id);
	start_window(listing, pane->window,
	    muxbus_sync_pane_is_fresh(sync, pane->id, max_age_ms_of(request, args)));
}

const struct method methods_list[] = {
    {.name = METHOD("get_pane", METHOD_READS),
	.title = "Describe one pane",
	.summary = "Shows all that is known of one pane.",
	METHOD_CALL(handle_get_pane, object_list_args, get_pane_fields, get_pane_results),
	.flags = METHOD_AGED | METHOD_ONE_PANE | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.example = "{\"pane\":\"%0\"}"},
    {.name = METHOD("list_panes", METHOD_READS),
	.title = "List the panes",
	.summary = "Lists the panes of the tmux server: names, title, command, path, state.",
	METHOD_CALL(handle_list_panes, object_list_args, list_panes_fields, list_panes_results),
	.flags =
	    METHOD_AGED | METHOD_ONE_PANE | METHOD_NEEDS_TMUX | METHOD_TOOL | METHOD_OPEN_WORLD,
	.example = "{}"},
    {.name = METHOD("list_sessions", METHOD_READS),
	.title = "List the sessions",
	.summary = "Lists the sessions of the tmux server.",
	METHOD_CALL(
	    handle_list_sessions, object_list_args, list_sessions_fields, list_sessions_results),
	.flags = METHOD_AGED | METHOD_OF_SESSIONS | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.example = "{}"},
    {.name = METHOD("list_windows", METHOD_READS),
	.title = "Windows of tmux",
	.summary = "Lists the windows of the tmux server, or of one session; those of the desktop "
		   "has list_windows_desktop.",
	METHOD_CALL(
	    handle_list_windows, object_list_args, list_windows_fields, list_windows_results),
	.flags = METHOD_AGED | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.example = "{}"},
    {0},
};
