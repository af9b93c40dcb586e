/* SPDX-License-Identifier: ISC */
#include "daemon/render/picture_shape.h"

#define LINES_FIRST 0x2500
#define LINES_LAST 0x257f
#define BLOCKS_FIRST 0x2580
#define BLOCKS_LAST 0x259f

enum arm { LEFT, RIGHT, UP, DOWN, ARMS };
enum { NO_ARM = '0', LIGHT = '1', HEAVY = '2', DOUBLE = '3' };

/* tenths of a pixel from the middle of the cell to each line of a double line */
#define DOUBLE_GAP 13

/*
 * For U+2500 to U+257F, the weights of the lines from the middle to the left, right, top and
 * bottom: 1 light, 2 heavy, 3 double. "----" is a character without such lines. The comment of a
 * row is the code of its first character.
 */
static const char arms[] = "1100 2200 0011 0022 ---- ---- ---- ---- " /* 2500 */
			   "---- ---- ---- ---- 0101 0201 0102 0202 " /* 2508 */
			   "1001 2001 1002 2002 0110 0210 0120 0220 " /* 2510 */
			   "1010 2010 1020 2020 0111 0211 0121 0112 " /* 2518 */
			   "0122 0221 0212 0222 1011 2011 1021 1012 " /* 2520 */
			   "1022 2021 2012 2022 1101 2101 1201 2201 " /* 2528 */
			   "1102 2102 1202 2202 1110 2110 1210 2210 " /* 2530 */
			   "1120 2120 1220 2220 1111 2111 1211 2211 " /* 2538 */
			   "1121 1112 1122 2121 1221 2112 1212 2221 " /* 2540 */
			   "2212 2122 1222 2222 ---- ---- ---- ---- " /* 2548 */
			   "3300 0033 0301 0103 0303 3001 1003 3003 " /* 2550 */
			   "0310 0130 0330 3010 1030 3030 0311 0133 " /* 2558 */
			   "0333 3011 1033 3033 3301 1103 3303 3310 " /* 2560 */
			   "1130 3330 3311 1133 3333 ---- ---- ---- " /* 2568 */
			   "---- ---- ---- ---- 1000 0010 0100 0001 " /* 2570 */
			   "2000 0020 0200 0002 1200 0012 2100 0021 "; /* 2578 */

/* The filled quarters of U+2596 to U+259F: upper left 1, right 2; lower left 4, right 8. */
static const uint8_t quarters[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};

static const char *arms_of(uint32_t c)
{
	size_t at = (c - LINES_FIRST) * (ARMS + 1);
	return c >= LINES_FIRST && c <= LINES_LAST && arms[at] != '-' ? arms + at : NULL;
}

static bool is_curve(uint32_t c)
{
	return c >= 0x256d && c <= 0x2573;
}

bool picture_shape_has(uint32_t c)
{
	return arms_of(c) != NULL || is_curve(c) || (c >= BLOCKS_FIRST && c <= BLOCKS_LAST);
}

unsigned picture_shape_shade(uint32_t c)
{
	return c >= 0x2591 && c <= 0x2593 ? 75 - 25 * (c - 0x2591) : 0;
}

/* Appends a command of a path with a length, without a fraction of zero. */
static void put(struct buf *path, const char *command, unsigned tenths)
{
	if (tenths % 10 == 0)
		(void)buf_printf(path, "%s%u", command, tenths / 10);
	else
		(void)buf_printf(path, "%s%u.%u", command, tenths / 10, tenths % 10);
}

static void add_line(
    struct buf *path, unsigned from_x, unsigned from_y, const char *command, unsigned to)
{
	put(path, "M", from_x);
	put(path, " ", from_y);
	put(path, command, to);
}

static void add_box(struct buf *path, unsigned x, unsigned y, unsigned width, unsigned height)
{
	add_line(path, x, y, "H", x + width);
	put(path, "V", y + height);
	put(path, "H", x);
	(void)buf_append_byte(path, 'z');
}

/*
 * Returns where an arm (a line from the middle to an edge) starts, as a distance from the middle of
 * the cell, positive towards the edge. At a corner, the outer lines meet outside and the inner
 * lines inside. side is -1 or 1 for a line of a double arm, 0 for a single line.
 */
static int arm_start(const char *weights, enum arm arm, int side)
{
	enum arm before = arm == LEFT || arm == RIGHT ? UP : LEFT, behind = before + 1;
	enum arm opposite = arm ^ 1u;
	bool has_before = weights[before] == DOUBLE, has_behind = weights[behind] == DOUBLE;
	bool is_inner = side < 0 ? has_before : has_behind;
	bool is_outer = side < 0 ? has_behind : has_before;
	if (side == 0) {
		if (weights[opposite] != NO_ARM)
			return 0;
		return has_before && has_behind ? DOUBLE_GAP
		    : has_before || has_behind  ? -DOUBLE_GAP
						: 0;
	}
	return is_inner ? DOUBLE_GAP : is_outer ? -DOUBLE_GAP : 0;
}

static void add_double_arm(
    struct picture_shapes *shapes, const char *weights, enum arm arm, unsigned x, unsigned y)
{
	unsigned middle_x = x + shapes->width / 2, middle_y = y + shapes->height / 2;
	bool is_double = weights[arm] == DOUBLE, is_back = arm == LEFT || arm == UP;
	for (int side = is_double ? -1 : 0; side <= 1; side += 2) {
		int start = arm_start(weights, arm, side) * (is_back ? -1 : 1);
		int aside = side * DOUBLE_GAP;
		if (arm == LEFT || arm == RIGHT)
			add_line(&shapes->light, (unsigned)((int)middle_x + start),
			    (unsigned)((int)middle_y + aside), "H",
			    is_back ? x : x + shapes->width);
		else
			add_line(&shapes->light, (unsigned)((int)middle_x + aside),
			    (unsigned)((int)middle_y + start), "V",
			    is_back ? y : y + shapes->height);
	}
}

static void add_arms(struct picture_shapes *shapes, const char *weights, unsigned x, unsigned y)
{
	unsigned middle_x = x + shapes->width / 2, middle_y = y + shapes->height / 2;
	if (memchr(weights, DOUBLE, ARMS) != NULL) {
		for (int arm = LEFT; arm < ARMS; arm++)
			if (weights[arm] != NO_ARM)
				add_double_arm(shapes, weights, (enum arm)arm, x, y);
		return;
	}
	for (int weight = LIGHT; weight <= HEAVY; weight++) {
		struct buf *path = weight == LIGHT ? &shapes->light : &shapes->heavy;
		bool has_left = weights[LEFT] == weight, has_right = weights[RIGHT] == weight;
		bool has_up = weights[UP] == weight, has_down = weights[DOWN] == weight;
		if (has_left || has_right)
			add_line(path, has_left ? x : middle_x, middle_y, "H",
			    has_right ? x + shapes->width : middle_x);
		if (has_up || has_down)
			add_line(path, middle_x, has_up ? y : middle_y, "V",
			    has_down ? y + shapes->height : middle_y);
	}
}

/* Adds a round corner or a diagonal. */
static void add_curve(struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y)
{
	struct buf *path = &shapes->light;
	unsigned right = x + shapes->width, bottom = y + shapes->height;
	unsigned middle_x = x + shapes->width / 2, middle_y = y + shapes->height / 2;
	unsigned radius = shapes->width / 2;
	bool is_upper = c == 0x256d || c == 0x256e, is_left = c == 0x256d || c == 0x2570;
	if (c >= 0x2571) {
		if (c != 0x2572) {
			add_line(path, x, bottom, "L", right);
			put(path, " ", y);
		}
		if (c != 0x2571) {
			add_line(path, x, y, "L", right);
			put(path, " ", bottom);
		}
		return;
	}
	add_line(path, middle_x, is_upper ? bottom : y, "V",
	    is_upper ? middle_y + radius : middle_y - radius);
	put(path, "Q", middle_x);
	put(path, " ", middle_y);
	put(path, " ", is_left ? right : x);
	put(path, " ", middle_y);
}

static void add_quarters(struct picture_shapes *shapes, uint8_t which, unsigned x, unsigned y)
{
	unsigned width = shapes->width / 2, height = shapes->height / 2;
	for (unsigned i = 0; i < 4; i++) {
		unsigned left = i & 1 ? width : 0, top = i & 2 ? height : 0;
		if (which & 1u << i)
			add_box(&shapes->fill, x + left, y + top,
			    left > 0 ? shapes->width - width : width,
			    top > 0 ? shapes->height - height : height);
	}
}

static void add_block(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count)
{
	unsigned width = shapes->width, height = shapes->height, number = c - BLOCKS_FIRST;
	unsigned all = width * count;
	if (number == 0) {
		add_box(&shapes->fill, x, y, all, height / 2);
	} else if (number <= 8) { /* eighths of the height, from the bottom */
		unsigned part = height * number / 8;
		add_box(&shapes->fill, x, y + height - part, all, part);
	} else if (number >= 0x11 && number <= 0x13) {
		add_box(&shapes->fill, x, y, all, height);
	} else if (number == 0x14) {
		add_box(&shapes->fill, x, y, all, height / 8);
	} else {
		for (; count > 0; count--, x += width)
			/* eighths of the width, from the left, from seven down to one */
			if (number <= 0x0f)
				add_box(&shapes->fill, x, y, width * (0x10 - number) / 8, height);
			else if (number == 0x10)
				add_box(&shapes->fill, x + width / 2, y, width - width / 2, height);
			else if (number == 0x15)
				add_box(&shapes->fill, x + width - width / 8, y, width / 8, height);
			else
				add_quarters(shapes, quarters[number - 0x16], x, y);
	}
}

void picture_shape_add(
    struct picture_shapes *shapes, uint32_t c, unsigned x, unsigned y, unsigned count)
{
	const char *weights = arms_of(c);
	if (c >= BLOCKS_FIRST) {
		add_block(shapes, c, x, y, count);
	} else if (c == 0x2500 || c == 0x2501) {
		add_line(c == 0x2500 ? &shapes->light : &shapes->heavy, x, y + shapes->height / 2,
		    "H", x + shapes->width * count);
	} else {
		for (; count > 0; count--, x += shapes->width)
			if (weights != NULL)
				add_arms(shapes, weights, x, y);
			else
				add_curve(shapes, c, x, y);
	}
}
