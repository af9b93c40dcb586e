/* SPDX-License-Identifier: ISC */
/* muxbus top: what a key does when the lists change between a question and its answer. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/top/top_frame.h"
#include "cli/top/top_view.h"
#include "tap.h"
#include "typed_keys.h"

static const char two_panes[] = "{\"panes\":[{\"pane\":\"%1\"},{\"pane\":\"%2\"}]}";
static const char one_pane[] = "{\"panes\":[{\"pane\":\"%2\"}]}";
static const char no_pane[] = "{\"panes\":[]}";

struct top {
	struct top_model model;
	struct top_view view;
	struct json_reader *reader;
};

static void load(struct top *top, enum top_list list, const char *items)
{
	struct json_error error;
	const struct json *json = json_read(top->reader, items, strlen(items), &error);
	top_model_load(&top->model, list, json, -1);
}

static enum top_action type(struct top *top, const char *bytes)
{
	return type_keys(&top->view, &top->model, bytes);
}

static void begin(struct top *top)
{
	*top = (struct top){.reader = json_reader_new(1 << 20)};
	top_model_init(&top->model, "default");
	top_view_init(&top->view, 80, 24);
}

static void end(struct top *top)
{
	top_view_finish(&top->view);
	top_model_finish(&top->model);
	json_reader_free(top->reader);
}

/* Asks about the first pane, which then closes, and answers. */
static enum top_action answer_late(
    const char *list, const char *question, const char *left, const char *answer)
{
	struct top top;
	struct top_frame frame = {0};
	enum top_action action;
	begin(&top);
	load(&top, TOP_PANES, two_panes);
	(void)type(&top, list);
	(void)type(&top, question);
	is_str(top.view.chosen[top.view.list], "%1", "the question is about the first pane");
	load(&top, TOP_PANES, left);
	top_frame_draw(&frame, &top.view, &top.model, 0);
	action = type(&top, answer);
	if (action == TOP_CHANGED)
		is_str(top.view.message, "%1 is gone: nothing was done", "and top says so");
	is_int(top.view.prompt, TOP_PROMPT_NONE, "the question is over");
	top_frame_finish(&frame);
	end(&top);
	return action;
}

/* A key answers at once only if no number of a choice has two digits. */
static void test_choices(unsigned count, const char *keys, enum top_action action)
{
	struct top top;
	struct buf text = BUF(4096);
	begin(&top);
	(void)buf_printf(&text,
	    "{\"agents\":[{\"agent\":\"fix\",\"state\":\"blocked\",\"question\":\"Which?\","
	    "\"choices\":[");
	for (unsigned i = 1; i <= count; i++)
		(void)buf_printf(&text, "%s{\"choice\":%u,\"text\":\"x\"}", i > 1 ? "," : "", i);
	(void)buf_printf(&text, "]}]}");
	load(&top, TOP_AGENTS, buf_text(&text));
	(void)type(&top, "0a");
	is_int(type(&top, keys), action, "%u choices: %s", count, keys);
	buf_finish(&text);
	end(&top);
}

int main(void)
{
	is_int(answer_late("1", "x", two_panes, "y"), TOP_STOP, "a pane that is there is killed");
	is_int(answer_late("1", "x", one_pane, "y"), TOP_CHANGED, "not the pane in its place");
	is_int(answer_late("0", "x", one_pane, "y"), TOP_CHANGED, "nor on the home list");
	is_int(answer_late("0", "x", no_pane, "y"), TOP_CHANGED, "nor without any pane");
	is_int(answer_late("1", "s", two_panes, "ls\r"), TOP_SEND, "a text is sent");
	is_int(answer_late("1", "s", one_pane, "ls\r"), TOP_CHANGED, "but not to another pane");
	test_choices(9, "9", TOP_ANSWER);
	test_choices(10, "1", TOP_CHANGED);
	test_choices(16, ":", TOP_CHANGED);
	test_choices(10, "10\r", TOP_ANSWER);
	return done_testing();
}
