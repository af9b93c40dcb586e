/* SPDX-License-Identifier: ISC */
#include "daemon/core/pattern_set.h"

#include <ctype.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool is_local_escape(char c)
{
	return ispunct((unsigned char)c) || (c != '\0' && strchr("dDwWsSbBhHvVtrfnea", c));
}

/*
 * Returns true if a group of a pattern does not depend on the text around its line: it begins with
 * "(", "(?:", "(?i)" or "(?<name>". after: the text behind the "(".
 */
static bool is_local_group(const char *after)
{
	if (*after == '*')
		return false;
	if (*after != '?')
		return true;
	return strncmp(after, "?:", 2) == 0 || strncmp(after, "?i)", 3) == 0 ||
	    (strncmp(after, "?<", 2) == 0 && isalpha((unsigned char)after[2]));
}

/*
 * Returns true if a block of lines can be searched for the pattern in one call: the pattern has no
 * assertions about the surrounding text, no possessive or atomic parts, and no unknown syntax.
 */
static bool pattern_is_local(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\') {
			if (!is_local_escape(*++c))
				return false;
		} else if (*c == '(') {
			if (!is_local_group(c + 1))
				return false;
		} else if (strchr("*+?}", *c) && c[1] == '+') {
			return false;
		}
	}
	return true;
}

/* Returns the end of the class at c, such as "[^]a\\]b]", or NULL if the class is not simple. */
static const char *skip_class(const char *c)
{
	c += c[1] == '^' ? 2 : 1;
	if (*c == ']')
		c++;
	for (; *c && *c != ']'; c++) {
		if (*c == '[')
			return NULL; /* perhaps "[:alpha:]": its "]" does not end the class */
		if (*c == '\\' && *++c == '\0')
			return NULL;
	}
	return *c ? c + 1 : NULL;
}

static const char *skip_group(const char *c)
{
	unsigned depth = 0;
	while (c != NULL && *c)
		if (*c == '\\')
			c += c[1] ? 2 : 1;
		else if (*c == '[')
			c = skip_class(c);
		else if (*c++ == '(')
			depth++;
		else if (c[-1] == ')' && --depth == 0)
			return c;
	return NULL;
}

/* Returns the literal byte at c, and sets *ret_after behind it; '\0': the item is not literal. */
static char plain_byte(const char *c, const char **ret_after)
{
	if (*c == '\\' && ispunct((unsigned char)c[1])) {
		*ret_after = c + 2;
		return c[1];
	}
	*ret_after = c + 1;
	return (unsigned char)*c < 0x80 && isprint((unsigned char)*c) &&
		!strchr("\\^$.[]|()?*+{}", *c)
	    ? *c
	    : '\0';
}

/* Returns the end of the item at c, which is not literal; NULL if the end is unknown. */
static const char *skip_other(const char *c)
{
	if (*c == '[')
		return skip_class(c);
	if (*c == '(')
		return skip_group(c);
	if (*c == '{') {
		c += 1 + strspn(c + 1, "0123456789,");
		return *c == '}' ? c + 1 : NULL;
	}
	if (*c == '|' || *c == ')')
		return NULL;
	return c + (*c == '\\' && c[1] ? 2 : 1);
}

/*
 * Finds a literal of the pattern: printable ASCII that all matches contain, outside of groups.
 * Returns its length. Returns 0 in doubt, or if pattern_is_local() is false.
 */
static size_t pattern_literal(const char *text, char ret_literal[PATTERN_LITERAL_MAX])
{
	char run[PATTERN_LITERAL_MAX];
	size_t len = 0, best = 0;
	if (!pattern_is_local(text) || strstr(text, "(?i"))
		return 0;
	for (const char *c = text, *after; *c; c = after) {
		char byte = plain_byte(c, &after);
		bool is_optional = byte && *after && strchr("*?{", *after);
		if (byte && !is_optional && len < PATTERN_LITERAL_MAX)
			run[len++] = byte;
		if (len > best)
			memcpy(ret_literal, run, best = len);
		if (!byte || is_optional || *after == '+' || len == PATTERN_LITERAL_MAX)
			len = 0;
		if (!byte && (after = skip_other(c)) == NULL)
			return 0;
	}
	return best;
}

void line_matcher_init(struct line_matcher *matcher, struct pattern *pattern)
{
	const char *text = pattern_text(pattern);
	matcher->pattern = pattern;
	matcher->is_blockwise = pattern_is_local(text);
	matcher->has_dollar = strchr(text, '$') != NULL;
	matcher->literal_len = pattern_literal(text, matcher->literal);
}

/* Finds the line of the byte at `at`. from: the start of that line or an earlier one. */
static void line_at(
    const char *text, size_t len, size_t from, size_t at, struct matched_line *ret_line)
{
	const char *before = at > from ? memrchr(text + from, '\n', at - from) : NULL;
	size_t start = before != NULL ? (size_t)(before + 1 - text) : from;
	const char *newline = memchr(text + start, '\n', len - start);
	size_t end = newline != NULL ? (size_t)(newline - text) : len;
	ret_line->start = start;
	ret_line->after = newline != NULL ? end + 1 : len;
	ret_line->end = newline != NULL && end > start && text[end - 1] == '\r' ? end - 1 : end;
}

#ifdef __SSE2__
/* Marks at which of 16 places the first and the last byte of a literal match. */
static inline __m128i may_start(const char *place, size_t count, __m128i first, __m128i last)
{
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)place);
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(place + count - 1));
	return _mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, last));
}
#endif

/* Like memmem(), but several times as fast if nothing matches. */
static const char *find_bytes(const char *text, size_t len, const char *bytes, size_t count)
{
	size_t i = 0;
#ifdef __SSE2__
	const __m128i first = _mm_set1_epi8(bytes[0]);
	const __m128i last = _mm_set1_epi8(bytes[count - 1]);
	for (; i + count - 1 + 32 <= len; i += 32) {
		__m128i low = may_start(text + i, count, first, last);
		__m128i high = may_start(text + i + 16, count, first, last);
		unsigned mask;
		if (_mm_movemask_epi8(_mm_or_si128(low, high)) == 0)
			continue;
		mask = (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high) << 16;
		for (; mask; mask &= mask - 1) {
			const char *place = text + i + __builtin_ctz(mask);
			if (memcmp(place, bytes, count) == 0)
				return place;
		}
	}
#endif
	return memmem(text + i, len - i, bytes, count);
}

/*
 * Returns where the first match in the block begins; len: nowhere. Returns from if a limit was
 * exceeded, or if the pattern has "$" and a CR comes before that match: a line alone is matched
 * without its CR.
 */
static size_t skip_lines(struct line_matcher *matcher, const char *text, size_t len, size_t from,
    struct pattern_match *ret_match)
{
	enum pattern_result found =
	    pattern_find_on(matcher->pattern, text + from, len - from, 0, ret_match);
	size_t at;
	/* The limits may suffice for single lines, so lines are tried alone from now on. */
	if (found == PATTERN_LIMIT) {
		matcher->is_blockwise = false;
		pattern_begin();
		return from;
	}
	at = found == PATTERN_NONE ? len : from + ret_match->spans[0].from;
	return matcher->has_dollar && memchr(text + from, '\r', at - from) ? from : at;
}

enum pattern_result line_match(struct line_matcher *matcher, const char *text, size_t len,
    size_t from, struct matched_line *ret_line)
{
	bool has_failed = false; /* a line was tried and did not match */
	while (from < len) {
		size_t at = from;
		bool has_literal = matcher->is_blockwise && matcher->literal_len > 0;
		enum pattern_result result;
		if (has_literal) {
			const char *literal = find_bytes(
			    text + from, len - from, matcher->literal, matcher->literal_len);
			const char *before;
			if (literal == NULL)
				return PATTERN_NONE;
			before = memrchr(text + from, '\n', (size_t)(literal - text) - from);
			at = before != NULL ? (size_t)(before + 1 - text) : from;
		}
		if (matcher->is_blockwise && (!has_literal || has_failed))
			at = skip_lines(matcher, text, len, at, &ret_line->match);
		if (at >= len)
			return PATTERN_NONE;
		line_at(text, len, from, at, ret_line);
		result = pattern_find_on(matcher->pattern, text + ret_line->start,
		    ret_line->end - ret_line->start, 0, &ret_line->match);
		if (result != PATTERN_NONE)
			return result;
		has_failed = true;
		from = ret_line->after;
	}
	return PATTERN_NONE;
}

/*
 * The filter searches for many literals in one pass. A window is four successive bytes of a
 * literal. The tables of the filter have `stride` successive windows of each literal. The filter
 * looks up four bytes of the text, by their hash, at places that are `stride` bytes apart. So,
 * wherever a literal is in the text, one of its windows is at such a place.
 */

#define LITERAL_WINDOW 4
#define LITERAL_STRIDE_MAX 4

struct literal {
	const char *bytes; /* not owned */
	size_t len; /* at least LITERAL_WINDOW + stride - 1 */
};

/* The state of a search, and the literal that was found last. Begin with zeroes. */
struct literal_hit {
	size_t at; /* offset in the text at which a window is looked up */
	uint32_t window; /* next window to compare at `at`, from 1; 0: go to the next place */
	size_t literal; /* index of the literal that was found */
	size_t start; /* offset of this literal in the text */
};

/*
 * Slots of the table `used` for each window: enough that few places match by chance, but few enough
 * for the caches of the processor.
 */
#define USED_EACH 64
#define USED_LOG_MIN 10
#define USED_LOG_MAX 16
#define HEADS_EACH 2
/* choose_offset() counts the windows with the same hash only up to this number. */
#define CROWD_MAX 32

struct literal_window {
	uint32_t bytes;
	uint32_t next; /* the next window with the same hash, from 1; 0: none */
	uint32_t literal;
	uint32_t offset; /* of the window in the literal */
};

static uint32_t load(const char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static inline uint32_t hash(uint32_t bytes)
{
	return bytes * 0x9e3779b1u;
}

static unsigned log_of(size_t count, unsigned min, unsigned max)
{
	unsigned log = min;
	while (log < max && (size_t)1 << log < count)
		log++;
	return log;
}

/* Returns the longest stride, a power of two, for a literal of len bytes; 0: too short. */
static unsigned literal_stride(size_t len)
{
	unsigned stride = LITERAL_STRIDE_MAX;
	while (stride > 0 && len < LITERAL_WINDOW - 1 + stride)
		stride /= 2;
	return stride;
}

static void add_window(
    struct literal_filter *filter, uint32_t window, uint32_t literal, uint32_t offset)
{
	uint32_t bytes = load(filter->literals[literal].bytes + offset);
	uint32_t *head = &filter->heads[hash(bytes) >> filter->heads_shift];
	filter->used[hash(bytes) >> filter->used_shift] = true;
	filter->windows[window - 1] = (struct literal_window){
	    .bytes = bytes, .next = *head, .literal = literal, .offset = offset};
	*head = window;
}

static unsigned crowd(const struct literal_filter *filter, const char *bytes, unsigned limit)
{
	unsigned count = 0;
	uint32_t window = filter->heads[hash(load(bytes)) >> filter->heads_shift];
	for (; window != 0 && count < limit; window = filter->windows[window - 1].next)
		count++;
	return count;
}

/*
 * Returns the offset in a literal from which its windows share their hashes with the fewest others.
 */
static uint32_t choose_offset(const struct literal_filter *filter, const struct literal *literal)
{
	size_t last = literal->len - (LITERAL_WINDOW - 1 + filter->stride);
	unsigned best_crowd = CROWD_MAX;
	uint32_t best = 0;
	for (uint32_t offset = 0; offset <= last && best_crowd > 0; offset++) {
		unsigned others = 0;
		for (unsigned i = 0; i < filter->stride && others < best_crowd; i++)
			others += crowd(filter, literal->bytes + offset + i, best_crowd - others);
		if (others < best_crowd) {
			best_crowd = others;
			best = offset;
		}
	}
	return best;
}

static void literal_filter_finish(struct literal_filter *filter)
{
	mem_free(filter->used);
	mem_free(filter->heads);
	mem_free(filter->windows);
	*filter = (struct literal_filter){0};
}

/* Makes a filter again; it may be zeroed at first. The literals must outlive the filter. */
static void literal_filter_make(
    struct literal_filter *filter, const struct literal *literals, size_t count, unsigned stride)
{
	size_t windows = count * stride;
	unsigned used_log = log_of(windows * USED_EACH, USED_LOG_MIN, USED_LOG_MAX);
	unsigned heads_log = log_of(windows * HEADS_EACH, 1, 31);
	uint32_t window = 1;
	literal_filter_finish(filter);
	filter->literals = literals;
	filter->stride = stride;
	filter->used_shift = 32 - used_log;
	filter->heads_shift = 32 - heads_log;
	filter->used = xcalloc((size_t)1 << used_log, sizeof *filter->used);
	filter->heads = xcalloc((size_t)1 << heads_log, sizeof *filter->heads);
	filter->windows = xcalloc(windows, sizeof *filter->windows);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = choose_offset(filter, &literals[i]);
		for (unsigned step = 0; step < stride; step++)
			add_window(filter, window++, i, offset + step);
	}
}

static inline uint8_t is_used(const struct literal_filter *filter, const char *place)
{
	return filter->used[hash(load(place)) >> filter->used_shift];
}

/*
 * Returns the next place whose four bytes have the hash of a window; without one, len - 3 or more.
 */
static inline __attribute__((always_inline)) size_t skip(
    const struct literal_filter *filter, const char *text, size_t len, size_t at, size_t stride)
{
	/* In most cases, none of eight places has the hash of a window. */
	for (; at + 7 * stride + LITERAL_WINDOW <= len; at += 8 * stride) {
		const char *place = text + at;
		if (is_used(filter, place) | is_used(filter, place + stride) |
		    is_used(filter, place + 2 * stride) | is_used(filter, place + 3 * stride) |
		    is_used(filter, place + 4 * stride) | is_used(filter, place + 5 * stride) |
		    is_used(filter, place + 6 * stride) | is_used(filter, place + 7 * stride))
			break;
	}
	while (at + LITERAL_WINDOW <= len && !is_used(filter, text + at))
		at += stride;
	return at;
}

static size_t next_place(
    const struct literal_filter *filter, const char *text, size_t len, size_t at)
{
	switch (filter->stride) {
	case 4:
		return skip(filter, text, len, at, 4);
	case 2:
		return skip(filter, text, len, at, 2);
	default:
		return skip(filter, text, len, at, 1);
	}
}

static bool stands(const struct literal_filter *filter, const struct literal_window *window,
    const char *text, size_t len, size_t at)
{
	const struct literal *literal = &filter->literals[window->literal];
	return window->bytes == load(text + at) && window->offset <= at &&
	    literal->len <= len - (at - window->offset) &&
	    memcmp(text + at - window->offset, literal->bytes, literal->len) == 0;
}

/* Finds the next literal in a text. The order of several literals at one place is not defined. */
static bool literal_filter_next(
    const struct literal_filter *filter, const char *text, size_t len, struct literal_hit *hit)
{
	for (;;) {
		while (hit->window != 0) {
			const struct literal_window *window = &filter->windows[hit->window - 1];
			hit->window = window->next;
			if (stands(filter, window, text, len, hit->at)) {
				hit->literal = window->literal;
				hit->start = hit->at - window->offset;
				hit->at += hit->window == 0 ? filter->stride : 0;
				return true;
			}
			if (hit->window == 0)
				hit->at += filter->stride;
		}
		hit->at = next_place(filter, text, len, hit->at);
		if (hit->at + LITERAL_WINDOW > len)
			return false;
		hit->window = filter->heads[hash(load(text + hit->at)) >> filter->heads_shift];
		if (hit->window == 0)
			hit->at += filter->stride;
	}
}

void pattern_set_init(struct pattern_set *set)
{
	*set = (struct pattern_set){0};
	list_init(&set->members);
}

static void forget(struct pattern_set *set)
{
	literal_filter_finish(&set->filter);
	mem_free(set->sorted);
	mem_free(set->literals);
	set->sorted = NULL;
	set->literals = NULL;
	set->filtered = 0;
}

void pattern_set_finish(struct pattern_set *set)
{
	while (!list_is_empty(&set->members))
		list_remove(set->members.next);
	forget(set);
}

void pattern_set_add(
    struct pattern_set *set, struct pattern_member *member, struct pattern *pattern)
{
	*member = (struct pattern_member){0};
	line_matcher_init(&member->matcher, pattern);
	list_append(&set->members, &member->link);
	set->count++;
	set->is_stale = true;
}

void pattern_set_remove(struct pattern_set *set, struct pattern_member *member)
{
	if (member->link.next == NULL || list_is_empty(&member->link))
		return;
	list_remove(&member->link);
	set->count--;
	set->is_stale = true;
}

/*
 * Measured nanoseconds per 100 bytes: of a filter with this stride, and of one literal alone.
 */
static const struct {
	unsigned stride;
	unsigned cost;
} strides[] = {{1, 100}, {2, 55}, {4, 30}};
#define COST_ALONE 15

static unsigned choose_stride(const struct pattern_set *set)
{
	/* by stride: how many literals are searched for alone */
	size_t alone[LITERAL_STRIDE_MAX + 1] = {0};
	size_t best_cost;
	unsigned best = 0;
	list_each (const struct pattern_member, member, &set->members, link) {
		unsigned stride = literal_stride(member->matcher.literal_len);
		for (unsigned longer = stride + 1; stride > 0 && longer <= LITERAL_STRIDE_MAX;
		     longer++)
			alone[longer]++;
		alone[0] += stride > 0;
	}
	best_cost = alone[0] * COST_ALONE;
	for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
		size_t cost = strides[i].cost + alone[strides[i].stride] * COST_ALONE;
		if (cost >= best_cost)
			continue;
		best_cost = cost;
		best = strides[i].stride;
	}
	return best;
}

/* Sorts the members after a change: those with a literal for the filter first, then the others. */
static void renew(struct pattern_set *set)
{
	unsigned stride = choose_stride(set);
	size_t others = set->count;
	forget(set);
	set->is_stale = false;
	if (set->count == 0)
		return;
	set->sorted = xcalloc(set->count, sizeof *set->sorted);
	set->literals = xcalloc(set->count, sizeof *set->literals);
	list_each (struct pattern_member, member, &set->members, link) {
		const struct line_matcher *matcher = &member->matcher;
		if (stride == 0 || literal_stride(matcher->literal_len) < stride) {
			set->sorted[--others] = member;
			continue;
		}
		set->sorted[set->filtered] = member;
		set->literals[set->filtered++] =
		    (struct literal){.bytes = matcher->literal, .len = matcher->literal_len};
	}
	if (set->filtered > 0)
		literal_filter_make(&set->filter, set->literals, set->filtered, stride);
}

static void find_filtered(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data)
{
	struct literal_hit hit = {0};
	struct matched_line line = {0};
	while (literal_filter_next(&set->filter, text, len, &hit)) {
		struct pattern_member *member = set->sorted[hit.literal];
		enum pattern_result result;
		if (member->done == set->searches)
			continue;
		if (hit.start >= line.after)
			line_at(text, len, line.after, hit.start, &line);
		if (member->tried == set->bytes + line.after)
			continue;
		member->tried = set->bytes + line.after;
		result = pattern_find_on(member->matcher.pattern, text + line.start,
		    line.end - line.start, 0, &line.match);
		if (result != PATTERN_NONE && !found(data, member, result, &line))
			member->done = set->searches;
	}
}

static void find_alone(struct pattern_member *member, const char *text, size_t len,
    pattern_found_fn *found, void *data)
{
	struct matched_line line;
	for (size_t from = 0; from < len; from = line.after) {
		enum pattern_result result = line_match(&member->matcher, text, len, from, &line);
		if (result == PATTERN_NONE || !found(data, member, result, &line))
			return;
	}
}

void pattern_set_find(
    struct pattern_set *set, const char *text, size_t len, pattern_found_fn *found, void *data)
{
	if (set->is_stale)
		renew(set);
	set->searches++;
	pattern_begin();
	if (set->filtered > 0)
		find_filtered(set, text, len, found, data);
	for (size_t i = set->filtered; i < set->count; i++)
		find_alone(set->sorted[i], text, len, found, data);
	set->bytes += len;
}

void pattern_set_pick(
    struct pattern_set *set, const char *text, size_t len, pattern_picked_fn *picked, void *data)
{
	struct literal_hit hit = {0};
	size_t left;
	if (set->is_stale)
		renew(set);
	set->searches++;
	left = set->filtered;
	while (left > 0 && literal_filter_next(&set->filter, text, len, &hit)) {
		struct pattern_member *member = set->sorted[hit.literal];
		if (member->done == set->searches)
			continue;
		member->done = set->searches;
		left--;
		picked(data, member);
	}
	for (size_t i = set->count; i > set->filtered; i--)
		picked(data, set->sorted[i - 1]); /* renew() has sorted these backwards */
}
