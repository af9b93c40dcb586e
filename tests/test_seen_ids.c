/* SPDX-License-Identifier: ISC */
/* Ids in notifications that listings missed. */
#include "lib/sync/seen_ids.h"

#include "lib/model/model.h"
#include "tap.h"

static const struct parts everything = {.all = true};

/* A model of one session with window @0 and the panes up to %last. */
static struct muxbus_model *model_of(uint32_t last)
{
	struct muxbus_session session = {.id = 0, .name = "s"};
	struct muxbus_window window = {.id = 0, .name = "w", .layout = "", .visible_layout = ""};
	struct muxbus_link link = {.session = 0, .window = 0};
	struct muxbus_pane pane = {
	    .tty = "", .title = "", .command = "", .path = "", .mode = "", .exit_status = -1};
	struct muxbus_model *model;
	if (model_new(&model) != 0)
		return NULL;
	model_add_session(model, &session);
	model_add_window(model, &window);
	model_add_link(model, &link);
	for (pane.id = 0; pane.id <= last; pane.id++)
		model_add_pane(model, &pane);
	return model_finish(model) == 0 ? model : NULL;
}

static void note(struct seen_ids *list, uint32_t window, uint32_t pane, const char *layout)
{
	struct muxbus_event event = {.window = window, .pane = pane, .layout = layout};
	seen_ids_note(list, &event);
}

static unsigned count_missed(struct seen_ids *list, const struct muxbus_model *model)
{
	struct seen_id id;
	unsigned count = 0;
	while (seen_ids_next_missed(list, model, &id))
		count++;
	seen_ids_end_listing(list, model);
	return count;
}

int main(void)
{
	static struct seen_ids list;
	struct muxbus_model *two = model_of(1), *three = model_of(2);
	seen_ids_init(&list);
	note(&list, 5, 9, NULL);
	is_int(list.count, 0, "before the first listing nothing is missed");
	seen_ids_begin_listing(&list, &everything);
	is_int(count_missed(&list, two), 0, "nor in it");

	note(&list, 0, 1, NULL);
	is_int(list.count, 0, "a known id is not recorded");
	note(&list, 0, 2, NULL);
	is_int(count_missed(&list, two), 0, "a listing that began earlier proves nothing");
	seen_ids_begin_listing(&list, &everything);
	is_int(count_missed(&list, three), 0, "the next listing has it");
	is_int(list.count, 0, "and the id is settled");
	is_int(count_missed(&list, two), 0, "also when it closes later");

	note(&list, 3, 7, NULL);
	note(&list, 3, 7, NULL);
	seen_ids_begin_listing(&list, &everything);
	is_int(count_missed(&list, two), 2, "a window and its pane that opened and closed");
	note(&list, 3, 7, NULL);
	seen_ids_begin_listing(&list, &everything);
	is_int(count_missed(&list, two), 0, "are missed once");

	note(&list, 0, MUXBUS_NO_ID, "8a5e,80x24,0,0{40x24,0,0,8,39x24,41,0,9}");
	is_int(list.count, 0, "a layout whose checksum is wrong names nothing");
	for (uint32_t i = 0; i < 2 * SEEN_IDS_MAX; i++)
		note(&list, 0, 100 + i, NULL);
	is_int(list.count, SEEN_IDS_MAX, "there is a maximum");
	seen_ids_begin_listing(&list, &everything);
	is_int(count_missed(&list, two), SEEN_IDS_MAX, "up to which all are reported");
	model_free(two);
	model_free(three);
	return done_testing();
}
