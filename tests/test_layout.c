/* SPDX-License-Identifier: ISC */
/* Layout strings: of every tmux, of old ones, hostile ones. */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "tap.h"

/* Parses from memory of just that size, so that a sanitizer sees a read beyond. */
static int parse(const char *text, size_t len, struct muxbus_layout **ret_layout)
{
	char *exact = malloc(len == 0 ? 1 : len);
	int error;
	memcpy(exact, text, len);
	error = muxbus_layout_parse(exact, len, ret_layout);
	free(exact);
	return error;
}

/* The same with the checksum put before the body. */
static int parse_body(const char *body, struct muxbus_layout **ret_layout)
{
	size_t len = strlen(body);
	char *text = malloc(len + 6);
	int error;
	snprintf(text, len + 6, "%04x,%s", (unsigned)muxbus_layout_checksum(body, len), body);
	error = parse(text, len + 5, ret_layout);
	free(text);
	return error;
}

static void put_id(struct buf *out, const char *mark, uint32_t id)
{
	if (id != MUXBUS_NO_ID)
		buf_printf(out, "%s%u", mark, id);
}

/* The cells in words: kind, size, place, and their nesting. */
static char *layout_text(const struct muxbus_layout *layout)
{
	static const char kinds[] = "pcr";
	struct buf out;
	size_t len;
	buf_init(&out, SIZE_MAX / 2);
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct muxbus_cell *cell = &layout->cells[i];
		buf_printf(&out, "%c%ux%u%+d%+d", kinds[cell->kind], cell->width, cell->height,
		    cell->left, cell->top);
		put_id(&out, "%", cell->pane);
		put_id(&out, "^", cell->parent);
		put_id(&out, ">", cell->next);
		put_id(&out, "v", cell->child);
		buf_append_str(&out, cell->is_floating ? "f " : " ");
	}
	for (uint32_t i = 0; i < layout->floating_count; i++)
		buf_printf(&out, "<%u", layout->floating[i]);
	return (char *)buf_steal(&out, &len);
}

static void is_layout(const char *body, const char *want)
{
	struct muxbus_layout *layout;
	char *text;
	if (!is_int(parse_body(body, &layout), 0, "%s", body))
		return;
	text = layout_text(layout);
	is_str(text, want, "its cells");
	mem_free(text);
	muxbus_layout_free(layout);
}

static void test_trees(void)
{
	is_layout("80x24,0,0,0", "p80x24+0+0%0 ");
	is_layout("80x24,0,0", "p80x24+0+0 ");
	is_layout("80x24,0,0{40x24,0,0,1,39x24,41,0,2}",
	    "c80x24+0+0v1 p40x24+0+0%1^0>2 p39x24+41+0%2^0 ");
	is_layout("80x24,0,0{40x24,0,0,39x24,41,0}", "c80x24+0+0v1 p40x24+0+0^0>2 p39x24+41+0^0 ");
	is_layout("80x24,0,0{40x24,0,0[40x12,0,0,1,40x11,0,13,3],39x24,41,0,2}",
	    "c80x24+0+0v1 r40x24+0+0^0>4v2 p40x12+0+0%1^1>3 p40x11+0+13%3^1 p39x24+41+0%2^0 ");
	is_layout("9x9,0,0[9x4,0,0,1,9x4,0,5{4x4,0,5,2,4x4,5,5[4x2,5,5,3,4x1,5,8,4]}]",
	    "r9x9+0+0v1 p9x4+0+0%1^0>2 c9x4+0+5^0v3 p4x4+0+5%2^2>4 r4x4+5+5^2v5 "
	    "p4x2+5+5%3^4>6 p4x1+5+8%4^4 ");
	is_layout("9x9,-3,-5,4294967294", "p9x9-3-5%4294967294 ");
}

static void test_floating(void)
{
	is_layout("80x24,0,0{80x24,0,0,0,30x10,-5,6,1,20x5,7,8,2}<20x5,7,8,2,30x10,-5,6,1>",
	    "c80x24+0+0v1 p80x24+0+0%0^0>2 p30x10-5+6%1^0>3f p20x5+7+8%2^0f <2<1");
	is_layout("80x24,0,0,0<9x9,1,1,7>", "p80x24+0+0%0 <7");
}

#define JSON_PANE(id) "{\"t\":\"p\",\"w\":9,\"h\":8,\"x\":1,\"y\":-2,\"I\":\"%" id "\"}"
#define JSON_FLOAT(id, place) \
	"{\"t\":\"p\",\"w\":5,\"h\":5,\"x\":0,\"y\":0,\"z\":" place ",\"I\":\"%" id "\"}"
#define JSON_CELL(kind, cells) \
	"{\"t\":\"" kind "\",\"w\":20,\"h\":8,\"x\":0,\"y\":0,\"c\":[" cells "]}"
#define JSON(cell) "{\"V\":2,\"L\":" cell "}"

static void is_json_layout(const char *text, const char *want)
{
	struct muxbus_layout *layout;
	char *got;
	if (!is_int(parse(text, strlen(text), &layout), 0, "%s", text))
		return;
	got = layout_text(layout);
	is_str(got, want, "its cells");
	mem_free(got);
	muxbus_layout_free(layout);
	for (size_t len = 0; len < strlen(text); len++) {
		if (parse(text, len, &layout) != MUXBUS_ERR_SYNTAX)
			ok(false, "cut at %zu is accepted", len);
	}
}

static void test_json(void)
{
	static const char *const bad[] = {"{", "{}", JSON("{}"), JSON(JSON_PANE("1")) "x",
	    JSON(JSON_PANE("1") "," JSON_PANE("2")), JSON(JSON_PANE("")), JSON(JSON_PANE("x")),
	    JSON(JSON_CELL("h", "")), JSON(JSON_CELL("p", JSON_PANE("1"))),
	    JSON(JSON_CELL("x", JSON_PANE("1"))), JSON(JSON_CELL("h", JSON_PANE("1") "]")),
	    JSON("{\"t\":\"h\",\"w\":1,\"h\":1,\"x\":0,\"y\":0}"),
	    JSON(JSON_CELL("h", JSON_FLOAT("1", "9"))),
	    JSON(JSON_CELL("h", JSON_FLOAT("1", "0") "," JSON_FLOAT("2", "0"))),
	    "{\"V\":3,\"L\":" JSON_PANE("1") "}"};
	struct muxbus_layout *layout = NULL;
	/* As tmux 3.8 writes them. */
	is_json_layout("{\"V\":2,\"L\":{\"t\":\"p\",\"w\":80,\"h\":24,\"x\":0,\"y\":0,\"a\":true,"
		       "\"i\":0,\"I\":\"%0\"}}",
	    "p80x24+0+0%0 ");
	is_json_layout(
	    "{\"V\":2,\"L\":{\"t\":\"h\",\"w\":80,\"h\":24,\"x\":0,\"y\":0,\"c\":[{\"t\":\"p\","
	    "\"w\":40,"
	    "\"h\":24,\"x\":0,\"y\":0,\"l\":0,\"i\":0,\"I\":\"%0\"},{\"t\":\"p\",\"w\":18,\"h\":3,"
	    "\"x\":4,\"y\":2,\"a\":true,\"i\":2,\"z\":1,\"I\":\"%2\"},{\"t\":\"p\",\"w\":18,\"h\":"
	    "3,"
	    "\"x\":4,\"y\":7,\"i\":3,\"z\":0,\"I\":\"%3\"},{\"t\":\"p\",\"w\":39,\"h\":24,\"x\":41,"
	    "\"y\":0,\"i\":1,\"I\":\"%1\"}]}}",
	    "c80x24+0+0v1 p40x24+0+0%0^0>2 p18x3+4+2%2^0>3f p18x3+4+7%3^0>4f p39x24+41+0%1^0 <3<2");
	is_json_layout(JSON(JSON_CELL("v",
			   JSON_CELL("h", JSON_PANE("1") "," JSON_PANE("2")) "," JSON_PANE("3"))),
	    "r20x8+0+0v1 c20x8+0+0^0>4v2 p9x8+1-2%1^1>3 p9x8+1-2%2^1 p9x8+1-2%3^0 ");
	/* Members in another order, and one that is not known. */
	is_json_layout(JSON("{\"c\":[" JSON_PANE(
			   "7") "],\"q\":-1,\"w\":3,\"h\":4,\"x\":5,\"y\":6,\"t\":\"v\"}"),
	    "r3x4+5+6v1 p9x8+1-2%7^0 ");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		is_int(parse(bad[i], strlen(bad[i]), &layout), MUXBUS_ERR_SYNTAX, "%s", bad[i]);
	ok(layout == NULL, "none of them is written to the result");
}

static void test_malformed(void)
{
	static const char *const bodies[] = {"", "x", "80", "80x", "80x24", "80x24,", "80x24,0",
	    "80x24,0,", "80x24,0,0,", "80x24,0,0,1,", "80x24,0,0,1,2", "80x24,0,0,1 ", "80x24,0,0{",
	    "80x24,0,0{}", "80x24,0,0{9x9,0,0,1", "80x24,0,0{9x9,0,0,1]", "80x24,0,0[9x9,0,0,1}",
	    "80x24,0,0{9x9,0,0,1}}", "80x24,0,0{9x9,0,0,1,}", "80x24,0,0,1{9x9,0,0,1}",
	    "80x24,0,0{9x9,0,0,1}9x9,0,0", "80x24,0,0{9x9,0,0,1}{9x9,0,0,1}", "-80x24,0,0,1",
	    "80x24,--1,0,1", "80x24,-,0,1", "99999999999x24,0,0,1", "80x24,0,0,4294967295",
	    "80x24,0,0,1,9x9,0,0,2", "80x24,0,0,1<", "80x24,0,0,1<>", "80x24,0,0,1<9x9,0,0>",
	    "80x24,0,0,1<9x9,0,0,2", "80x24,0,0,1<9x9,0,0,2>x", "80x24,0,0,1<9x9,0,0{9x9,0,0,1}>",
	    "<9x9,0,0,1>", "{9x9,0,0,1}", "80x24x1,0,0,1"};
	struct muxbus_layout *layout = NULL;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
		is_int(parse_body(bodies[i], &layout), MUXBUS_ERR_SYNTAX, "\"%s\"", bodies[i]);
	is_int(parse("b25d,80x24,0,0,0", 0, &layout), MUXBUS_ERR_SYNTAX, "nothing");
	ok(layout == NULL, "none of them is written to the result");
}

static void test_checksum(void)
{
	/* As tmux printed them. */
	static const char *const real[] = {
	    "b25d,80x24,0,0,0",
	    "020a,80x24,0,0{40x24,0,0,1,39x24,41,0,2}", /* of muxbus.h */
	    "d099,120x40,0,0{60x40,0,0,0,59x40,61,0[59x20,61,0,1,59x19,61,21{29x19,61,21,2,29x19,"
	    "91,"
	    "21,3}]}",
	    "81a9,120x40,0,0[120x19,0,0{59x19,0,0,0,60x19,60,0,1},120x20,0,20{59x20,0,20,2,60x20,"
	    "60,"
	    "20,3}]",
	    "ab00,120x40,0,0,3",
	};
	struct muxbus_layout *layout;
	char text[256];

	for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
		size_t len = strlen(real[i]);
		if (!is_int(parse(real[i], len, &layout), 0, "%s", real[i]))
			continue;
		is_int(layout->checksum, strtol(real[i], NULL, 16), "its checksum");
		muxbus_layout_free(layout);
		for (size_t cut = 0; cut < len; cut++) {
			if (parse(real[i], cut, &layout) != MUXBUS_ERR_SYNTAX)
				ok(false, "cut at %zu is accepted", cut);
		}
		for (size_t place = 0; place < len; place++) {
			memcpy(text, real[i], len);
			text[place] ^= 1;
			if (parse(text, len, &layout) != MUXBUS_ERR_SYNTAX)
				ok(false, "a wrong byte at %zu is accepted", place);
		}
	}
	is_int(parse("B25D,80x24,0,0,0", 16, &layout), MUXBUS_ERR_SYNTAX, "upper case");
}

/* A column in a column in a column, or one column of many. */
static char *make_body(size_t cells, bool is_deep)
{
	struct buf body;
	size_t len;
	buf_init(&body, SIZE_MAX / 2);
	buf_append_str(&body, "9x9,0,0");
	for (size_t i = 1; i < cells; i++)
		buf_printf(&body, "%s9x9,0,0", is_deep || i == 1 ? "{" : ",1,");
	buf_append_str(&body, ",1");
	for (size_t i = 1; i < (is_deep ? cells : 2); i++)
		buf_append_str(&body, "}");
	return (char *)buf_steal(&body, &len);
}

static void test_limits(void)
{
	for (int is_deep = 0; is_deep < 2; is_deep++) {
		char *most = make_body(MUXBUS_LAYOUT_CELLS_MAX, is_deep);
		char *more = make_body(MUXBUS_LAYOUT_CELLS_MAX + 1, is_deep);
		struct muxbus_layout *layout = NULL;
		is_int(parse_body(most, &layout), 0, "the maximum number of cells");
		is_int(layout == NULL ? 0 : layout->count, MUXBUS_LAYOUT_CELLS_MAX, "is read");
		muxbus_layout_free(layout);
		is_int(parse_body(more, &layout), MUXBUS_ERR_LIMIT, "one cell more is too many");
		mem_free(most);
		mem_free(more);
	}
}

int main(void)
{
	test_trees();
	test_floating();
	test_json();
	test_malformed();
	test_checksum();
	test_limits();
	muxbus_layout_free(NULL);
	return done_testing();
}
