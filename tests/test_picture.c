/* SPDX-License-Identifier: ISC */
/* Pictures of panes: exact results for small screens, and well-formed for any screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "daemon/render/picture.h"
#include "daemon/render/picture_page.h"
#include "daemon/render/picture_shape.h"
#include "tap.h"

typedef int write_fn(struct buf *out, const struct picture *picture);

#define COLUMNS 12

static const char *text_of(const struct buf *out)
{
	return out->data != NULL ? (const char *)out->data : "";
}

/* Cells. */

/*
 * A row as text: each change of style as {text,ground,attributes,underline,line}, then characters.
 */
static void describe(struct buf *out, const char *line, bool joins_emoji)
{
	struct picture_state state = {.joins_emoji = joins_emoji};
	struct picture_cell cells[COLUMNS];
	struct picture_looks looks = {0};
	buf_clear(out);
	picture_row_read(&state, (const uint8_t *)line, strlen(line), cells, COLUMNS);
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (cells[i].width == 0)
			continue;
		if (memcmp(&cells[i].looks, &looks, sizeof looks) != 0) {
			looks = cells[i].looks;
			buf_printf(out, "{%x,%x,%x,%x,%x}", looks.text, looks.ground,
			    looks.attributes, looks.underline, looks.line);
		}
		buf_append(out, cells[i].bytes, cells[i].len);
		if (cells[i].len == 0)
			buf_append_byte(out, '_');
		if (cells[i].width == 2)
			buf_append_byte(out, '2');
	}
}

struct row {
	const char *line;
	const char *want;
};

static const struct row rows[] = {
    {"", "____________"},
    {"plain text", "plain_text__"},
    {"longer than the row is", "longer_than_"},
    {"\033[31mred\033[0m", "{1000001,0,0,0,0}red{0,0,0,0,0}_________"},
    {"\033[91;104mb\033[39;49m", "{1000009,100000c,0,0,0}b{0,0,0,0,0}___________"},
    {"\033[38;5;200;48;5;7mx\033[m", "{10000c8,1000007,0,0,0}x{0,0,0,0,0}___________"},
    {"\033[38;2;1;2;3mx\033[m", "{2010203,0,0,0,0}x{0,0,0,0,0}___________"},
    {"\033[38:2:1:2:3mx\033[m", "{2010203,0,0,0,0}x{0,0,0,0,0}___________"},
    {"\033[38:2::1:2:3mx\033[m", "{2010203,0,0,0,0}x{0,0,0,0,0}___________"},
    {"\033[38:2::1:2:3:0:1mx\033[m", "{2010203,0,0,0,0}x{0,0,0,0,0}___________"},
    {"\033[38:5:9;1mx\033[m", "{1000009,0,1,0,0}x{0,0,0,0,0}___________"},
    {"\033[38;2;1mx", "x___________"},
    {"\033[1;2;3;7;8;9;53mx\033[22;23;27;28;29;55m", "{0,0,7f,0,0}x{0,0,0,0,0}___________"},
    {"\033[4mx\033[4:3my\033[21mz\033[24m",
	"{0,0,0,1,0}x{0,0,0,3,0}y{0,0,0,2,0}z{0,0,0,0,0}_________"},
    {"\033[4:3;58:2::255:0:0mx\033[59my\033[4:0m",
	"{0,0,0,3,2ff0000}x{0,0,0,3,0}y{0,0,0,0,0}"
	"__________"},
    {"\033[4;58;5;1mx\033[0m", "{0,0,0,1,1000001}x{0,0,0,0,0}___________"},
    {"\033[4:9mx\033[m", "{0,0,0,1,0}x{0,0,0,0,0}___________"},
    {"\033[99999999999999999999;1mx\033[m", "{0,0,1,0,0}x{0,0,0,0,0}___________"},
    {"a\346\227\245b", "a\346\227\2452b________"},
    /* A wide one that does not fit is not shown in half. */
    {"12345678901\346\227\245b", "12345678901_"},
    {"e\314\201\314\202x", "e\314\201\314\202x__________"},
    {"\314\201x", "x___________"},
    {"a\tb", "a_______b___"},
    {"\016lqk\017lqk", "\342\224\214\342\224\200\342\224\220lqk______"},
    {"\033]8;;http://e\033\\link\033]8;;\033\\.", "link._______"},
    {"\033]0;title\ax\033[2Jy\033Pq\033\\z", "xyz_________"},
    {"a\001\177\033[5\001m\ab", "a\342\220\201\342\220\241\342\220\201\342\220\207b______"},
    {"\377a\303", "\357\277\275a\357\277\275_________"},
    {"\302\205\357\277\276\342\200\256x", "\357\277\275x__________"},
    {"\033[", "____________"},
};

static void test_rows(void)
{
	struct buf out;
	buf_init(&out, 4096);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		describe(&out, rows[i].line, true);
		is_str(text_of(&out), rows[i].want, "row %zu", i);
	}
	buf_finish(&out);
}

#define WOMAN "\xf0\x9f\x91\xa9"
#define TONE "\xf0\x9f\x8f\xbd"
#define ROCKET "\xf0\x9f\x9a\x80"
#define ZWJ "\xe2\x80\x8d"
#define HEART "\xe2\x9d\xa4"
#define STYLE "\xef\xb8\x8f"
#define FLAG_D "\xf0\x9f\x87\xa9"
#define FLAG_E "\xf0\x9f\x87\xaa"

/* Emoji of several characters, in as many cells as the two kinds of tmux give each. */
static const struct {
	const char *line;
	const char *joined; /* since tmux 3.4 */
	const char *before;
} emoji[] = {
    {WOMAN ZWJ ROCKET "x", WOMAN ZWJ ROCKET "2x_________", WOMAN ZWJ ROCKET "2x_________"},
    {WOMAN TONE "x", WOMAN TONE "2x_________", WOMAN "2" TONE "2x_______"},
    {WOMAN TONE ZWJ ROCKET "x", WOMAN TONE ZWJ ROCKET "2x_________",
	WOMAN "2" TONE ZWJ ROCKET "2x_______"},
    {FLAG_D FLAG_E "x", FLAG_D FLAG_E "2x_________", FLAG_D FLAG_E "2x_________"},
    {FLAG_D FLAG_E FLAG_D "x", FLAG_D FLAG_E "2" FLAG_D "x________",
	FLAG_D FLAG_E "2" FLAG_D "x________"},
    {HEART STYLE "x", HEART STYLE "2x_________", HEART STYLE "x__________"},
    {"1" STYLE "\xe2\x83\xa3x",
	"1" STYLE "\xe2\x83\xa3"
	"2x_________",
	"1" STYLE "\xe2\x83\xa3x__________"},
    /* Nothing to join to. */
    {TONE "x", TONE "2x_________", TONE "2x_________"},
    {ZWJ "x", "x___________", "x___________"},
    {"12345678901" HEART STYLE, "12345678901" HEART STYLE, "12345678901" HEART STYLE},
};

static void test_emoji(void)
{
	struct buf out;
	buf_init(&out, 4096);
	for (size_t i = 0; i < sizeof emoji / sizeof emoji[0]; i++) {
		describe(&out, emoji[i].line, true);
		is_str(text_of(&out), emoji[i].joined, "emoji %zu", i);
		describe(&out, emoji[i].line, false);
		is_str(text_of(&out), emoji[i].before, "emoji %zu, before tmux 3.4", i);
	}
	buf_finish(&out);
}

static void test_width(void)
{
	static const struct {
		const char *line;
		unsigned width, before; /* width since tmux 3.4, and before */
	} widths[] = {{"", 0, 0}, {"a\tb", 9, 9}, {"\t\t", 16, 16}, {"\u65e5a\u0301 ", 4, 4},
	    {"\U0001f469\u200d\U0001f4bb", 2, 2}, {"\U0001f44d\U0001f3fd", 2, 4},
	    {"12345678901234567890\u65e5", 20, 20}};
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		const uint8_t *line = (const uint8_t *)widths[i].line;
		size_t len = strlen(widths[i].line);
		ok(picture_width(line, len, 20, true) == widths[i].width &&
			picture_width(line, len, 20, false) == widths[i].before,
		    "the width of row %zu", i);
	}
}

static void test_combining_is_bounded(void)
{
	struct picture_state state = {0};
	struct picture_cell cells[2];
	char line[1000] = "e";
	while (strlen(line) + 3 < sizeof line)
		strcat(line, "\314\201");
	picture_row_read(&state, (const uint8_t *)line, strlen(line), cells, 2);
	ok(cells[0].len <= PICTURE_CELL_BYTES && cells[0].len > PICTURE_CELL_BYTES - 2 &&
		utf8_is_valid(cells[0].bytes, cells[0].len) && cells[1].len == 0,
	    "a hundred accents on one letter: as many as fit, none cut");
}

static void test_state_goes_on(void)
{
	struct picture_state state = {0};
	struct picture_cell cells[2];
	picture_row_read(&state, (const uint8_t *)"\033[32m\016q", 7, cells, 2);
	picture_row_read(&state, (const uint8_t *)"q", 1, cells, 2);
	ok(cells[0].looks.text == PICTURE_COLOUR_INDEX + 2 && cells[0].len == 3,
	    "colours and the character set carry over to the next line");
}

/* Whole pictures. */

static int paint(struct buf *out, write_fn *write, struct picture picture, const char *text)
{
	buf_clear(out);
	picture.text = (const uint8_t *)text;
	picture.len = strlen(text);
	return write(out, &picture);
}

#define SVG_HEAD                                                                                \
	" font-family='ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation " \
	"Mono,monospace' font-size='14' "

static void test_svg(void)
{
	struct buf out;
	struct picture picture;
	buf_init(&out, 100000);
	picture = (struct picture){
	    .rows = 2, .columns = 6, .cursor_row = 1, .cursor_column = 1, .title = "a<b>\033"};
	is_int(paint(&out, picture_svg, picture, "h\033[1;31mi&\033[0m\n\342\224\200\342\224\200"),
	    0, "a picture of two rows");
	is_str(text_of(&out),
	    "<svg xmlns='http://www.w3.org/2000/svg' version='1.1' width='74.4' height='60' "
	    "viewBox='0 0 74.4 60.0'" SVG_HEAD "fill='#d7dae0'>\n"
	    "<title>a&lt;b&gt;\\x1b</title>\n"
	    "<rect width='100%' height='100%' rx='8' fill='#16181d'/>\n"
	    "<g shape-rendering='crispEdges'>\n"
	    "<rect x='20.4' y='30' width='8.4' height='18' fill='#d7dae0'/>\n"
	    "</g>\n"
	    "<text x='12' y='25.5'>h</text>\n"
	    "<text x='20.4' y='25.5' textLength='16.8' fill='#e8656f' "
	    "font-weight='bold'>i&amp;</text>\n"
	    "<path fill='none' stroke-width='1.2' stroke-linecap='square' stroke='#d7dae0' "
	    "d='M12 39H20.4'/>\n"
	    "<path fill='none' stroke-width='1.2' stroke-linecap='square' stroke='#16181d' "
	    "d='M20.4 39H28.8'/>\n"
	    "</svg>\n",
	    "letters, a line that is drawn, a cursor, a title");
	picture = (struct picture){
	    .rows = 1, .columns = 4, .cursor_row = -1, .is_light = true, .has_frame = true};
	is_int(paint(&out, picture_svg, picture, "\033[4;9m\346\227\245"), 0, "a framed one");
	is_str(strstr(text_of(&out), "<line"),
	    "<line x1='12' x2='28.8' y1='45.8' y2='45.8' stroke='#2a2e37'/>\n"
	    "<text x='12' y='43.5' textLength='16.8' "
	    "lengthAdjust='spacingAndGlyphs'>\346\227\245</text>\n"
	    "<line x1='12' x2='28.8' y1='39' y2='39' stroke='#2a2e37'/>\n"
	    "<circle cx='18' cy='14' r='5.5' fill='#ee6a5f'/>\n"
	    "<circle cx='36' cy='14' r='5.5' fill='#f5bd4f'/>\n"
	    "<circle cx='54' cy='14' r='5.5' fill='#61c454'/>\n"
	    "<text text-anchor='middle' font-size='12.5' fill='#5d6370' x='28.8' "
	    "y='18.5'></text>\n</svg>\n",
	    "light, a wide character underlined and struck, and no title");
	buf_finish(&out);
}

static void test_html(void)
{
	struct buf out;
	struct picture picture;
	buf_init(&out, 100000);
	picture = (struct picture){
	    .rows = 3, .columns = 6, .cursor_row = 2, .cursor_column = 60, .title = "</title>"};
	is_int(paint(&out, picture_html, picture,
		   "<\033[2;4:3;58;5;1mi\033[0m   \n\033[44m \346\227\245\033[49m"),
	    0, "a page of three rows");
	ok(strstr(text_of(&out), "<title>&lt;/title&gt;</title>") != NULL, "the title is text");
	is_str(strstr(text_of(&out), "<pre>"),
	    "<pre>\n"
	    "&lt;<span style='color:#808288;text-decoration: underline wavy #e8656f;'>i</span>\n"
	    "<span style='background:#62a8ef;'> <i class='w'>\346\227\245</i></span>\n"
	    "     <span style='color:#16181d;background:#d7dae0;'> </span>\n"
	    "</pre>\n</body>\n</html>\n",
	    "and the rows are");
	buf_finish(&out);
}

static void test_choice_of_lines(void)
{
	struct buf out;
	struct picture picture;
	buf_init(&out, 100000);
	picture = (struct picture){.first = 1, .rows = 1, .columns = 3, .cursor_row = -1};
	paint(&out, picture_svg, picture, "\033[31ma\nb\nc\n");
	ok(strstr(text_of(&out), "<text x='12' y='25.5' fill='#e8656f'>b</text>\n</svg>") != NULL,
	    "a line alone has the colour that began above it");
	buf_finish(&out);
}

static void test_shapes(void)
{
	struct picture_shapes shapes = {.width = 80, .height = 160};
	unsigned known;
	buf_init(&shapes.light, 1000);
	buf_init(&shapes.heavy, 1000);
	buf_init(&shapes.fill, 1000);
	picture_shape_add(&shapes, 0x250d, 0, 0, 1);
	is_str(text_of(&shapes.light), "M4 8V16", "light downwards");
	is_str(text_of(&shapes.heavy), "M4 8H8", "heavy to the right");
	buf_clear(&shapes.light);
	picture_shape_add(&shapes, 0x256d, 80, 0, 1);
	is_str(text_of(&shapes.light), "M12 16V12Q12 8 16 8", "a round corner");
	buf_clear(&shapes.light);
	picture_shape_add(&shapes, 0x2554, 0, 0, 1);
	is_str(text_of(&shapes.light), "M2.7 6.7H8M5.3 9.3H8M2.7 6.7V16M5.3 9.3V16",
	    "a corner of double lines");
	buf_clear(&shapes.light);
	picture_shape_add(&shapes, 0x255f, 0, 0, 1);
	is_str(text_of(&shapes.light), "M5.3 8H8M2.7 8V0M5.3 8V0M2.7 8V16M5.3 8V16",
	    "a light line that goes off from double ones");
	picture_shape_add(&shapes, 0x2583, 0, 0, 2);
	is_str(text_of(&shapes.fill), "M0 10H16V16H0z", "three eighths from below, twice");
	buf_clear(&shapes.fill);
	picture_shape_add(&shapes, 0x259a, 0, 0, 1);
	is_str(text_of(&shapes.fill), "M0 0H4V8H0zM4 8H8V16H4z", "two quarters");
	is_int(picture_shape_shade(0x2591), 75, "the ground shines through a light shade");
	known = 0;
	for (uint32_t c = 0x2400; c < 0x2700; c++) {
		buf_clear(&shapes.light);
		buf_clear(&shapes.heavy);
		buf_clear(&shapes.fill);
		if (!picture_shape_has(c))
			continue;
		picture_shape_add(&shapes, c, 0, 0, 1);
		known += shapes.light.len + shapes.heavy.len + shapes.fill.len > 0;
	}
	is_int(known, 128 - 12 + 32, "all lines but dashed ones, and all blocks");
	buf_finish(&shapes.light);
	buf_finish(&shapes.heavy);
	buf_finish(&shapes.fill);
}

/* Pictures of any content. */

static const char hostile[] =
    "<script>alert('1')</script> & \" ' ]]> <!-- \033]8;;javascript:x\033\\link\033]8;;\033\\\n"
    "\033[31;1;4:3mr\033[7me\033[38;2;300;2;3md\033[48:2::9:9:9m\033[5;6;123456789m!\n"
    "\342\225\255\342\224\200\342\225\256 \342\226\210\342\226\222 \346\227\245\346\234\254 "
    "e\314\201 \360\237\230\200 \342\200\256rtl\342\200\254 \327\251\xff\xfe\xc3(\033\033[\n"
    "\001\002\010\177\357\277\276\357\277\277\364\217\277\277\302\200\033P<b>\033\\\033_<i>"
    "\033\\&amp;%s%n\\\n\t\tx\033[8mhidden\033[9;53mgone";

/* Returns true if a picture is valid XML whose tags match; reads only what pictures contain. */
static bool is_well_formed(const struct buf *out)
{
	char names[16][16];
	size_t depth = 0;
	const char *at = text_of(out), *end = at + out->len;
	if (!utf8_is_valid(at, out->len) || strlen(at) != out->len)
		return false;
	for (; at < end; at++) {
		size_t len, name;
		if ((unsigned char)*at < ' ' && *at != '\n')
			return false;
		if (*at == '&' && strncmp(at, "&lt;", 4) != 0 && strncmp(at, "&gt;", 4) != 0 &&
		    strncmp(at, "&amp;", 5) != 0 && strncmp(at, "&quot;", 6) != 0 &&
		    strncmp(at, "&#39;", 5) != 0)
			return false;
		if (*at == '>')
			return false;
		if (*at != '<')
			continue;
		len = strcspn(at, ">");
		name = strcspn(at + 1, " />");
		if (at[1] == '/') {
			if (depth-- == 0 || strlen(names[depth]) != len - 2 ||
			    strncmp(names[depth], at + 2, len - 2) != 0)
				return false;
		} else if (at[len - 1] != '/' && at[1] != '!') {
			if (depth == 16 || name > 15)
				return false;
			(void)snprintf(names[depth++], 16, "%.*s", (int)name, at + 1);
		}
		at += len;
	}
	return depth == 0;
}

static void test_hostile(write_fn *write, const char *kind)
{
	struct buf out;
	unsigned wrong, unsafe;
	struct picture picture;
	buf_init(&out, 1000000);
	wrong = 0;
	unsafe = 0;
	picture = (struct picture){.rows = 6,
	    .columns = 40,
	    .cursor_column = 3,
	    .text = (const uint8_t *)hostile,
	    .title = hostile,
	    .has_frame = true};
	for (size_t len = 0; len <= sizeof hostile; len++) {
		const char *text;
		picture.len = len < sizeof hostile ? len : sizeof hostile - 1;
		picture.cursor_row = (int64_t)(len % 7) - 1;
		picture.first = len % 3 == 0;
		buf_clear(&out);
		wrong += write(&out, &picture) != 0 || !is_well_formed(&out);
		text = text_of(&out);
		unsafe += strstr(text, "<script") || strstr(text, "javascript:x'") ||
		    strstr(text, "href") || strstr(text, "url(") || strstr(text, "\342\200\256");
	}
	is_int(wrong, 0, "%s: well-formed wherever the text is cut", kind);
	is_int(unsafe, 0, "%s: and no part of it is a script, or points elsewhere", kind);
	buf_finish(&out);
}

static void test_any_bytes(write_fn *write, const char *kind)
{
	static const char alphabet[] =
	    "\033\033[[[]]PX^_\\mmm;;::0123456789<>&'\"\n\n\t\016\017ab\303\251"
	    "\346\227\245\314\201\342\224\200\a\r\x80\xff";
	uint8_t text[300];
	struct buf out;
	unsigned wrong = 0;
	buf_init(&out, 1000000);
	srand(1);
	for (unsigned round = 0; round < 1000; round++) {
		struct picture picture;
		for (size_t i = 0; i < sizeof text; i++)
			text[i] = (uint8_t)alphabet[(size_t)rand() % (sizeof alphabet - 1)];
		picture = (struct picture){.rows = (unsigned)(round % 9),
		    .columns = (unsigned)(round % 31),
		    .cursor_row = 2,
		    .cursor_column = (unsigned)(round % 37),
		    .text = text,
		    .len = sizeof text};
		buf_clear(&out);
		wrong += write(&out, &picture) != 0 || !is_well_formed(&out);
	}
	is_int(wrong, 0, "%s: a thousand random texts", kind);
	buf_finish(&out);
}

static void test_full(write_fn *write, const char *kind)
{
	struct picture picture = {.rows = 5, .columns = 20, .cursor_row = -1};
	struct buf out;
	size_t whole;
	unsigned wrong;
	buf_init(&out, 100000);
	paint(&out, write, picture, hostile);
	whole = out.len;
	wrong = 0;
	buf_finish(&out);
	for (size_t max = 0; max <= whole; max++) {
		int error;
		buf_init(&out, max);
		error = paint(&out, write, picture, hostile);
		wrong += (error == 0) != (max == whole) || out.len > max;
		buf_finish(&out);
	}
	is_int(wrong, 0, "%s: a buffer that is too small is reported, at any size", kind);
}

/* Whether xmllint, which is stricter than this test, accepts it; -1 without xmllint. */
static int lint(const struct buf *out)
{
	int ends[2], status;
	ssize_t written;
	pid_t pid;
	if (pipe(ends) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp("xmllint", "xmllint", "--noout", "--nonet", "-", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	written = write(ends[1], out->data, out->len);
	close(ends[1]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || written != (ssize_t)out->len)
		return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

static void test_lint(write_fn *write, const char *kind)
{
	struct picture picture = {
	    .rows = 6, .columns = 40, .cursor_row = 1, .title = hostile, .has_frame = true};
	struct buf out;
	int result;
	buf_init(&out, 60000); /* goes through a pipe at once */
	is_int(paint(&out, write, picture, hostile), 0, "%s: a hostile screen", kind);
	result = lint(&out);
	if (result < 0)
		skip("there is no xmllint");
	else
		is_int(result, 0, "%s: xmllint accepts it", kind);
	buf_finish(&out);
}

int main(void)
{
	static const struct {
		write_fn *write;
		const char *kind;
	} kinds[] = {{picture_svg, "svg"}, {picture_html, "html"}};
	test_rows();
	test_emoji();
	test_width();
	test_combining_is_bounded();
	test_state_goes_on();
	test_svg();
	test_html();
	test_choice_of_lines();
	test_shapes();
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		test_hostile(kinds[i].write, kinds[i].kind);
		test_any_bytes(kinds[i].write, kinds[i].kind);
		test_full(kinds[i].write, kinds[i].kind);
		test_lint(kinds[i].write, kinds[i].kind);
	}
	return done_testing();
}
