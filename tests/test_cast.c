/* SPDX-License-Identifier: ISC */
/* Recordings, line by line as asciinema reads them, and screens as terminals do. */
#include <string.h>

#include "cli/verbs/cast.h"
#include "tap.h"

static void test_events(void)
{
	struct cast cast;
	struct buf out;
	buf_init(&out, 100000);
	cast_begin(&cast, &out, 80, 24, 1795280510123, "a \"title\"\033");
	is_str((char *)out.data,
	    "{\"version\":2,\"width\":80,\"height\":24,\"timestamp\":1795280510,\"title\":\"a "
	    "\\\"title\\\"\\u001b\",\"env\":{\"TERM\":\"xterm-256color\"}}\n",
	    "the header");
	buf_clear(&out);
	cast_output(&cast, &out, 1795280510123, "\033[1mhi\r\n", 8);
	cast_output(&cast, &out, 1795280511200, "\303\251\377", 3);
	cast_output(&cast, &out, 1795280512000, "", 0);
	cast_output(&cast, &out, 1795280510500, "back", 4);
	is_str((char *)out.data,
	    "[0.000,\"o\",\"\\u001b[1mhi\\r\\n\"]\n"
	    "[1.077,\"o\",\"\303\251\357\277\275\"]\n"
	    "[1.077,\"o\",\"back\"]\n",
	    "output: any bytes, and no time that goes back");
	buf_clear(&out);
	cast_resize(&cast, &out, 1795280520123, 80, 24);
	cast_resize(&cast, &out, 1795280520123, 100, 30);
	cast_resize(&cast, &out, 1795280520123, 100, 30);
	is_str((char *)out.data, "[10.000,\"r\",\"100x30\"]\n", "sizes, when they change");
	buf_clear(&out);
	cast_begin(&cast, &out, 1, 1, 0, NULL);
	ok(!strstr((char *)out.data, "title"), "no title where there is none");
	buf_finish(&out);
}

static void test_screen(void)
{
	static const char text[] = "one\n\033[31mtwo\n\n";
	struct buf out;
	buf_init(&out, 100000);
	cast_screen(&out,
	    &(struct cast_screen){.text = text,
		.len = sizeof text - 1,
		.cursor_row = 1,
		.cursor_column = 3,
		.cursor_visible = true});
	is_str((char *)out.data,
	    "\033[?1049l\033)0\017\033[0m\033[2J\033[Hone\r\n\033[31mtwo\r\n\017\033[0m\033[2;4H"
	    "\033[?25h",
	    "lines, then the cursor");
	buf_clear(&out);
	cast_screen(&out, &(struct cast_screen){.text = "", .alternate_screen = true});
	is_str((char *)out.data,
	    "\033[?1049h\033)0\017\033[0m\033[2J\033[H\017\033[0m\033[1;1H\033[?25l",
	    "an empty one of a full-screen program");
	buf_finish(&out);
}

int main(void)
{
	test_events();
	test_screen();
	return done_testing();
}
