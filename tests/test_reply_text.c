/* SPDX-License-Identifier: ISC */
/*
 * The reply of a program, without the echo's end and the prompt: cases, and each cut at the front.
 */
#include "daemon/agent/agent_report.h"

#include <string.h>

#include "tap.h"

static void said(
    const char *bytes, const char *prompt, const char *pasted, const char *want, const char *name)
{
	struct reply_text_options options = {
	    .prompt = prompt, .pasted = pasted, .pasted_len = pasted != NULL ? strlen(pasted) : 0};
	struct buf out;
	buf_init(&out, 4096);
	reply_text(&out, bytes, strlen(bytes), &options);
	is_mem(out.data, out.len, want, strlen(want), "%s", name);
	buf_finish(&out);
}

/* A text that begins anywhere keeps whole lines, and never the prompt. */
static void test_cuts(void)
{
	static const char bytes[] = "\r\none\r\n\033[31mtwo\033[0m\r\n>>> ";
	const struct reply_text_options options = {.is_cut = true, .prompt = ">>> "};
	size_t wrong = 0;
	for (size_t from = 0; from < strlen(bytes); from++) {
		struct buf out;
		buf_init(&out, 4096);
		reply_text(&out, bytes + from, strlen(bytes) - from, &options);
		wrong += out.len > 0 && memcmp(out.data + out.len - 1, "\n", 1) != 0 &&
		    strlen(bytes) - from > 4;
		wrong += out.len > 8;
		buf_finish(&out);
	}
	is_int((int)wrong, 0, "cut anywhere, whole lines are left");
}

int main(void)
{
	said("\r\n42\r\n>>> ", ">>> ", NULL, "42\n", "an answer");
	said("\r\n\033[?2004l\r42\r\n\033[?2004h$ ", "$ ", NULL, "42\n", "of a line editor");
	said("\r\nabc\033[?2004h$ ", "$ ", NULL, "abc", "without an end, before its prompt");
	said("\r\nabc\033[?2004h$ ", "abc$ ", NULL, "abc", "which is a part of the row alone");
	said("\r\nabc>>> ", ">>> ", NULL, "abc", "and of one that draws it plainly");
	said(
	    "\r\n>>> done\r\n>>> ", ">>> ", NULL, ">>> done\n", "what looks like the prompt stays");
	said("\r\n>>> ", ">>> ", NULL, "", "nothing was said");
	said("", ">>> ", NULL, "", "nothing at all");
	said("\r\nName: ", NULL, NULL, "Name: ", "without a prompt all is said");
	said("\r\n\r\n\r\nx\r\n$ ", "$ ", NULL, "\n\nx\n", "only Enter's own line end goes");
	said("\r\n 10%\r 50%\r100%\r\n$ ", "$ ", NULL, "100%\n", "of progress the end is left");
	said("for i\r\n  do\r\nx\r\n$ ", "$ ", "for i\n  do", "x\n",
	    "what was pasted is drawn again");
	said("for\r\nx\r\n$ ", "$ ", NULL, "for\nx\n", "but not what was typed");
	test_cuts();
	return done_testing();
}
