/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/output_source.h"

#include "base/hash.h"
#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/tmux/pane_pipe.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

/* ms between tries to pipe a deaf pane: see output_source_is_deaf(). */
#define RETRY_MS 5000
/*
 * A pane whose program has ended may get another program: tmux makes a terminal for it, and then a
 * new child. So after a new terminal was seen, the children of tmux are read CHILDREN_LOOKS times,
 * every CHILDREN_MS. If terminals cannot be watched, as in another container, the children are read
 * until no such pane is left.
 */
#define CHILDREN_MS 250
#define CHILDREN_LOOKS 8
/* Maximum bytes of the list of children. A new child is at its end, so a longer list lacks it. */
#define CHILDREN_BYTES 16384

struct output_source_set {
	struct tmux *tmux;
	struct pane_pipe_set *pipes; /* NULL: pipes are not used */
	void (*late)(struct output_source *source, const uint8_t *bytes, size_t len);
	struct list sources; /* the sources that are wanted, the latest last */
	uint64_t begun; /* number of changes of sources so far */
	bool all;
	bool has_control; /* the daemon may be a client of tmux, so control mode can be used */
	struct loop_timer *retry;
	struct loop_timer *look;
	struct inotify_hub *hub;
	struct inotify_watch terminals; /* of /dev/pts, where new terminals appear */
	unsigned looks; /* how often the children are still to be read */
	uint64_t children; /* hash of the list of tmux's children */
};

struct life {
	struct output_source_set *sources;
	uint32_t pane;
	bool has_failed; /* the pipe has failed: PANE_PIPE_FAILED */
};

static struct muxbus_sync *sync_of(const struct output_source *source)
{
	return tmux_sync(source->set->tmux);
}

static enum output_source_kind choose(const struct output_source *source)
{
	const struct output_source_set *sources = source->set;
	if (source->kind == OUTPUT_SOURCE_PIPE)
		return OUTPUT_SOURCE_PIPE;
	/* If control mode brings all output already, this pane begins without a gap. */
	if (sources->pipes == NULL || sources->all || source->is_pipeless ||
	    !pane_pipe_may_start(sources->pipes))
		return OUTPUT_SOURCE_CONTROL;
	return OUTPUT_SOURCE_PIPE;
}

/* Returns true if the program of the pane has ended. Such a pane is not piped. */
static bool is_dead(const struct output_source *source)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(source->set->tmux), source->pane);
	return pane != NULL && pane->is_dead;
}

static void look_soon(struct output_source_set *sources)
{
	sources->looks = CHILDREN_LOOKS;
	if (!loop_timer_is_armed(sources->look))
		loop_timer_arm(sources->look, CHILDREN_MS);
}

static void on_terminal(struct inotify_watch *watch, const struct inotify_event *event UNUSED)
{
	look_soon(list_entry(watch, struct output_source_set, terminals));
}

/* Lets a source without a program wait for the pane's next program, which gets a new pipe. */
static void rest_source(struct output_source *source)
{
	struct output_source_set *sources = source->set;
	char path[48];
	source->is_over = true;
	snprintf(path, sizeof path, "/proc/%ld/root/dev/pts", (long)tmux_server_pid(sources->tmux));
	if (sources->terminals.wd < 0)
		(void)inotify_hub_add(
		    sources->hub, &sources->terminals, path, IN_CREATE | IN_ONLYDIR);
	look_soon(sources);
}

static void leave(struct output_source *source)
{
	if (source->kind == OUTPUT_SOURCE_CONTROL) {
		muxbus_sync_want_output(sync_of(source), source->pane, false);
	} else if (source->kind == OUTPUT_SOURCE_PIPE) {
		pane_pipe_stop(source->set->pipes, source->pane);
		muxbus_sync_own_output(sync_of(source), source->pane, MUXBUS_OUTPUT_NONE);
	}
	source->kind = OUTPUT_SOURCE_NONE;
	source->is_over = false;
	list_remove(&source->link);
}

static void enter(struct output_source *source, enum output_source_kind kind)
{
	list_append(&source->set->sources, &source->link);
	source->number = ++source->set->begun;
	source->is_cut = false; /* a new source begins with a gap anyway */
	source->kind = kind;
	source->is_over = false;
	if (kind == OUTPUT_SOURCE_PIPE && is_dead(source)) {
		rest_source(source);
		return;
	}
	if (kind == OUTPUT_SOURCE_PIPE) {
		muxbus_sync_own_output(sync_of(source), source->pane, MUXBUS_OUTPUT_COMING);
		if (pane_pipe_start(source->set->pipes, source->pane, source) == 0)
			return;
		muxbus_sync_own_output(sync_of(source), source->pane, MUXBUS_OUTPUT_NONE);
		source->kind = OUTPUT_SOURCE_CONTROL;
	}
	source->is_pipeless = true; /* a later change to a pipe would lose output */
	tmux_followed(source->set->tmux);
	muxbus_sync_want_output(sync_of(source), source->pane, true);
	if (output_source_is_deaf(source) && !loop_timer_is_armed(source->set->retry))
		loop_timer_arm(source->set->retry, RETRY_MS);
}

void output_source_want(struct output_source *source, bool is_wanted)
{
	enum output_source_kind kind = is_wanted ? choose(source) : OUTPUT_SOURCE_NONE;
	if (!is_wanted)
		source->is_pipeless = false;
	if (kind == source->kind || source->has_ended)
		return;
	leave(source);
	if (kind != OUTPUT_SOURCE_NONE)
		enter(source, kind);
}

static void on_begun(void *data)
{
	const struct output_source *source = data;
	muxbus_sync_own_output(sync_of(source), source->pane, MUXBUS_OUTPUT_FLOWING);
}

static void on_output(void *data, const uint8_t *bytes, size_t len)
{
	struct output_source *source = data;
	if (muxbus_sync_add_output(sync_of(source), source->pane, bytes, len) < 0)
		source->set->late(source, bytes, len);
}

static void change_to_control(struct output_source *source)
{
	leave(source);
	enter(source, OUTPUT_SOURCE_CONTROL);
}

/* Tries deaf panes again, since tmux does not announce when the user's pipe ends. */
static void on_retry(void *data)
{
	struct output_source_set *sources = data;
	uint64_t begun = sources->begun; /* sources that begin from now on are not tried again */
	list_each_safe (struct output_source, source, &sources->sources, link) {
		if (!output_source_is_deaf(source) || source->number > begun)
			continue;
		source->is_pipeless = false;
		if (choose(source) == OUTPUT_SOURCE_PIPE) {
			leave(source);
			enter(source, OUTPUT_SOURCE_PIPE);
		} else {
			loop_timer_arm(sources->retry, RETRY_MS);
		}
	}
}

/*
 * Looks for new programs in panes. If the children of tmux cannot be read, the next request about a
 * pane finds its program.
 */
static void on_look(void *data)
{
	static char text[CHILDREN_BYTES];
	struct output_source_set *sources = data;
	long pid = (long)tmux_server_pid(sources->tmux);
	char name[48];
	bool has_over = false;
	uint64_t children;
	list_each (const struct output_source, source, &sources->sources, link)
		has_over |= source->is_over;
	snprintf(name, sizeof name, "task/%ld/children", pid);
	if (!has_over || process_read((pid_t)pid, name, text, sizeof text) < 0) {
		inotify_hub_remove(sources->hub, &sources->terminals);
		return;
	}
	children = hash_bytes(text, strlen(text));
	if (children != sources->children)
		(void)muxbus_sync_refresh(
		    tmux_sync(sources->tmux), MUXBUS_PART_PANES, 0, NULL, NULL);
	sources->children = children;
	if (sources->terminals.wd < 0 || --sources->looks > 0)
		loop_timer_arm(sources->look, CHILDREN_MS);
}

/*
 * Finds out whether a pane has closed. tmux announces this only to a client, so a detached daemon
 * lists the panes.
 */
static void find_end(struct tmux *tmux)
{
	if (tmux_is_resting(tmux))
		(void)muxbus_sync_refresh(tmux_sync(tmux), MUXBUS_PART_INDEXES, 0, NULL, NULL);
}

enum life_state {
	LIFE_GONE,
	LIFE_OVER,
	LIFE_THERE,
};

static enum life_state read_life(const struct life *life, const struct muxbus_reply *reply)
{
	unsigned found;
	int is_dead = 0, is_whole = 0;
	long pid = 0;
	int fields =
	    sscanf((const char *)reply->body, "%%%u %d %ld %d", &found, &is_dead, &pid, &is_whole);
	if (fields == 0 || (fields > 0 && found != life->pane))
		return LIFE_GONE;
	if (fields < 4)
		return LIFE_THERE; /* not known: control mode loses no output */
	/*
	 * tmux 3.8 forgets the pid of a process that has ended. If the pipe has failed, tmux may be
	 * in another PID namespace, whose pids have no meaning here.
	 */
	return is_dead || pid <= 0 || (!life->has_failed && process_has_ended((pid_t)pid))
	    ? LIFE_OVER
	    : LIFE_THERE;
}

static void on_life(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct life *life = data;
	struct output_source_set *sources = life->sources;
	uint32_t pane = life->pane;
	enum life_state state = error < 0 || count == 0 ? LIFE_GONE : read_life(life, &replies[0]);
	mem_free(life);
	list_each_safe (struct output_source, source, &sources->sources, link) {
		if (source->pane != pane || source->kind != OUTPUT_SOURCE_PIPE)
			continue;
		if (state == LIFE_THERE) {
			change_to_control(source);
		} else if (state == LIFE_OVER) {
			muxbus_sync_own_output(sync_of(source), pane, MUXBUS_OUTPUT_NONE);
			rest_source(source);
		}
	}
	if (state != LIFE_THERE)
		find_end(sources->tmux);
}

void output_source_respawned(struct output_source *source)
{
	if (!source->is_over)
		return;
	leave(source);
	enter(source, OUTPUT_SOURCE_PIPE);
}

static bool ask_life(const struct output_source *source, bool has_failed)
{
	struct muxbus_command *command = tmux_command("display-message", "-p", "-t",
	    TMUX_ID('%', source->pane),
	    "#{pane_id} #{?pane_dead,1,0} #{?pane_pid,#{pane_pid},0} " MUXBUS_FORMAT_WHOLE, NULL);
	struct life *life = xalloc(sizeof *life);
	*life = (struct life){source->set, source->pane, has_failed};
	if (muxbus_sync_run(sync_of(source), command, false, on_life, life) == 0)
		return true;
	mem_free(life);
	return false;
}

static void on_ended(void *data, enum pane_pipe_end end)
{
	struct output_source *source = data;
	muxbus_sync_own_output(sync_of(source), source->pane, MUXBUS_OUTPUT_COMING);
	source->is_cut = end == PANE_PIPE_CUT;
	if (end == PANE_PIPE_TAKEN || !ask_life(source, end == PANE_PIPE_FAILED))
		change_to_control(source);
}

void output_source_want_all(struct output_source_set *sources, bool is_wanted)
{
	if (sources->all == is_wanted)
		return;
	sources->all = is_wanted;
	muxbus_sync_want_all_output(tmux_sync(sources->tmux), is_wanted);
}

bool output_source_drain(struct output_source *source, size_t max)
{
	if (source->kind != OUTPUT_SOURCE_PIPE)
		return false;
	pane_pipe_drain(source->set->pipes, source->pane, max);
	return true;
}

bool output_source_is_deaf(const struct output_source *source)
{
	return source->kind == OUTPUT_SOURCE_CONTROL && !source->set->has_control;
}

bool output_source_needs_control(const struct output_source_set *sources)
{
	if (sources->all)
		return true;
	list_each (struct output_source, source, &sources->sources, link)
		if (source->kind == OUTPUT_SOURCE_CONTROL)
			return true;
	return false;
}

uint64_t output_source_begun(const struct output_source_set *sources)
{
	return sources->begun;
}

size_t output_source_coming(
    const struct output_source_set *sources, uint64_t begun, uint32_t *ret_panes, size_t max)
{
	const struct list *link;
	size_t count = 0;
	for (link = sources->sources.prev; link != &sources->sources && count < max;
	     link = link->prev) {
		const struct output_source *source = list_entry(link, struct output_source, link);
		if (source->number <= begun)
			break;
		if (muxbus_sync_output(sync_of(source), source->pane) == MUXBUS_OUTPUT_COMING)
			ret_panes[count++] = source->pane;
	}
	return count;
}

uint32_t output_source_piped(const struct output_source_set *sources)
{
	return sources->pipes != NULL ? pane_pipe_count(sources->pipes) : 0;
}

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane)
{
	*source = (struct output_source){.set = sources, .pane = pane};
	list_init(&source->link);
}

bool output_source_finish(struct output_source *source)
{
	if (source->set->pipes != NULL)
		source->is_cut |= pane_pipe_finish(source->set->pipes, source->pane);
	list_remove(&source->link);
	source->has_ended = true;
	return source->is_cut;
}

struct output_source_set *output_source_set_new(struct event_base *base,
    const struct config *config, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len))
{
	static const struct pane_pipe_handlers handlers = {on_begun, on_output, on_ended};
	struct output_source_set *sources = xcalloc(1, sizeof *sources);
	sources->tmux = tmux;
	sources->late = late;
	sources->has_control = config->attach != ATTACH_NEVER;
	sources->retry = loop_timer_new(base, on_retry, sources);
	sources->look = loop_timer_new(base, on_look, sources);
	sources->hub = inotify_hub_new(base, NULL, NULL);
	inotify_watch_init(&sources->terminals, on_terminal);
	list_init(&sources->sources);
	if (config_pipes(config))
		sources->pipes = pane_pipe_set_new(base, config, tmux, &handlers);
	return sources;
}

void output_source_set_free(struct output_source_set *sources)
{
	output_source_want_all(sources, false);
	pane_pipe_set_free(sources->pipes);
	inotify_hub_remove(sources->hub, &sources->terminals);
	inotify_hub_free(sources->hub);
	loop_timer_free(sources->retry);
	loop_timer_free(sources->look);
	mem_free(sources);
}
