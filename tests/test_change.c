/* SPDX-License-Identifier: ISC */
/*
 * Comparing two models. A model is written as one line a record:
 *   S session name            W session window index current name layout
 *   P window pane index active pid dead title       C name pid session ours
 */
#include "lib/model/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lib/model/model.h"
#include "tap.h"

static void read_session(struct muxbus_model *model, const char *line)
{
	struct muxbus_session session = {.current_window = MUXBUS_NO_ID, .group = MUXBUS_NO_ID};
	char name[32];
	if (sscanf(line, "S %u %31s", &session.id, name) != 2)
		abort();
	session.name = model_string(model, name, strlen(name));
	if (session.name != NULL)
		model_add_session(model, &session);
}

static void read_window(struct muxbus_model *model, const char *line)
{
	struct muxbus_window window = {.active_pane = MUXBUS_NO_ID, .visible_layout = ""};
	struct muxbus_link link = {0};
	char name[32], layout[256];
	int is_current;
	if (sscanf(line, "W %u %u %d %d %31s %255s", &link.session, &link.window, &link.index,
		&is_current, name, layout) != 6)
		abort();
	link.is_current = is_current;
	window.id = link.window;
	link.has_bell = strchr(name, '!') != NULL;
	window.name = model_string(model, name, strlen(name));
	window.layout = model_string(model, layout, strlen(layout));
	if (window.name == NULL || window.layout == NULL)
		return;
	model_add_window(model, &window);
	model_add_link(model, &link);
}

static void read_pane(struct muxbus_model *model, const char *line)
{
	struct muxbus_pane pane = {
	    .tty = "", .command = "cat", .path = "/", .mode = "", .exit_status = -1};
	char title[32];
	int is_active, is_dead;
	if (sscanf(line, "P %u %u %d %d %d %d %31s", &pane.window, &pane.id, &pane.index,
		&is_active, &pane.pid, &is_dead, title) != 7)
		abort();
	pane.is_active = is_active;
	pane.is_dead = is_dead;
	pane.title = model_string(model, title, strlen(title));
	if (pane.title != NULL)
		model_add_pane(model, &pane);
}

static void read_client(struct muxbus_model *model, const char *line)
{
	struct muxbus_client client = {0};
	char name[32];
	int is_ours;
	if (sscanf(line, "C %31s %d %u %d", name, &client.pid, &client.session, &is_ours) != 4)
		abort();
	client.is_ours = is_ours;
	client.name = model_string(model, name, strlen(name));
	if (client.name != NULL)
		model_add_client(model, &client);
}

static struct muxbus_model *read_model(const char *text)
{
	struct muxbus_model *model;
	const char *line = text;
	if (model_new(&model) != 0)
		return NULL;
	while (line != NULL && *line != '\0') {
		if (*line == 'S')
			read_session(model, line);
		else if (*line == 'W')
			read_window(model, line);
		else if (*line == 'P')
			read_pane(model, line);
		else
			read_client(model, line);
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	if (model_finish(model) == 0)
		return model;
	model_free(model);
	return NULL;
}

static void write_id(char *out, size_t size, char sigil, uint32_t id)
{
	size_t len = strlen(out);
	if (id != MUXBUS_NO_ID)
		snprintf(out + len, size - len, " %c%u", sigil, id);
}

/* One line a change: its name, ids, previous text, and which states it brings. */
static void write_changes(char *out, size_t size, const struct change_list *list)
{
	out[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		size_t len = strlen(out);
		snprintf(out + len, size - len, "%s", muxbus_change_name(change->kind));
		write_id(out, size, '$', change->session);
		write_id(out, size, '@', change->window);
		write_id(out, size, '%', change->pane);
		write_id(out, size, 'w', change->previous_window);
		write_id(out, size, 'p', change->previous_pane);
		len = strlen(out);
		snprintf(out + len, size - len, "%s%s %s%s%s%s%s\n",
		    change->previous != NULL ? " was " : "",
		    change->previous != NULL ? change->previous : "",
		    change->session_now != NULL ? "s" : "", change->window_now != NULL ? "w" : "",
		    change->pane_now != NULL ? "p" : "", change->link_now != NULL ? "l" : "",
		    change->client_now != NULL ? "c" : "");
	}
}

static int find_all(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now)
{
	change_find_new(list, before, now);
	change_find_other(list, before, now);
	change_find_gone(list, before, now);
	return list->error;
}

static void expect(const char *what, const char *before, const char *now, const char *wanted)
{
	struct muxbus_model *a = read_model(before);
	struct muxbus_model *b = read_model(now);
	struct change_list list;
	char text[4096];
	change_list_init(&list);
	ok(find_all(&list, a, b) == 0, "%s: compared", what);
	write_changes(text, sizeof text, &list);
	is_str(text, wanted, "%s", what);
	change_list_finish(&list);
	model_free(a);
	model_free(b);
}

/* A layout of one pane, as tmux 3.8 writes it. */
#define JSON(height, more)                                                                       \
	"{\"V\":2,\"L\":{\"t\":\"p\",\"w\":8,\"h\":" #height ",\"x\":0,\"y\":0" more ",\"i\":0," \
	"\"I\":\"%1\"}}"

#define ONE                 \
	"S 1 work\n"        \
	"W 1 1 0 1 sh L1\n" \
	"P 1 1 0 1 100 0 t\n"

static void test_nothing(void)
{
	expect("the same", ONE, ONE, "");
	expect("nothing from nothing", "", "", "");
	expect("all from nothing", "", ONE,
	    "session_created $1 s\n"
	    "window_created $1 @1 swl\n"
	    "window_linked $1 @1 swl\n"
	    "pane_created $1 @1 %1 swp\n");
	expect("all to nothing", ONE, "",
	    "pane_closed $1 @1 %1 \n"
	    "window_unlinked $1 @1 \n"
	    "window_closed @1 \n"
	    "session_closed $1 \n");
}

static void test_sessions(void)
{
	expect("a session is renamed", ONE, "S 1 play\nW 1 1 0 1 sh L1\nP 1 1 0 1 100 0 t\n",
	    "session_renamed $1 was work s\n");
	expect("a window is made and shown", ONE,
	    "S 1 work\nW 1 1 0 0 sh L1\nP 1 1 0 1 100 0 t\nW 1 2 1 1 vi L2\nP 2 5 0 1 101 0 t\n",
	    "window_created $1 @2 swl\n"
	    "window_linked $1 @2 swl\n"
	    "pane_created $1 @2 %5 swp\n"
	    "session_window_changed $1 @2 w1 sw\n");
}

static void test_windows(void)
{
	expect("a window is renamed", ONE, "S 1 work\nW 1 1 0 1 vi L1\nP 1 1 0 1 100 0 t\n",
	    "window_renamed $1 @1 was sh swl\n");
	expect("a bell, once", ONE, "S 1 work\nW 1 1 0 1 sh! L1\nP 1 1 0 1 100 0 t\n",
	    "window_renamed $1 @1 was sh swl\nwindow_alert $1 @1 swl\n");
	expect("a layout in JSON", "S 1 work\nW 1 1 0 1 sh " JSON(1, "") "\n",
	    "S 1 work\nW 1 1 0 1 sh " JSON(2, "") "\n", "layout_changed $1 @1 swl\n");
	expect("is the same with another active pane", "S 1 work\nW 1 1 0 1 sh " JSON(1, "") "\n",
	    "S 1 work\nW 1 1 0 1 sh " JSON(1, ",\"a\":true,\"l\":0") "\n", "");
	expect("a window takes another index", ONE,
	    "S 1 work\nW 1 1 9 1 sh L1\nP 1 1 0 1 100 0 t\n", "window_linked $1 @1 swl\n");
	expect("a window is linked once more", ONE, ONE "S 2 b\nW 2 1 0 1 sh L1\n",
	    "session_created $2 s\nwindow_linked $2 @1 swl\n");
	expect("and unlinked", ONE "S 2 b\nW 2 1 0 1 sh L1\n", ONE,
	    "window_unlinked $2 @1 w\nsession_closed $2 \n");
}

static void test_panes(void)
{
	expect("a pane is split off", ONE,
	    "S 1 work\nW 1 1 0 1 sh L2\nP 1 1 0 0 100 0 t\nP 1 2 1 1 101 0 t\n",
	    "pane_created $1 @1 %2 swp\nlayout_changed $1 @1 swl\n"
	    "active_pane_changed $1 @1 %2 p1 swpl\n");
	expect("panes are swapped",
	    "S 1 work\nW 1 1 0 1 sh L2\nP 1 1 0 1 100 0 t\nP 1 2 1 0 101 0 t\n",
	    "S 1 work\nW 1 1 0 1 sh L2\nP 1 1 1 1 100 0 t\nP 1 2 0 0 101 0 t\n",
	    "pane_moved $1 @1 %1 w1 swp\npane_moved $1 @1 %2 w1 swp\n");
	expect("a title", ONE, "S 1 work\nW 1 1 0 1 sh L1\nP 1 1 0 1 100 0 new\n",
	    "title_changed $1 @1 %1 was t swp\n");
	expect("a pane dies", ONE, "S 1 work\nW 1 1 0 1 sh L1\nP 1 1 0 1 100 1 t\n", "");
	expect("a pane is started again", "S 1 work\nW 1 1 0 1 sh L1\nP 1 1 0 1 100 1 t\n",
	    "S 1 work\nW 1 1 0 1 sh L1\nP 1 1 0 1 107 0 t\n", "pane_respawned $1 @1 %1 swp\n");
}

static void test_clients(void)
{
	expect("a client comes", ONE, ONE "C pts/1 7 1 0\n", "client_attached $1 sc\n");
	expect("another takes its name", ONE "C pts/1 7 1 0\n", ONE "C pts/1 8 1 0\n",
	    "client_attached $1 sc\nclient_detached $1 sc\n");
	expect("ours are not spoken of", ONE, ONE "C client-9 9 1 1\n", "");
}

static void test_names(void)
{
	unsigned named = 0;
	for (int i = 0; i < MUXBUS_CHANGE_COUNT_; i++) {
		const char *name = muxbus_change_name((enum muxbus_change_kind)i);
		named += name != NULL && name[0] != '\0' && strcmp(name, "unknown") != 0;
	}
	is_int(named, MUXBUS_CHANGE_COUNT_, "every kind has a name");
	is_str(muxbus_change_name(MUXBUS_CHANGE_COUNT_), "unknown", "no kind");
}

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
	struct muxbus_model *before = read_model(ONE);
	struct muxbus_model *now = read_model("S 2 x\nW 2 2 0 1 a b\nP 2 2 0 1 5 0 t\n"
					      "P 2 3 1 0 5 0 t\nP 2 4 2 0 5 0 t\n");
	struct change_list list;
	unsigned passed_over = 0;
	long i;
	mem_set_allocator(failing_realloc, failing_free, NULL);
	for (i = 0; i < 100; i++) {
		int error;
		fail_at = i;
		change_list_init(&list);
		error = find_all(&list, before, now);
		passed_over += error == 0 && (fail_at < 0 || list.count != 10);
		change_list_finish(&list);
		if (error == 0)
			break;
	}
	mem_set_allocator(NULL, NULL, NULL);
	ok(i >= 2 && i < 100, "each of %ld allocations may fail", i);
	is_int(passed_over, 0, "and none is passed over");
	model_free(before);
	model_free(now);
}

int main(void)
{
	test_nothing();
	test_sessions();
	test_windows();
	test_panes();
	test_clients();
	test_names();
	test_memory();
	return done_testing();
}
