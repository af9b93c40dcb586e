/* SPDX-License-Identifier: ISC */
#include "daemon/job/pane_cwd.h"

#include <muxbus.h>

#include "base/process.h"
#include "daemon/queue/record.h"

enum { PLACES_MAX = 256 }; /* records; of panes that share one, the latest counts */

struct pane_place {
	struct pane_ref pane;
	char *own; /* current directory of the program that called execute_cli */
	char *cwd;
};

static const struct record_field place_fields[] = {
    {RECORD_ROW(PANE, struct pane_place, pane, "pane")},
    {RECORD_ROW(TEXT, struct pane_place, own, "own")},
    {RECORD_ROW(TEXT, struct pane_place, cwd, "cwd")},
};

static const struct record_kind place_kind = {
    .prefix = "cwd/",
    .noun = "a directory of a pane",
    .rows = RECORD_ROWS(place_fields, NULL),
    .source = SOURCE_JOB,
};

/* Reads the record of a pane whose program works in "own". Returns false if there is none. */
static bool read_place(struct store *store, const struct pane_ref *pane, const char *own,
    char name[16], struct pane_place *place)
{
	(void)snprintf(name, 16, "%u", (unsigned)pane->pane % PLACES_MAX);
	if (!record_get(store, &place_kind, name, place))
		return false;
	if (pane_ref_same_pane(&place->pane, pane) && strcmp(place->own, own) == 0)
		return true;
	record_finish(place_kind.rows, place);
	return false;
}

bool pane_cwd_find(
    struct store *store, const struct pane_ref *pane, pid_t pid, char *out, size_t size)
{
	struct pane_place place = {0};
	char own[PATH_MAX], name[16];
	bool fits;
	if (pane->pane == MUXBUS_NO_ID || !process_cwd(pid, own, sizeof own) ||
	    !read_place(store, pane, own, name, &place))
		return false;
	fits = (size_t)snprintf(out, size, "%s", place.cwd) < size;
	record_finish(place_kind.rows, &place);
	return fits;
}

void pane_cwd_keep(struct store *store, const struct pane_ref *pane, pid_t pid, const char *cwd)
{
	struct pane_place place = {0};
	char own[PATH_MAX], copy[PATH_MAX], name[16];
	bool is_known, is_text = utf8_valid_prefix(cwd, strlen(cwd)) == strlen(cwd);
	if (pane->pane == MUXBUS_NO_ID || !process_cwd(pid, own, sizeof own) ||
	    utf8_valid_prefix(own, strlen(own)) < strlen(own) || strlen(cwd) >= sizeof copy)
		return;
	is_known = read_place(store, pane, own, name, &place);
	if (is_text && strcmp(cwd, own) != 0 && (!is_known || strcmp(place.cwd, cwd) != 0))
		record_put(store, &place_kind, name,
		    &(struct pane_place){.pane = *pane, .own = own, .cwd = strcpy(copy, cwd)});
	else if (is_known && (!is_text || strcmp(cwd, own) == 0))
		record_delete(store, &place_kind, name); /* the next command starts in "own" */
	if (is_known)
		record_finish(place_kind.rows, &place);
}
