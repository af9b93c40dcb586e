/* SPDX-License-Identifier: ISC */
/*
 * muxbus top without a terminal: exact frames for a model and a size; the effect of keys; keys
 * from bytes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/tmux_client.h"
#include "cli/top/top_frame.h"
#include "cli/top/top_line.h"
#include "cli/top/top_model.h"
#include "cli/top/top_view.h"
#include "tap.h"
#include "typed_keys.h"

#define NOW "2026-11-21T12:00:00.000Z"

static const char panes[] =
    "{\"panes\":["
    "{\"pane\":\"%0\",\"session_name\":\"work\",\"window_index\":0,\"pane_index\":0,\"active\":"
    "true,"
    "\"title\":\"main.c\",\"command\":\"vim\",\"path\":\"/home/ann/src\",\"dead\":false,"
    "\"exit_status\":null,\"mode\":null,\"human\":true,"
    "\"last_output\":\"2026-11-21T11:59:57.000Z\"},"
    "{\"pane\":\"%1\",\"session_name\":\"work\",\"window_index\":1,\"pane_index\":0,\"active\":"
    "true,"
    "\"title\":\"\\u001b[31mred\\u202e\",\"command\":\"make\",\"path\":\"/home/ann/src\","
    "\"dead\":true,\"exit_status\":2,\"mode\":null,\"human\":false,\"last_output\":null},"
    "{\"pane\":\"%12\",\"session_name\":\"\346\227\245\346\234\254\",\"window_index\":0,"
    "\"pane_index\":1,\"active\":false,\"title\":\"a title that is much too long for a column of a "
    "list\",\"command\":\"tail\",\"path\":\"/a/very/long/path/to/sh/to/some/directory/that/ends/"
    "here\","
    "\"dead\":false,\"exit_status\":null,\"mode\":\"copy-mode\",\"human\":false,"
    "\"last_output\":\"2026-11-21T09:00:00.000Z\"}]}";

static const char jobs[] =
    "{\"jobs\":["
    "{\"id\":\"A1B2\",\"name\":\"tests\",\"command\":\"make check\",\"pane\":\"%0\",\"state\":"
    "\"stopped\",\"exit_code\":null,\"signal\":15,\"started\":\"2026-11-21T11:00:00.000Z\","
    "\"duration_ms\":61500,\"log_bytes\":20480},"
    "{\"id\":\"C3D4\",\"name\":null,\"command\":\"sleep 100\",\"pane\":null,\"state\":\"running\","
    "\"exit_code\":null,\"signal\":null,\"started\":\"2026-11-21T11:59:30.000Z\",\"duration_ms\":"
    "null,\"log_bytes\":0}]}";

static const char status[] =
    "{\"version\":\"0.1.0\",\"tmux\":{\"version\":\"3.4\"},\"uptime_sec\":200,\"sessions\":2,"
    "\"windows\":3,\"peers\":1,\"waits\":2,\"queue\":{\"last\":40,\"undelivered\":1,\"consumers\":"
    "0}}";

struct top {
	struct top_model model;
	struct top_view view;
	struct top_frame frame;
	struct json_reader *reader;
	int64_t now_ms;
	struct buf text;
};

static const struct json *read_json(struct top *top, const char *text)
{
	struct json_error error;
	const struct json *json = json_read(top->reader, text, strlen(text), &error);
	ok(json != NULL, "the sample is JSON");
	return json;
}

static void begin(struct top *top, unsigned columns, unsigned rows)
{
	*top = (struct top){.now_ms = clock_parse(NOW), .reader = json_reader_new(1 << 20)};
	top_model_init(&top->model, "default");
	top_view_init(&top->view, columns, rows);
	buf_init(&top->text, 1 << 20);
	top_model_load(&top->model, TOP_PANES, read_json(top, panes), -1);
	top_model_load(&top->model, TOP_JOBS, read_json(top, jobs), -1);
	top_model_load_status(&top->model, read_json(top, status), top->now_ms);
}

static void end(struct top *top)
{
	top_model_finish(&top->model);
	top_view_finish(&top->view);
	top_frame_finish(&top->frame);
	json_reader_free(top->reader);
	buf_finish(&top->text);
}

/* The frame as lines without the blanks at their ends. */
static const char *frame(struct top *top)
{
	top_frame_draw(&top->frame, &top->view, &top->model, top->now_ms);
	buf_clear(&top->text);
	for (unsigned i = 0; i < top->frame.count; i++) {
		const struct buf *row = &top->frame.rows[i];
		if (row->len > 0)
			(void)buf_append(&top->text, row->data, row->len);
		while (top->text.len > 0 && top->text.data[top->text.len - 1] == ' ')
			top->text.data[--top->text.len] = '\0';
		(void)buf_append_byte(&top->text, '\n');
	}
	return (const char *)top->text.data;
}

/* Types keys; returns the action of the last one. */
static enum top_action type(struct top *top, const char *bytes)
{
	return type_keys(&top->view, &top->model, bytes);
}

/* The pane whose screen is needed now, or the job whose log is. */
static const char *wants(struct top *top)
{
	bool is_log;
	return top_view_wants(&top->view, &top->model, &is_log);
}

static void test_panes(void)
{
	struct top top;
	begin(&top, 80, 9);
	is_str(frame(&top),
	    "muxbus default  tmux 3.4 · up 3m · 2 sessions · 3 windows · 2 waits       ● live\n"
	    " Home  [Panes 3]  Jobs 2   Timers   Watches   Queue 1\n"
	    "  PANE   WHERE           STATE     OUTPUT   CPU  COMMAND       TITLE\n"
	    "> %0     work:0.0        human         3s        vim           main.c\n"
	    "  %1     work:1.0        exit 2                  make          \\x1b[31mred\\u202e\n"
	    "  %12    日本:0.1        copying       3h        tail          a title that is …\n"
	    "\n"
	    "\n"
	    "↑↓←→ move  Enter go  / filter  c screen  x kill  p pause  ? help  q quit\n",
	    "panes on 80 columns");
	top.view.columns = 136;
	ok(strstr(frame(&top), " PATH\n> %0 ") &&
		strstr(top.text.data ? (char *)top.text.data : "",
		    "…h/to/some/directory/that/ends/here\n"),
	    "on 136 the path has room, and its end is seen");
	top.view.columns = 34;
	top.view.rows = 6;
	is_str(frame(&top),
	    "muxbus default  tmux 3.4    ● live\n"
	    "[Panes 3]\n"
	    "  PANE   COMMAND\n"
	    "> %0     vim\n"
	    "  %1     make\n"
	    "? help  q quit\n",
	    "on 34 by 6 the important part is there");
	(void)snprintf(top.model.home, sizeof top.model.home, "/home/ann");
	top.view.columns = 130;
	top.view.rows = 9;
	ok(strstr(frame(&top), " ~/src\n") != NULL, "the user's own directory is ~");
	end(&top);
}

static const char fleet_panes[] =
    "{\"panes\":["
    "{\"pane\":\"B:%3\",\"session_name\":\"work\",\"window_index\":0,\"pane_index\":0,"
    "\"command\":\"vim\",\"title\":\"main.c\",\"path\":\"/src\",\"pid\":1,\"host\":\"B\","
    "\"server\":\"default\"},"
    "{\"pane\":\"gpu1/train:%12\",\"session_name\":\"gpu\",\"window_index\":1,\"pane_index\":0,"
    "\"command\":\"python\",\"title\":\"run\",\"path\":\"/src\",\"host\":\"gpu1\",\"server\":"
    "\"train\"},"
    "{\"pane\":\"here:%0\",\"session_name\":\"main\",\"window_index\":0,\"pane_index\":0,"
    "\"command\":\"sh\",\"title\":\"\",\"path\":\"/\",\"host\":\"here\",\"server\":\"default\"}],"
    "\"hosts\":[],\"missing\":[{\"host\":\"dead\",\"server\":\"default\",\"reason\":"
    "\"ssh: no route\"}]}";

static const char fleet_jobs[] =
    "{\"jobs\":[{\"id\":\"B:C3D4\",\"name\":null,\"command\":\"make\",\"pane\":\"B:%3\","
    "\"state\":\"running\",\"started\":\"2026-11-21T11:59:30.000Z\",\"host\":\"B\",\"server\":"
    "\"default\"}],\"hosts\":[],\"missing\":[]}";

static const char fleet_queue[] =
    "{\"notifications\":[{\"seq\":7,\"id\":\"B:N1\",\"state\":\"queued\",\"source\":\"job\","
    "\"pane\":null,\"text\":\"done\",\"host\":\"B\",\"server\":\"default\"}],\"hosts\":[],"
    "\"missing\":[]}";

static const char fleet_status[] =
    "{\"version\":\"0.1.0\",\"uptime_sec\":200,\"fleet\":{\"hosts\":4,\"down\":1,"
    "\"connecting\":0,\"up\":3},\"peers\":1,\"waits\":2}";

static void begin_fleet(struct top *top)
{
	begin(top, 80, 9);
	top_model_load(&top->model, TOP_PANES, read_json(top, fleet_panes), -1);
	top_model_load(&top->model, TOP_JOBS, read_json(top, fleet_jobs), -1);
	top_model_load(&top->model, TOP_QUEUE, read_json(top, fleet_queue), -1);
	top_model_load_status(&top->model, read_json(top, fleet_status), top->now_ms);
	(void)snprintf(top->model.name, sizeof top->model.name, "fleet");
}

/* The ids of a fleet are shown without the host, and stay targets. */
static void test_fleet(void)
{
	struct top top;
	char own[256] = "", way[400];
	begin_fleet(&top);
	is_str(frame(&top),
	    "muxbus fleet  4 hosts, 3 up, 1 down · since 3m · 2 waits · 1 peer         ● live\n"
	    " Home 1  [Panes 3]  Jobs 1   Timers   Watches   Queue 1\n"
	    "missing: dead/default: ssh: no route\n"
	    "  PANE   HOST        WHERE           OUTPUT  COMMAND       TITLE\n"
	    "> %3     B           work:0.0                vim           main.c\n"
	    "  %12    gpu1/train  gpu:1.0                 python        run\n"
	    "  %0     here        main:0.0                sh\n"
	    "\n"
	    "↑↓←→ move  Enter go  / filter  c screen  x kill  p pause  ? help  q quit\n",
	    "panes of a fleet on 80 columns");
	is_str(wants(&top) != NULL ? wants(&top) : "none", "none", "no screen is asked for");
	type(&top, "c");
	is_str(wants(&top), "B:%3", "c asks its host for the screen");
	type(&top, "q");
	is_int(type(&top, "\r"), TOP_CHANGED, "Enter goes nowhere");
	is_str(top.view.message, "%3 is on B: ssh -t B tmux attach -t %3", "but says the way");
	type(&top, "\033[B\r");
	is_str(top.view.message, "%12 is on gpu1: ssh -t gpu1 tmux -L train attach -t %12",
	    "to another server of tmux");
	is_int(top.model.lists[TOP_PANES].items[0].pid, 0, "no process here is measured");
	(void)gethostname(own, sizeof own - 1);
	own[strcspn(own, ".")] = '\0';
	tmux_client_way(way, sizeof way, "here:%0", own, "default");
	is_str(way, "%0 is on this machine: tmux attach -t %0", "and on this machine");
	type(&top, "/gpu1\r");
	is_str(top_view_chosen(&top.view, &top.model)->id, "gpu1/train:%12", "a host is a filter");
	type(&top, "\0332");
	ok(strstr(frame(&top), "\n> C3D4   B     running ") != NULL, "a job has its host");
	is_int(type(&top, "xy"), TOP_STOP, "x stops");
	is_str(top.view.chosen[TOP_JOBS], "B:C3D4", "the job there");
	type(&top, "l");
	is_str(wants(&top), "B:C3D4", "l asks for its log there");
	type(&top, "q5");
	ok(strstr(frame(&top), "[Queue 1]") != NULL, "the queue is counted");
	type(&top, "xy");
	is_str(top.view.chosen[TOP_QUEUE], "B/default:7", "a number with its host is a target");
	end(&top);
}

static void test_any_size(void)
{
	struct top top;
	unsigned wrong = 0;
	begin_fleet(&top);
	for (int mode = TOP_MODE_LIST; mode <= TOP_MODE_HELP; mode++)
		for (unsigned columns = 1; columns < 90; columns += columns < 20 ? 1 : 7)
			for (unsigned rows = 1; rows < 70; rows += rows < 12 ? 1 : 9) {
				top.view.columns = columns;
				top.view.rows = rows;
				top.view.mode = (enum top_mode)mode;
				top_frame_draw(&top.frame, &top.view, &top.model, top.now_ms);
				wrong += top.frame.count != rows;
				for (unsigned i = 0; i < rows; i++) {
					const struct buf *row = &top.frame.rows[i];
					wrong += row->len > 0 &&
					    utf8_cells(row->data, row->len) > columns;
				}
			}
	is_int(wrong, 0, "at any size no row is wider than the screen");
	end(&top);
}

static void test_jobs(void)
{
	struct top top;
	begin(&top, 80, 7);
	type(&top, "\033[C");
	is_str(frame(&top),
	    "muxbus default  tmux 3.4 · up 3m · 2 sessions · 3 windows · 2 waits       ● live\n"
	    " Home   Panes 3  [Jobs 2]  Timers   Watches   Queue 1\n"
	    "  JOB    STATE       EXIT    AGE    TOOK    LOG  PANE   COMMAND\n"
	    "> C3D4   running             30s              0         sleep 100\n"
	    "  A1B2   stopped   SIG 15     1h    1m01    20K  %0     tests: make check\n"
	    "\n"
	    "↑↓←→ move  Enter go  / filter  l log  x stop  p pause  ? help  q quit\n",
	    "jobs, the last one first");
	is_int(type(&top, "x"), TOP_CHANGED, "x asks");
	ok(strstr(frame(&top), "\nstop C3D4? y: yes, any other key: no\n") != NULL, "so");
	is_int(type(&top, "n"), TOP_CHANGED, "n refuses");
	ok(strstr(frame(&top), "\nnothing was done\n") != NULL, "and the refusal is shown");
	is_int(type(&top, "xy"), TOP_STOP, "y confirms");
	is_str(top.view.chosen[TOP_JOBS], "C3D4", "for this job");
	is_int(type(&top, "\033[D"), TOP_CHANGED, "back");
	is_int(type(&top, "xn"), TOP_CHANGED, "a pane is killed after a question only");
	top.view.rows = 20;
	type(&top, "2\033[Bd");
	ok(strstr(frame(&top), "\nid               A1B2\n") &&
		strstr((char *)top.text.data, "\nsignal           15\n"),
	    "d shows all details");
	is_int(type(&top, "q"), TOP_CHANGED, "q goes back");
	is_int(type(&top, "q"), TOP_QUIT, "and then out");
	end(&top);
}

/* Enter goes to the pane of an item, and opens an item without a pane. */
static void test_enter(void)
{
	struct top top;
	begin(&top, 80, 20);
	(void)snprintf(top.view.own_pane, sizeof top.view.own_pane, "%%0");
	is_str(
	    top_view_chosen(&top.view, &top.model)->id, "%1", "the first choice is another pane");
	is_int(type(&top, "\r"), TOP_GO, "Enter goes there");
	is_str(top.view.chosen[TOP_PANES], "%1", "to this pane");
	is_int(type(&top, "2\033[B\r"), TOP_GO, "and to the pane of a job");
	is_str(top_view_chosen(&top.view, &top.model)->pane, "%0", "of this job");
	is_int(type(&top, "\033[A\r"), TOP_CHANGED, "a job without a pane");
	ok(strstr(frame(&top), "\nid               C3D4\n") != NULL, "opens");
	end(&top);
}

/* The end of a log stays on the screen until the user scrolls. */
static void test_log(void)
{
	struct top top;
	bool is_log;
	begin(&top, 80, 5);
	is_int(type(&top, "l"), TOP_NOTHING, "a pane has no log");
	type(&top, "2l");
	is_str(top_view_wants(&top.view, &top.model, &is_log), "C3D4", "l asks for a job's log");
	ok(is_log, "which is no screen of a pane");
	top_view_preview(&top.view, "C3D4", "one\ntwo\nthree\n", 14);
	ok(strstr(frame(&top), "\ntwo\nthree\n") != NULL, "its end is shown");
	top_view_preview(&top.view, "C3D4", "one\ntwo\nthree\n\033[31mfour\033[m\n", 27);
	ok(strstr(frame(&top), "\nthree\nfour\n") != NULL, "and followed, without its colours");
	type(&top, "\033[A");
	top_view_preview(&top.view, "C3D4", "one\ntwo\nthree\nfour\nfive\n", 24);
	ok(strstr(frame(&top), "\ntwo\nthree\n") != NULL, "until the user scrolls up");
	type(&top, "G");
	ok(strstr(frame(&top), "\nfour\nfive\n") != NULL, "G follows again");
	end(&top);
}

/* The help is read on terminals of 80 columns. */
static void test_help(void)
{
	struct top top;
	const char *line;
	unsigned wide = 0, rows = 0;
	begin(&top, 200, 40);
	type(&top, "?");
	/* Behind the head and the rule, which fill the screen. */
	line = strstr(frame(&top), "\nUp, Down, k, j ");
	for (; line != NULL; line = strchr(line + 1, '\n')) {
		wide += strcspn(line + 1, "\n") > 80;
		rows++;
	}
	ok(rows > 10 && wide == 0, "the help fits 80 columns (%u of %u rows do not)", wide, rows);
	top.view.columns = 80;
	top.view.rows = 24;
	ok(strstr(frame(&top), "\nnotifications.\n") != NULL, "and 24 rows");
	end(&top);
}

static void test_choice_stays(void)
{
	struct top top;
	begin(&top, 80, 9);
	type(&top, "\033[B\033[B");
	is_str(top.view.chosen[TOP_PANES], "%12", "down twice");
	type(&top, "\033[A");
	is_str(top.view.chosen[TOP_PANES], "%1", "up once");
	top_model_load(&top.model, TOP_PANES,
	    read_json(&top, "{\"panes\":[{\"pane\":\"%7\"},{\"pane\":\"%1\"},{\"pane\":\"%9\"}]}"),
	    -1);
	is_str(top_view_chosen(&top.view, &top.model)->id, "%1", "the selection stays on its pane");
	top_model_load(&top.model, TOP_PANES,
	    read_json(&top, "{\"panes\":[{\"pane\":\"%7\"},{\"pane\":\"%9\"}]}"), -1);
	is_str(top_view_chosen(&top.view, &top.model)->id, "%9",
	    "or moves to the next one if its pane closes");
	top_model_load(&top.model, TOP_PANES, read_json(&top, "{\"panes\":[]}"), -1);
	ok(top_view_chosen(&top.view, &top.model) == NULL, "no selection in an empty list");
	ok(strstr(frame(&top), "\n  nothing\n") != NULL, "and the screen shows that it is empty");
	is_int(type(&top, "\r"), TOP_NOTHING, "there is nothing to go to");
	end(&top);
}

static void test_scroll(void)
{
	struct top top;
	struct buf many;
	begin(&top, 60, 10);
	buf_init(&many, 100000);
	(void)buf_append_str(&many, "{\"panes\":[");
	for (int i = 0; i < 100; i++)
		(void)buf_printf(
		    &many, "%s{\"pane\":\"%%%d\",\"command\":\"c%d\"}", i ? "," : "", i, i);
	(void)buf_append_str(&many, "]}");
	top_model_load(&top.model, TOP_PANES, read_json(&top, (char *)many.data), -1);
	frame(&top);
	type(&top, "\033[6~\033[6~");
	is_str(top.view.chosen[TOP_PANES], "%10", "two pages down");
	ok(strstr(frame(&top), "\n> %10 ") && strstr((char *)top.text.data, "\n  %5 ") &&
		!strstr((char *)top.text.data, "\n  %4 "),
	    "the chosen one is the last on the screen");
	type(&top, "G");
	ok(strstr(frame(&top), "\n> %99 ") && strstr((char *)top.text.data, "\n  %94 "), "the end");
	type(&top, "g");
	ok(strstr(frame(&top), "\n> %0 ") && strstr((char *)top.text.data, "\n  %5 "), "the top");
	buf_finish(&many);
	end(&top);
}

static void test_filter(void)
{
	struct top top;
	begin(&top, 80, 9);
	type(&top, "/TA\303\251\177i");
	ok(strstr(frame(&top), "\nfilter: TAi_   Enter keeps it, Esc clears it\n") &&
		strstr((char *)top.text.data, "\n> %12 ") && !strstr((char *)top.text.data, "%0"),
	    "only rows with the text in any column, in any case");
	is_int(type(&top, "q\r"), TOP_CHANGED, "letters go into it; Enter keeps it");
	ok(strstr(frame(&top), "\n  nothing matches \"TAiq\"\n") != NULL, "nothing is left");
	is_int(type(&top, "\033"), TOP_CHANGED, "Esc clears it");
	ok(strstr(frame(&top), "> %0") != NULL, "and all are there");
	type(&top, "/");
	for (int i = 0; i < 100; i++)
		type(&top, "\342\202\254");
	is_int((long long)strlen(top.view.filter), TOP_FILTER_MAX, "the filter has a maximum");
	end(&top);
}

static void test_panel(void)
{
	struct top top;
	static const char screen[] = "one\n\033two\nthree\n";
	begin(&top, 60, 32);
	is_str(wants(&top), "%0", "a high screen asks for the pane's screen");
	top_view_preview(&top.view, "%0", screen, sizeof screen - 1);
	ok(strstr(frame(&top),
	       "\n── %0 work:0.0 vim main.c /home/ann/src "
	       "────────────────────\none\n\\x1btwo\nthree\n"),
	    "and shows it below");
	type(&top, "\033[B");
	ok(!strstr(frame(&top), "\nthree\n"), "and it is not shown for another pane");
	top.view.rows = 24;
	ok(wants(&top) == NULL, "a low screen does not");
	type(&top, "c");
	is_str(wants(&top), "%1", "except on request");
	type(&top, "\033");
	type(&top, "2");
	top.view.rows = 40;
	ok(strstr(frame(&top), "\nid               C3D4\n") != NULL, "the details of a job");
	end(&top);
}

/* Lines of a captured screen, each in so many columns, styles and all. */
static void describe_screen(
    struct buf *out, const char *const *lines, size_t columns, bool has_color)
{
	struct top_ink ink = {.len = 0};
	buf_clear(out);
	for (; *lines; lines++) {
		struct top_line line;
		struct buf row;
		buf_init(&row, 10000);
		top_line_begin(&line, &row, columns, true, has_color, false);
		top_line_put_screen(&line, &ink, *lines, strlen(*lines));
		top_line_end(&line);
		if (row.len > 0)
			(void)buf_append(out, row.data, row.len);
		(void)buf_append_byte(out, '|');
		buf_finish(&row);
	}
}

static void test_screen(void)
{
	static const char *const lines[] = {"a\033[31mred", "still\033[1mbold\033[0m.",
	    "\033[2J\033]0;x\a\033[m!", "\016lqk\017q", "\033]8;;http://x\033\\link\033]8;;\033\\.",
	    "\033[38;2;1;2;3mlong\033[0;4mlonger", "under", NULL};
	struct buf out;
	struct top_ink ink;
	buf_init(&out, 10000);
	describe_screen(&out, lines, 20, true);
	is_str((char *)out.data,
	    "a\033[31mred\033[0m|\033[31mstill\033[1mbold\033[0m.\033[0m|"
	    "\\x1b[2J\\x1b]0;x\\x07\033[m!\033[0m|┌─┐q\033[0m|link.\033[0m|"
	    "\033[38;2;1;2;3mlong\033[0;4mlonger\033[0m|\033[0;4munder\033[0m|",
	    "colours pass through, other controls are made visible");
	describe_screen(&out, lines, 6, false);
	is_str((char *)out.data, "ared|still…|\\x1b[…|┌─┐q|link.|longl…|under|",
	    "without colours only text, as far as it fits");
	ink = (struct top_ink){.len = 0};
	for (int i = 0; i < 1000; i++)
		top_line_put_screen(NULL, &ink, "\033[1;2;3;4;5m", 12);
	ok(ink.len <= sizeof ink.text, "the text has a maximum");
	buf_finish(&out);
}

static void test_trouble(void)
{
	struct top top;
	begin(&top, 50, 6);
	(void)snprintf(top.model.trouble, sizeof top.model.trouble, "muxbusd has ended");
	ok(strstr(frame(&top), "● lost\n") &&
		strstr((char *)top.text.data, "\nmuxbusd has ended\n"),
	    "a lost daemon is shown");
	top.model.trouble[0] = '\0';
	is_int(type(&top, "p"), TOP_CHANGED, "p pauses");
	ok(strstr(frame(&top), "● paused\n") != NULL, "and the pause is shown");
	is_int(type(&top, "p"), TOP_RESUME, "and again resumes");
	is_int(type(&top, "\003"), TOP_QUIT, "C-c ends it");
	is_int(type(&top, "\032"), TOP_SUSPEND, "C-z stops it");
	is_int(type(&top, "6"), TOP_NOTHING, "without agents there is no list of agents");
	top_model_load(&top.model, TOP_AGENTS,
	    read_json(&top,
		"{\"agents\":[{\"agent\":\"gem\",\"command\":[\"gemini\",\"-y\"],\"state\":"
		"\"busy\",\"pane\":\"%1\"}]}"),
	    -1);
	is_int(type(&top, "6"), TOP_CHANGED, "with an agent there is one");
	top.view.columns = 100;
	ok(strstr(frame(&top), " gemini -y\n") != NULL, "with its agents");
	end(&top);
}

/* Columns share the rest of a row as their texts need it, and a timer shows its text. */
static void test_shares(void)
{
	static const char agents[] =
	    "{\"agents\":[{\"agent\":\"gem\",\"command\":[\"gemini\"],\"state\":\"ready\","
	    "\"reason\":\"its prompt is at the cursor\",\"pane\":\"%1\"}]}";
	static const char timers[] = "{\"timers\":[{\"id\":\"A1B2\",\"pane\":\"%1\",\"due\":"
				     "\"2026-11-21T12:10:00.000Z\",\"text\":\"the tea\"}]}";
	struct top top;
	begin(&top, 80, 6);
	top_model_load(&top.model, TOP_AGENTS, read_json(&top, agents), -1);
	(void)type(&top, "6");
	ok(strstr(frame(&top), "  its prompt is at the cursor  gemini\n") != NULL,
	    "a long text has the room that a short one leaves");
	top_model_load(&top.model, TOP_TIMERS, read_json(&top, timers), -1);
	top.view.columns = 80;
	(void)type(&top, "3");
	ok(strstr(frame(&top), "> A1B2     10m00") != NULL && strstr(frame(&top), "  the tea\n"),
	    "a timer has its text");
	end(&top);
}

/* A failed job that ended then. */
static void load_ended(struct top *top, int64_t real_ms)
{
	char text[256], at[CLOCK_TEXT_SIZE];
	clock_format(real_ms, at);
	(void)snprintf(text, sizeof text,
	    "{\"jobs\":[{\"id\":\"C3D4\",\"state\":\"failed\",\"ended\":\"%s\"}]}", at);
	top_model_load(&top->model, TOP_JOBS, read_json(top, text), -1);
}

/* The home list: what needs a person first, and an answer in two keys. */
static void test_home(void)
{
	static const char agents[] =
	    "{\"agents\":[{\"agent\":\"fix\",\"state\":\"blocked\",\"pane\":\"%0\",\"since\":"
	    "\"2026-11-21T11:57:00.000Z\",\"question\":\"Go on?\",\"choices\":[{\"choice\":1,"
	    "\"text\":\"Yes\"},{\"choice\":2,\"text\":\"No\"}]}]}";
	static const char ended[] =
	    "{\"jobs\":[{\"id\":\"A1B2\",\"name\":\"ok\",\"command\":\"true\",\"state\":\"exited\","
	    "\"ended\":\"2999-11-21T11:00:00.000Z\"},{\"id\":\"C3D4\",\"command\":\"exec make\","
	    "\"state\":\"failed\",\"exit_code\":2,\"ended\":\"2999-11-21T11:00:00.000Z\"}]}";
	struct top top;
	begin(&top, 80, 12);
	top_model_load(&top.model, TOP_AGENTS, read_json(&top, agents), -1);
	top_model_load(&top.model, TOP_PANES, read_json(&top, panes), -1);
	top_model_load(&top.model, TOP_JOBS, read_json(&top, ended), -1);
	(void)type(&top, "0");
	ok(strstr(frame(&top),
	       "\n> needs you  fix        3m  Go on?  1 Yes  2 No  (a answers)\n"
	       "             C3D4      now  exit 2  make\n"
	       "  finished   A1B2      now  exited  ok: true\n"
	       "  panes      %0      work:0                  3s  blocked  vim  main.c\n"
	       "             %1        :1                        exit 2  make  ") != NULL,
	    "questions, failures, ends, and panes as a tree: %s", frame(&top));
	top.model.looked_ms = clock_real_ms() - 2 * 3600000LL;
	load_ended(&top, clock_real_ms() - 90 * 60000LL);
	ok(strstr(frame(&top), "C3D4 ") != NULL, "what ended since a person looked");
	load_ended(&top, top.model.looked_ms - 60000);
	ok(strstr(frame(&top), "C3D4") == NULL, "what was looked at an hour ago is left out");
	top_model_load(&top.model, TOP_JOBS, read_json(&top, ended), -1);
	is_str(wants(&top), NULL, "a low screen asks for no other screen");
	(void)type(&top, "\033[B");
	is_int(type(&top, "a2"), TOP_ANSWER, "a and the number of a choice answer");
	is_str(top.view.answer, "2", "with that choice");
	is_str(top.view.chosen[TOP_HOME], "fix", "the agent that asks");
	is_int(type(&top, "a9x\177\r"), TOP_ANSWER, "a text is ended by Enter");
	is_str(top.view.answer, "9", "and may be corrected");
	is_int(type(&top, "a\033"), TOP_CHANGED, "Esc leaves it");
	is_int(type(&top, "sls\r"), TOP_SEND, "s sends a text");
	top.view.rows = 24;
	is_str(wants(&top), "%0", "a higher one shows the screen of the agent");
	(void)type(&top, "\033[B");
	is_str(wants(&top), "C3D4", "or the log of a job");
	(void)type(&top, "/:1");
	ok(strstr(frame(&top), "needs you") == NULL, "windows are found by their names");
	end(&top);
}

static void test_queue(void)
{
	struct top top;
	const struct top_items *items;
	char *text = xasprintf("{\"notifications\":[{\"seq\":50,\"text\":\"%05000d\"}]}", 7);
	begin(&top, 80, 9);
	top_model_load(&top.model, TOP_QUEUE,
	    read_json(&top,
		"{\"notifications\":[{\"seq\":30,\"id\":\"A\",\"state\":\"queued\",\"text\":\"x\"},"
		"{\"seq\":40,\"id\":\"B\",\"state\":\"acknowledged\",\"delivery\":"
		"{\"result\":\"handed_over\",\"way\":\"follow\"}}]}"),
	    -1);
	top_model_load(&top.model, TOP_QUEUE,
	    read_json(&top,
		"{\"notifications\":[{\"seq\":3,\"id\":\"C\",\"state\":\"queued\"},"
		"{\"seq\":30,\"id\":\"A\",\"state\":\"queued\"}]}"),
	    20);
	items = &top.model.lists[TOP_QUEUE];
	ok(items->count == 3 && strcmp(items->items[0].id, "40") == 0 &&
		strcmp(items->items[1].id, "30") == 0 && strcmp(items->items[2].id, "3") == 0,
	    "the last first, and each once");
	ok(items->items[0].is_over && !items->items[1].is_over, "an acknowledged one is over");
	type(&top, "5");
	ok(strstr(frame(&top), "taken by follow\n") != NULL, "the delivery in words");
	type(&top, "x");
	is_str(top.view.message, "it has ended already", "and not cancelled");
	top_model_load(&top.model, TOP_QUEUE, read_json(&top, text), -1);
	ok(strlen(items->items[0].values[7].text) == 4096 && strlen(items->items[0].what) == 2048,
	    "a long text is cut");
	mem_free(text);
	end(&top);
}

/* Updates. */

static void test_update(void)
{
	struct top top;
	struct top_frame old = {0};
	struct buf out;
	begin(&top, 80, 9);
	top.view.has_style = top.view.has_color = true;
	buf_init(&out, 100000);
	top_frame_draw(&old, &top.view, &top.model, top.now_ms);
	top_frame_update(&out, NULL, &old);
	ok(strncmp((char *)out.data, "\033[0m\033[2J\033[1;1H\033[K\033[1mmuxbus", 25) == 0,
	    "the first frame is complete");
	buf_clear(&out);
	top_frame_draw(&top.frame, &top.view, &top.model, top.now_ms);
	top_frame_update(&out, &old, &top.frame);
	is_int((long long)out.len, 0, "an equal frame is empty");
	top_frame_draw(&top.frame, &top.view, &top.model, top.now_ms + 1000);
	top_frame_update(&out, &old, &top.frame);
	ok(strncmp((char *)out.data, "\033[4;1H\033[K", 9) == 0 &&
		strstr((char *)out.data, " 4s ") && !strstr((char *)out.data, "\033[5;1H"),
	    "a second later one row is written");
	top.view.has_color = false;
	top_frame_draw(&top.frame, &top.view, &top.model, top.now_ms);
	buf_clear(&out);
	top_frame_update(&out, NULL, &top.frame);
	ok(!strstr((char *)out.data, "\033[36m") && !strstr((char *)out.data, "\033[32m") &&
		strstr((char *)out.data, "\033[7m"),
	    "without colours there is reverse, and no colour");
	top_frame_finish(&old);
	buf_finish(&out);
	end(&top);
}

/* Keys. */

static void describe_keys(struct buf *out, const char *bytes, size_t piece)
{
	struct top_keys keys = {.len = 0};
	struct top_key key;
	size_t len = strlen(bytes);
	buf_clear(out);
	for (size_t at = 0; at < len; at += piece) {
		top_keys_feed(&keys, bytes + at, len - at < piece ? len - at : piece);
		while (top_keys_next(&keys, false, &key))
			(void)buf_printf(out, "%d%s ", key.kind, key.bytes);
	}
	while (top_keys_next(&keys, true, &key))
		(void)buf_printf(out, "%d%s ", key.kind, key.bytes);
}

static void test_keys(void)
{
	static const char *const rows[][2] = {
	    {"aq", "0a 0q "},
	    {"\r\n\t\177\b", "1 1 4 3 3 "},
	    {"\033[A\033[B\033OC\033[D\033[Z", "6 7 9 8 5 "},
	    {"\033[5~\033[6~\033[H\033[4~", "10 11 12 13 "},
	    {"\003\032\014\001", "17 18 19 20 "},
	    {"\303\251x", "0\303\251 0x "},
	    {"\377\303", "20 20 "},
	    {"\033", "2 "},
	    {"\033\033", "2 2 "},
	    {"\033x", "2 0x "},
	    {"\033[1;5A\033[200~", "20 20 "},
	    {"\033[<0;2;3M\033[<0;2;3m\033[<64;1;1M", "14 20 15 "},
	    {"\033[12", "2 0[ 01 02 "},
	};
	struct buf out;
	struct top_keys keys;
	char flood[1000];
	buf_init(&out, 4096);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		unsigned wrong = 0;
		for (size_t piece = 1; piece < 8; piece++) {
			describe_keys(&out, rows[i][0], piece);
			wrong += strcmp((char *)out.data, rows[i][1]) != 0;
		}
		is_str((char *)out.data, rows[i][1], "keys %zu", i);
		is_int(wrong, 0, "in pieces of any length");
	}
	keys = (struct top_keys){.len = 0};
	memset(flood, 'a', sizeof flood);
	top_keys_feed(&keys, flood, sizeof flood);
	is_int((long long)keys.len, sizeof keys.bytes, "an unknown key sequence is dropped");
	buf_finish(&out);
}

/* Rows and columns of the mouse count from 1; rows 4 to 6 have the panes. */
static void test_mouse(void)
{
	struct top top;
	begin(&top, 80, 9);
	(void)frame(&top);
	is_int(type(&top, "\033[<0;10;5M\033[<0;10;5m"), TOP_NOTHING, "a release does nothing");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%1", "a click chooses");
	is_int(type(&top, "\033[<0;10;5M"), TOP_GO, "on the chosen one it goes");
	is_int(type(&top, "\033[<0;10;7M"), TOP_NOTHING, "below the list it does nothing");
	is_int(type(&top, "\033[<2;10;6M"), TOP_NOTHING, "nor does another button");
	type(&top, "\033[<65;1;1M");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%12", "the wheel moves");
	type(&top, "\033[<64;1;1M");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%0", "both ways");
	type(&top, "\033[<0;19;2M");
	is_int(top.view.list, TOP_JOBS, "a click on a name shows the list");
	type(&top, "x\033[<64;1;1M");
	is_int(top.view.prompt, TOP_PROMPT_NONE, "the mouse answers no question");
	is_int(type(&top, "\033[<0;99999;1M\033[<;;M\033[<0;0;0M\033[<0M\033[<M"), TOP_NOTHING,
	    "other reports do nothing");
	end(&top);
}

static void test_order(void)
{
	struct top top;
	begin(&top, 80, 9);
	type(&top, "jjk");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%1", "j and k move");
	is_int(type(&top, "o"), TOP_CHANGED, "o is a key");
	is_str(top.view.message, "sorted: PANE", "o sorts by a column");
	type(&top, "oooo");
	is_str(top.view.message, "sorted: CPU", "then by the next one");
	top.model.lists[TOP_PANES].items[2].cpu_percent = 7;
	type(&top, "g");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%12", "the busiest is the first");
	for (int i = 0; i < 20 && strcmp(top.view.message, "sorted: as it is") != 0; i++)
		type(&top, "o");
	type(&top, "g");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%0", "and all is as it was");
	type(&top, "oooo");
	is_str(top.view.message, "sorted: OUTPUT", "by time");
	type(&top, "g");
	is_str(top_view_chosen(&top.view, &top.model)->id, "%0", "the latest is the first");
	type(&top, "0o");
	is_str(top.view.message, "sorted: by time, the latest first", "home sorts by time");
	ok(strstr(frame(&top), "panes") != NULL, "in its sections");
	end(&top);
}

int main(void)
{
	test_panes();
	test_fleet();
	test_any_size();
	test_jobs();
	test_enter();
	test_log();
	test_help();
	test_choice_stays();
	test_scroll();
	test_filter();
	test_panel();
	test_screen();
	test_trouble();
	test_shares();
	test_home();
	test_queue();
	test_update();
	test_keys();
	test_mouse();
	test_order();
	return done_testing();
}
