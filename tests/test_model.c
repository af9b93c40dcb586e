/* SPDX-License-Identifier: ISC */
/* The store of a model: order, look-up, joins, limits, and memory that runs out. */
#include "lib/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tap.h"

static void add_session(struct muxbus_model *model, uint32_t id, const char *name)
{
	struct muxbus_session session = {
	    .id = id, .name = name, .current_window = MUXBUS_NO_ID, .group = MUXBUS_NO_ID};
	model_add_session(model, &session);
}

static void add_window(struct muxbus_model *model, uint32_t session, uint32_t id, int32_t index,
    bool is_current, bool has_bell)
{
	struct muxbus_window window = {
	    .id = id, .name = "w", .layout = "", .visible_layout = "", .active_pane = MUXBUS_NO_ID};
	struct muxbus_link link = {.session = session,
	    .window = id,
	    .index = index,
	    .is_current = is_current,
	    .has_bell = has_bell};
	model_add_window(model, &window);
	model_add_link(model, &link);
}

static void add_pane(
    struct muxbus_model *model, uint32_t window, uint32_t id, int32_t index, bool is_active)
{
	struct muxbus_pane pane = {.id = id,
	    .window = window,
	    .index = index,
	    .is_active = is_active,
	    .tty = "",
	    .title = "",
	    .command = "",
	    .path = "",
	    .mode = "",
	    .exit_status = -1};
	model_add_pane(model, &pane);
}

static void add_client(
    struct muxbus_model *model, const char *name, uint32_t session, bool is_control)
{
	struct muxbus_client client = {.name = name, .session = session, .is_control = is_control};
	model_add_client(model, &client);
}

/* Two sessions that share window @4; records in no order, as tmux lists by name. */
static struct muxbus_model *example(void)
{
	struct muxbus_model *model;
	if (model_new(&model) != 0)
		return NULL;
	add_session(model, 3, "alpha");
	add_session(model, 1, "beta");
	add_window(model, 3, 4, 1, true, false);
	add_window(model, 1, 9, 5, false, false);
	add_window(model, 1, 4, 0, true, true);
	add_window(model, 1, 4, 7, false, false);
	add_pane(model, 4, 12, 1, true);
	add_pane(model, 4, 7, 2, false);
	add_pane(model, 4, 30, 0, false);
	add_pane(model, 9, 8, 0, true);
	add_pane(model, 4, 12, 1, true);
	add_client(model, "/dev/pts/2", 1, false);
	add_client(model, "/dev/pts/1", 1, false);
	add_client(model, "client-9", 3, true);
	if (model_finish(model) != 0) {
		model_free(model);
		return NULL;
	}
	return model;
}

static void test_order(const struct muxbus_model *model)
{
	char text[256] = "";
	const struct muxbus_session *session = NULL;
	const struct muxbus_window *window = NULL;
	const struct muxbus_link *link = NULL;
	const struct muxbus_pane *pane = NULL;
	const struct muxbus_client *client = NULL;
	size_t len = 0;
	while ((session = muxbus_model_next_session(model, session)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "$%u ", session->id);
	while ((window = muxbus_model_next_window(model, window)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "@%u ", window->id);
	while ((link = muxbus_model_next_link(model, link)) != NULL)
		len += (size_t)snprintf(
		    text + len, sizeof text - len, "%u:%d ", link->session, link->index);
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "%%%u ", pane->id);
	while ((client = muxbus_model_next_client(model, client)) != NULL)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s ", client->name);
	is_str(text, "$1 $3 @4 @9 1:0 1:5 1:7 3:1 %30 %12 %7 %8 /dev/pts/1 /dev/pts/2 client-9 ",
	    "everything is walked in its order, linked windows and panes once");
}

static void test_lookup(struct muxbus_model *model)
{
	const uint32_t panes[] = {7, 8, 12, 30};
	struct muxbus_model_counts counts;
	const struct muxbus_link *links;
	const struct muxbus_pane *first;
	unsigned found = 0;
	for (size_t i = 0; i < 4; i++) {
		const struct muxbus_pane *pane = muxbus_model_pane(model, panes[i]);
		found += pane != NULL && pane->id == panes[i];
	}
	is_int(found, 4, "every pane is found by its id");
	ok(muxbus_model_pane(model, 9) == NULL && muxbus_model_pane(model, 31) == NULL &&
		muxbus_model_pane(model, 0) == NULL,
	    "others are not");
	ok(muxbus_model_window(model, 9) != NULL && muxbus_model_window(model, 8) == NULL,
	    "windows");
	ok(muxbus_model_session(model, 3) != NULL && muxbus_model_session(model, 2) == NULL,
	    "sessions");
	is_int(model_link(model, 1, 4)->index, 0, "the first link of a window in a session");
	ok(model_link(model, 3, 9) == NULL, "a window that is not in a session");
	is_int(model_first_link(model, 4)->session, 1, "the first link of a window");
	ok(model_first_link(model, 5) == NULL, "no link of no window");
	ok(muxbus_model_window_links(model, 4, &links) == 3 && links[0].index == 0 &&
		links[1].index == 7 && links[2].session == 3,
	    "all links of a window, by session and index");
	ok(muxbus_model_window_links(model, 5, &links) == 0 && links == NULL, "of no window");
	ok(muxbus_model_window_panes(model, 4, &first) == 3 && first[0].id == 30 &&
		first[1].id == 12 && first[2].id == 7,
	    "all panes of a window, by index");
	ok(muxbus_model_window_panes(model, 5, &first) == 0 && first == NULL, "of no window");
	muxbus_model_counts(model, &counts);
	is_int(counts.sessions * 10000 + counts.windows * 1000 + counts.links * 100 +
		counts.panes * 10 + counts.clients,
	    22443, "counts");
	model_pane_entry(model, 12)->output_offset = 99;
	is_int((long long)muxbus_model_pane(model, 12)->output_offset, 99, "offsets are written");
}

static void test_joins(const struct muxbus_model *model)
{
	is_int(muxbus_model_session(model, 1)->windows, 3, "windows of a session");
	is_int(muxbus_model_session(model, 1)->current_window, 4, "current window");
	is_int(muxbus_model_session(model, 1)->attached, 2, "people");
	is_int(muxbus_model_session(model, 3)->attached, 0, "a control client is no person");
	is_int(muxbus_model_window(model, 4)->panes, 3, "panes of a window");
	is_int(muxbus_model_window(model, 4)->active_pane, 12, "active pane");
	ok(muxbus_model_window(model, 4)->has_bell, "a bell in one link is the window's");
	ok(!model_is_cut(model), "nothing was left out");
}

static void test_loose(void)
{
	struct muxbus_model *model;
	struct muxbus_model_counts counts;
	if (!ok(model_new(&model) == 0, "a model"))
		return;
	add_session(model, 1, "one");
	add_window(model, 1, 1, 0, true, false);
	add_window(model, 2, 1, 0, true, false);
	add_pane(model, 6, 1, 0, true);
	is_int(model_finish(model), 0, "incomplete records are no error");
	muxbus_model_counts(model, &counts);
	ok(counts.links == 1 && counts.panes == 0, "links and panes without an owner are dropped");
	ok(model_is_cut(model), "and the loss is reported");
	model_free(model);

	is_int(model_new(&model), 0, "another");
	is_int(model_finish(model), 0, "an empty model");
	ok(muxbus_model_next_pane(model, NULL) == NULL &&
		muxbus_model_next_session(model, NULL) == NULL &&
		muxbus_model_pane(model, 0) == NULL && model_first_link(model, 0) == NULL,
	    "has nothing");
	model_free(model);
	model_free(NULL);
}

static void test_limits(void)
{
	struct muxbus_model *model;
	struct muxbus_model_counts counts;
	if (!ok(model_new(&model) == 0, "a model"))
		return;
	add_session(model, 1, "one");
	add_window(model, 1, 1, 0, true, false);
	for (uint32_t i = 0; i < MODEL_PANES_MAX * 5; i++)
		add_pane(model, 1, i, (int32_t)i, i == 0);
	for (uint32_t i = 0; i < MODEL_SESSIONS_MAX + 5; i++)
		add_session(model, 10 + i, "s");
	is_int(model_finish(model), 0, "too many");
	muxbus_model_counts(model, &counts);
	is_int(counts.panes, MODEL_PANES_MAX, "panes up to the maximum");
	is_int(counts.sessions, MODEL_SESSIONS_MAX, "sessions up to the maximum");
	ok(model_is_cut(model), "and the cut is reported");
	model_free(model);
}

static void test_strings(void)
{
	struct muxbus_model *model;
	char *large, *first, *second;
	bool intact;
	if (!ok(model_new(&model) == 0, "a model"))
		return;
	first = model_string(model, "one", 3);
	large = calloc(1, 100000);
	second = model_string(model, large, 100000);
	intact = strcmp(model_string(model, "", 0), "") == 0;
	for (size_t len = 8180; len < 8200; len++) {
		const char *copy = model_string(model, large, len);
		intact = intact && memcmp(copy, large, len) == 0 && copy[len] == '\0';
	}
	ok(intact && strcmp(first, "one") == 0 && second[100000] == '\0', "strings of all sizes");
	free(large);
	model_free(model);
}

/* Fails the allocation numbered fail_at, from 0. */
static long fail_at;

static void *failing_realloc(void *data, void *ptr, size_t size)
{
	(void)data;
	return fail_at-- == 0 ? NULL : realloc(ptr, size);
}

static void failing_free(void *data, void *ptr)
{
	(void)data;
	free(ptr);
}

static void test_memory(void)
{
	long failures = 0;
	mem_set_allocator(failing_realloc, failing_free, NULL);
	for (long i = 0; i < 1000; i++) {
		struct muxbus_model *model;
		fail_at = i;
		model = example();
		model_free(model);
		if (fail_at >= 0)
			break;
		failures++;
	}
	mem_set_allocator(NULL, NULL, NULL);
	ok(failures >= 7 && failures < 1000, "each of %ld allocations may fail", failures);
}

int main(void)
{
	struct muxbus_model *model = example();
	if (!ok(model != NULL, "a model of everything"))
		return done_testing();
	test_order(model);
	test_lookup(model);
	test_joins(model);
	model_free(model);
	test_loose();
	test_limits();
	test_strings();
	test_memory();
	return done_testing();
}
