/* SPDX-License-Identifier: ISC */
#include "daemon/file/path_watch.h"

#include "daemon/file/inotify_hub.h"

#define LINKS_MAX 40 /* symbolic links on a path, as in the kernel */
#define STEPS_MAX 128
#define STEPS_EACH 8
#define ROUNDS_MAX 8
#define CANDIDATES_MAX 16
/* how long a renamed file is tracked by its new name, which another file may get later */
#define CANDIDATE_MS 10000

#define MASK_SELF (IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR)
#define MASK_NAMES (MASK_SELF | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB)

/* A watched directory, and the name in it that matters. */
struct path_step {
	struct inotify_watch watch; /* must be first: on_event() casts a pointer to it */
	struct path_watch *owner;
	dev_t dev;
	ino_t ino;
	uint32_t mask;
	char *dir;
	bool is_last; /* the directory contains the file itself */
	bool is_kept; /* while refreshing: this step is still needed */
	char name[]; /* "": the directory itself */
};

struct candidate {
	char name[NAME_MAX + 1]; /* the present name of a renamed file; "": unused */
	/* cookie of the kernel for a rename whose new name is not reported yet; 0: none */
	uint32_t cookie;
	int64_t until_ms;
};

struct path_watch {
	struct inotify_hub *hub;
	char *path;
	struct path_watch_handlers handlers;
	void *data;
	struct path_step **steps;
	size_t count;
	size_t size; /* allocated steps, at most STEPS_MAX */
	struct candidate *candidates; /* CANDIDATES_MAX entries; NULL before the first rename */
	size_t next_candidate;
	int error; /* -errno of the first watch that failed in this refresh; 0: none */
	bool has_changed;
};

struct path_watch *path_watch_new(struct inotify_hub *hub, const char *path,
    const struct path_watch_handlers *handlers, void *data)
{
	struct path_watch *watch = xcalloc(1, sizeof *watch);
	watch->hub = hub;
	watch->path = xstrdup(path);
	watch->handlers = *handlers;
	watch->data = data;
	return watch;
}

static void step_free(struct path_step *step)
{
	inotify_hub_remove(step->owner->hub, &step->watch);
	mem_free(step->dir);
	mem_free(step);
}

void path_watch_free(struct path_watch *watch)
{
	if (watch == NULL)
		return;
	for (size_t i = 0; i < watch->count; i++)
		step_free(watch->steps[i]);
	mem_free(watch->steps);
	mem_free(watch->candidates);
	mem_free(watch->path);
	mem_free(watch);
}

static struct candidate *find_candidate(struct path_watch *watch, const char *name)
{
	int64_t now_ms = clock_mono_ms();
	for (size_t i = 0; watch->candidates != NULL && i < CANDIDATES_MAX; i++) {
		struct candidate *candidate = &watch->candidates[i];
		if (candidate->name[0] && candidate->until_ms < now_ms)
			candidate->name[0] = '\0';
		if (candidate->name[0] && strcmp(candidate->name, name) == 0)
			return candidate;
	}
	return NULL;
}

static struct candidate *find_cookie(struct path_watch *watch, uint32_t cookie)
{
	for (size_t i = 0; watch->candidates != NULL && i < CANDIDATES_MAX; i++)
		if (watch->candidates[i].name[0] && watch->candidates[i].cookie == cookie)
			return &watch->candidates[i];
	return NULL;
}

static void moved_from(
    struct path_watch *watch, const struct path_step *step, const struct inotify_event *event)
{
	struct candidate *candidate = find_candidate(watch, event->name);
	if (candidate == NULL && strcmp(event->name, step->name) == 0) {
		if (watch->candidates == NULL)
			watch->candidates = xcalloc(CANDIDATES_MAX, sizeof *watch->candidates);
		candidate = &watch->candidates[watch->next_candidate++ % CANDIDATES_MAX];
		snprintf(candidate->name, sizeof candidate->name, "%s", event->name);
	}
	if (candidate == NULL)
		return;
	candidate->cookie = event->cookie;
	candidate->until_ms = clock_mono_ms() + CANDIDATE_MS;
}

static void moved_to(
    struct path_watch *watch, const struct path_step *step, const struct inotify_event *event)
{
	char path[PATH_MAX];
	struct candidate *target = find_candidate(watch, event->name);
	struct candidate *candidate = find_cookie(watch, event->cookie);
	int len;
	/* The rename has replaced another tracked file. */
	if (target != NULL && target != candidate)
		target->name[0] = '\0';
	if (candidate == NULL)
		return;
	candidate->cookie = 0;
	snprintf(candidate->name, sizeof candidate->name, "%s", event->name);
	if (strcmp(event->name, step->name) == 0) {
		candidate->name[0] = '\0'; /* the file has the watched name again */
		return;
	}
	len = snprintf(path, sizeof path, "%s/%s", step->dir, event->name);
	if (len > 0 && (size_t)len < sizeof path)
		watch->handlers.moved(watch->data, path);
}

static void on_last(
    struct path_watch *watch, const struct path_step *step, const struct inotify_event *event)
{
	struct candidate *candidate;
	if (event->mask & IN_MOVED_FROM)
		moved_from(watch, step, event);
	else if (event->mask & IN_MOVED_TO)
		moved_to(watch, step, event);
	else if ((event->mask & IN_DELETE) &&
	    (candidate = find_candidate(watch, event->name)) != NULL)
		candidate->name[0] = '\0';
}

static void on_event(struct inotify_watch *inotify_watch, const struct inotify_event *event)
{
	const struct path_step *step =
	    (const struct path_step *)inotify_watch; /* watch is its first member */
	struct path_watch *watch = step->owner;
	bool is_self;
	if (event->mask & IN_Q_OVERFLOW) {
		watch->handlers.overflowed(watch->data);
		return;
	}
	is_self = event->mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT);
	if (!is_self && event->len == 0)
		return;
	if (!is_self && step->is_last)
		on_last(watch, step, event);
	if (is_self || strcmp(event->name, step->name) == 0)
		watch->handlers.changed(watch->data);
}

static struct path_step *find_step(
    const struct path_watch *watch, const struct stat *status, uint32_t mask, const char *name)
{
	for (size_t i = 0; i < watch->count; i++) {
		struct path_step *step = watch->steps[i];
		if (step->watch.wd >= 0 && step->dev == status->st_dev &&
		    step->ino == status->st_ino && step->mask == mask &&
		    strcmp(step->name, name) == 0)
			return step;
	}
	return NULL;
}

/* Adds a step that the path needs. name "": the directory itself. */
static void need(struct path_watch *watch, const char *dir, const char *name, bool is_last)
{
	uint32_t mask = name[0] ? MASK_NAMES : MASK_SELF;
	struct stat status;
	struct path_step *step;
	if (lstat(dir, &status) < 0 || strlen(name) > NAME_MAX)
		return; /* the next refresh tries again */
	step = find_step(watch, &status, mask, name);
	if (step == NULL && watch->count == STEPS_MAX) {
		watch->error = watch->error != 0 ? watch->error : -ENAMETOOLONG;
		return; /* the next refresh tries again */
	}
	if (step == NULL) {
		int r;
		if (watch->count == watch->size) {
			watch->size += STEPS_EACH;
			watch->steps = xrealloc(watch->steps, watch->size * sizeof *watch->steps);
		}
		step = xcalloc(1, sizeof *step + strlen(name) + 1);
		inotify_watch_init(&step->watch, on_event);
		step->owner = watch;
		step->dev = status.st_dev;
		step->ino = status.st_ino;
		step->mask = mask;
		strcpy(step->name, name);
		r = inotify_hub_add(watch->hub, &step->watch, dir, mask);
		if (r < 0 && watch->error == 0)
			watch->error = r;
		watch->steps[watch->count++] = step;
		watch->has_changed |= r == 0;
	}
	if (step->dir == NULL || strcmp(step->dir, dir) != 0) {
		mem_free(step->dir);
		step->dir = xstrdup(dir);
	}
	step->is_last = is_last;
	step->is_kept = true;
}

struct path_walk {
	char dir[PATH_MAX]; /* the directory reached so far, without symbolic links */
	char rest[PATH_MAX];
	unsigned links;
};

static bool next_name(struct path_walk *walk, char ret_name[NAME_MAX + 1])
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(start, "/");
	if (len == 0 || len > NAME_MAX)
		return false;
	memcpy(ret_name, start, len);
	ret_name[len] = '\0';
	memmove(walk->rest, start + len, strlen(start + len) + 1);
	return true;
}

static bool enter_link(struct path_walk *walk, const char *link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t len = readlink(link, target, sizeof target - 1);
	int total;
	if (len <= 0 || ++walk->links > LINKS_MAX)
		return false;
	target[len] = '\0';
	total = snprintf(rest, sizeof rest, "%s%s%s", target, walk->rest[0] ? "/" : "", walk->rest);
	if (total < 0 || (size_t)total >= sizeof rest)
		return false;
	strcpy(walk->rest, rest);
	if (target[0] == '/')
		strcpy(walk->dir, "/");
	return true;
}

/* Walks one name further. Returns false at the end, or if it cannot go on. */
static bool go(struct path_watch *watch, struct path_walk *walk)
{
	char name[NAME_MAX + 1], path[PATH_MAX];
	struct stat status;
	bool is_there, is_dir, is_link, goes_on, is_last;
	int len;
	if (!next_name(walk, name))
		return false;
	if (strcmp(name, ".") == 0)
		return true;
	if (strcmp(name, "..") == 0) {
		char *slash = strrchr(walk->dir, '/');
		slash[slash == walk->dir ? 1 : 0] = '\0';
		return true;
	}
	is_last = walk->rest[strspn(walk->rest, "/")] == '\0';
	len = snprintf(path, sizeof path, "%s/%s", walk->dir[1] ? walk->dir : "", name);
	if (len < 0 || (size_t)len >= sizeof path)
		return false;
	is_there = lstat(path, &status) == 0;
	is_dir = is_there && S_ISDIR(status.st_mode);
	is_link = is_there && S_ISLNK(status.st_mode);
	goes_on = is_dir && !is_last;
	need(watch, walk->dir, goes_on ? "" : name, is_last && !is_link);
	if (is_link)
		return enter_link(walk, path);
	strcpy(walk->dir, path);
	return goes_on;
}

static void drop_others(struct path_watch *watch)
{
	size_t kept = 0;
	for (size_t i = 0; i < watch->count; i++) {
		struct path_step *step = watch->steps[i];
		if (step->is_kept)
			watch->steps[kept++] = step;
		else
			step_free(step);
	}
	watch->count = kept;
}

int path_watch_refresh(struct path_watch *watch)
{
	struct path_walk walk;
	/*
	 * A change just before a watch was added causes no event, so the path is walked again after
	 * a new watch, a bounded number of times.
	 */
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		watch->error = 0;
		watch->has_changed = false;
		for (size_t i = 0; i < watch->count; i++)
			watch->steps[i]->is_kept = false;
		strcpy(walk.dir, "/");
		snprintf(walk.rest, sizeof walk.rest, "%s", watch->path);
		walk.links = 0;
		while (go(watch, &walk))
			;
		drop_others(watch);
		if (!watch->has_changed)
			return watch->error;
	}
	watch->handlers.changed(watch->data);
	return watch->error;
}
