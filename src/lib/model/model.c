/* SPDX-License-Identifier: ISC */
/* The store of a model: sorted arrays with binary search, and one pool of strings. */
#include "lib/model/model.h"
#include "base/base.h"

#define POOL_BYTES 8192

_Static_assert(offsetof(struct muxbus_session, id) == 0 &&
	offsetof(struct muxbus_window, id) == 0 && offsetof(struct muxbus_pane, id) == 0,
    "compare_ids() reads the first member");

struct pool_block {
	struct pool_block *next;
	size_t len;
	size_t cap;
	char bytes[];
};

struct model_table {
	void *items;
	size_t count;
	size_t cap;
	size_t next; /* index behind the item found last: callers often look for items in order */
};

struct muxbus_model {
	struct model_table sessions; /* by id */
	struct model_table windows; /* by id */
	struct model_table links; /* by session, index, window */
	struct model_table panes; /* by window, index, id */
	struct model_table clients; /* by name */
	uint64_t *pane_order; /* sorted; upper half: pane id, lower half: position in panes */
	size_t next_pane; /* index in pane_order, behind the pane found last */
	struct muxbus_link *window_links; /* a copy of links, sorted by window, session, index */
	struct pool_block *pool;
	bool is_cut;
	bool lacks_memory;
};

int model_new(struct muxbus_model **ret_model)
{
	struct muxbus_model *model = mem_calloc(1, sizeof *model);
	if (model == NULL)
		return MUXBUS_ERR_NOMEM;
	*ret_model = model;
	return 0;
}

void model_free(struct muxbus_model *model)
{
	if (model == NULL)
		return;
	mem_free(model->sessions.items);
	mem_free(model->windows.items);
	mem_free(model->links.items);
	mem_free(model->panes.items);
	mem_free(model->clients.items);
	mem_free(model->pane_order);
	mem_free(model->window_links);
	while (model->pool != NULL) {
		struct pool_block *block = model->pool;
		model->pool = block->next;
		mem_free(block);
	}
	mem_free(model);
}

char *model_string(struct muxbus_model *model, const void *bytes, size_t len)
{
	struct pool_block *block = model->pool;
	char *copy;
	if (block == NULL || block->cap - block->len <= len) {
		size_t cap = len < POOL_BYTES ? POOL_BYTES : len + 1;
		block = mem_alloc(sizeof *block + cap);
		model->lacks_memory |= block == NULL;
		if (block == NULL)
			return NULL;
		block->next = model->pool;
		block->len = 0;
		block->cap = cap;
		model->pool = block;
	}
	copy = block->bytes + block->len;
	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	block->len += len + 1;
	return copy;
}

void model_keep_text(struct muxbus_model *model, const char **text)
{
	const char *copy = (*text)[0] != '\0' ? model_string(model, *text, strlen(*text)) : NULL;
	*text = copy != NULL ? copy : "";
}

void model_fail(struct muxbus_model *model)
{
	model->lacks_memory = true;
}

int model_error(const struct muxbus_model *model)
{
	return model->lacks_memory ? MUXBUS_ERR_NOMEM : 0;
}

static void table_add(struct muxbus_model *model, struct model_table *table, const void *item,
    size_t size, size_t max)
{
	if (table->count == max) {
		model->is_cut = true;
		return;
	}
	if (table->count == table->cap) {
		size_t cap = table->cap == 0 ? 16 : table->cap * 2;
		void *items = mem_realloc(table->items, cap * size);
		model->lacks_memory |= items == NULL;
		if (items == NULL)
			return;
		table->items = items;
		table->cap = cap;
	}
	memcpy((char *)table->items + table->count * size, item, size);
	table->count++;
}

void model_add_session(struct muxbus_model *model, const struct muxbus_session *session)
{
	table_add(model, &model->sessions, session, sizeof *session, MODEL_SESSIONS_MAX);
}

void model_add_window(struct muxbus_model *model, const struct muxbus_window *window)
{
	table_add(model, &model->windows, window, sizeof *window, MODEL_LINKS_MAX);
}

void model_add_link(struct muxbus_model *model, const struct muxbus_link *link)
{
	table_add(model, &model->links, link, sizeof *link, MODEL_LINKS_MAX);
}

void model_add_pane(struct muxbus_model *model, const struct muxbus_pane *pane)
{
	table_add(model, &model->panes, pane, sizeof *pane, (size_t)MODEL_PANES_MAX * 4);
}

void model_add_client(struct muxbus_model *model, const struct muxbus_client *client)
{
	table_add(model, &model->clients, client, sizeof *client, MODEL_CLIENTS_MAX);
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compares two records by their first member, an id. Either may be just an id. */
static int compare_ids(const void *a, const void *b)
{
	return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

int model_compare_links(const void *a, const void *b)
{
	const struct muxbus_link *la = a, *lb = b;
	int order = compare_numbers(la->session, lb->session);
	if (order == 0)
		order = compare_numbers(la->index, lb->index);
	return order != 0 ? order : compare_numbers(la->window, lb->window);
}

static int compare_window_links(const void *a, const void *b)
{
	const struct muxbus_link *la = a, *lb = b;
	int order = compare_numbers(la->window, lb->window);
	return order != 0 ? order : model_compare_links(a, b);
}

static int compare_panes(const void *a, const void *b)
{
	const struct muxbus_pane *pa = a, *pb = b;
	int order = compare_numbers(pa->window, pb->window);
	if (order == 0)
		order = compare_numbers(pa->index, pb->index);
	return order != 0 ? order : compare_ids(a, b);
}

static int compare_clients(const void *a, const void *b)
{
	return strcmp(
	    ((const struct muxbus_client *)a)->name, ((const struct muxbus_client *)b)->name);
}

static int compare_order(const void *a, const void *b)
{
	uint64_t ea = *(const uint64_t *)a, eb = *(const uint64_t *)b;
	return ea < eb ? -1 : ea > eb;
}

static void *table_find(struct model_table *table, const void *key, size_t size,
    int (*compare)(const void *, const void *))
{
	char *items = table->items, *item;
	if (table->count == 0)
		return NULL;
	item = items + table->next * size;
	if (table->next >= table->count || compare(key, item) != 0)
		item = bsearch(key, items, table->count, size, compare);
	if (item != NULL)
		table->next = (size_t)(item - items) / size + 1;
	return item;
}

static const void *table_next(const struct model_table *table, const void *previous, size_t size)
{
	const char *items = table->items;
	size_t position = 0;
	if (previous != NULL)
		position = (size_t)((const char *)previous - items) / size + 1;
	return position < table->count ? items + position * size : NULL;
}

/* Sorts a table. Most tables are already in order, since they are copied or listed that way. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const char *item = items, *last = item + (count - 1) * size;
	while (item < last && compare(item, item + size) <= 0)
		item += size;
	if (item < last)
		qsort(items, count, size, compare);
}

static void table_sort_unique(
    struct model_table *table, size_t size, int (*compare)(const void *, const void *))
{
	char *items = table->items;
	size_t kept = 0;
	if (table->count == 0)
		return;
	sort(items, table->count, size, compare);
	for (size_t i = 1; i < table->count; i++) {
		if (compare(items + kept * size, items + i * size) == 0)
			continue;
		kept++;
		if (kept != i)
			memcpy(items + kept * size, items + i * size, size);
	}
	table->count = kept + 1;
}

static void table_limit(struct muxbus_model *model, struct model_table *table, size_t max)
{
	if (table->count <= max)
		return;
	table->count = max;
	model->is_cut = true;
}

static void drop_loose_links(struct muxbus_model *model)
{
	struct muxbus_link *links = model->links.items;
	size_t kept = 0;
	for (size_t i = 0; i < model->links.count; i++) {
		if (muxbus_model_session(model, links[i].session) == NULL ||
		    muxbus_model_window(model, links[i].window) == NULL)
			continue;
		links[kept++] = links[i];
	}
	model->is_cut |= kept != model->links.count;
	model->links.count = kept;
}

static void drop_loose_panes(struct muxbus_model *model)
{
	struct muxbus_pane *panes = model->panes.items;
	size_t kept = 0;
	for (size_t i = 0; i < model->panes.count; i++)
		if (muxbus_model_window(model, panes[i].window) != NULL)
			panes[kept++] = panes[i];
	model->is_cut |= kept != model->panes.count;
	model->panes.count = kept;
}

static void order_panes(struct muxbus_model *model)
{
	const struct muxbus_pane *panes;
	size_t count;
	table_sort_unique(&model->panes, sizeof *panes, compare_ids);
	table_limit(model, &model->panes, MODEL_PANES_MAX);
	drop_loose_panes(model);
	panes = model->panes.items;
	count = model->panes.count;
	if (count == 0)
		return;
	sort(model->panes.items, count, sizeof *panes, compare_panes);
	model->pane_order = mem_calloc(count, sizeof *model->pane_order);
	if (model->pane_order == NULL) {
		model_fail(model);
		return;
	}
	for (size_t i = 0; i < count; i++)
		model->pane_order[i] = (uint64_t)panes[i].id << 32 | i;
	sort(model->pane_order, count, sizeof *model->pane_order, compare_order);
}

static void order_links(struct muxbus_model *model)
{
	drop_loose_links(model);
	if (model->links.count == 0)
		return;
	model->window_links =
	    mem_memdup(model->links.items, model->links.count * sizeof(struct muxbus_link));
	if (model->window_links == NULL)
		model_fail(model);
	else
		sort(model->window_links, model->links.count, sizeof(struct muxbus_link),
		    compare_window_links);
}

static void join_records(struct muxbus_model *model)
{
	const struct muxbus_link *links = model->links.items;
	const struct muxbus_pane *panes = model->panes.items;
	const struct muxbus_client *clients = model->clients.items;
	for (size_t i = 0; i < model->links.count; i++) {
		struct muxbus_session *session = model_session_entry(model, links[i].session);
		struct muxbus_window *window = model_window_entry(model, links[i].window);
		session->windows++;
		if (links[i].is_current)
			session->current_window = links[i].window;
		window->has_bell |= links[i].has_bell;
		window->has_activity |= links[i].has_activity;
		window->has_silence |= links[i].has_silence;
	}
	for (size_t i = 0; i < model->panes.count; i++) {
		struct muxbus_window *window = model_window_entry(model, panes[i].window);
		window->panes++;
		if (panes[i].is_active)
			window->active_pane = panes[i].id;
	}
	for (size_t i = 0; i < model->clients.count; i++) {
		struct muxbus_session *session = model_session_entry(model, clients[i].session);
		if (session != NULL && !clients[i].is_control)
			session->attached++;
	}
}

int model_finish(struct muxbus_model *model)
{
	table_sort_unique(&model->sessions, sizeof(struct muxbus_session), compare_ids);
	table_sort_unique(&model->windows, sizeof(struct muxbus_window), compare_ids);
	table_limit(model, &model->windows, MODEL_WINDOWS_MAX);
	table_sort_unique(&model->links, sizeof(struct muxbus_link), model_compare_links);
	table_sort_unique(&model->clients, sizeof(struct muxbus_client), compare_clients);
	order_links(model);
	order_panes(model);
	join_records(model);
	return model_error(model);
}

bool model_is_cut(const struct muxbus_model *model)
{
	return model->is_cut;
}

struct muxbus_session *model_session_entry(struct muxbus_model *model, uint32_t id)
{
	return table_find(&model->sessions, &id, sizeof(struct muxbus_session), compare_ids);
}

struct muxbus_pane *model_pane_entry(struct muxbus_model *model, uint32_t id)
{
	size_t low = 0, high = model->panes.count;
	size_t middle = model->next_pane < high ? model->next_pane : high / 2;
	if (model->pane_order == NULL)
		return NULL;
	for (; low < high; middle = low + (high - low) / 2) {
		uint64_t entry = model->pane_order[middle];
		if (entry >> 32 == id) {
			model->next_pane = middle + 1;
			return (struct muxbus_pane *)model->panes.items + (uint32_t)entry;
		}
		if (entry >> 32 < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct muxbus_pane *model_next_pane_entry(
    struct muxbus_model *model, const struct muxbus_pane *previous)
{
	return (struct muxbus_pane *)(uintptr_t)muxbus_model_next_pane(model, previous);
}

struct muxbus_window *model_window_entry(struct muxbus_model *model, uint32_t id)
{
	return table_find(&model->windows, &id, sizeof(struct muxbus_window), compare_ids);
}

static void set_current(struct muxbus_link *links, size_t count, uint32_t session, uint32_t window)
{
	for (size_t i = 0; i < count; i++)
		if (links[i].session == session)
			links[i].is_current = links[i].window == window;
}

void model_set_current_window(struct muxbus_model *model, uint32_t session, uint32_t window)
{
	struct muxbus_session *entry = model_session_entry(model, session);
	set_current(model->links.items, model->links.count, session, window);
	set_current(model->window_links, model->links.count, session, window);
	if (entry != NULL)
		entry->current_window = window;
}

void model_set_active_pane(struct muxbus_model *model, uint32_t window, uint32_t pane)
{
	struct muxbus_pane *panes = model->panes.items;
	struct muxbus_window *entry = model_window_entry(model, window);
	for (size_t i = 0; i < model->panes.count; i++)
		if (panes[i].window == window)
			panes[i].is_active = panes[i].id == pane;
	if (entry != NULL)
		entry->active_pane = pane;
}

struct muxbus_client *model_client_entry(struct muxbus_model *model, size_t position)
{
	if (position >= model->clients.count)
		return NULL;
	return (struct muxbus_client *)model->clients.items + position;
}

/* Returns the first item that is not less than key in the order of compare, or NULL. */
static const void *first_from(const void *items, size_t count, size_t size, const void *key,
    int (*compare)(const void *, const void *))
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare((const char *)items + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count ? (const char *)items + low * size : NULL;
}

const struct muxbus_link *model_link(
    const struct muxbus_model *model, uint32_t session, uint32_t window)
{
	struct muxbus_link key = {.session = session, .window = window, .index = INT32_MIN};
	const struct muxbus_link *link = first_from(
	    model->window_links, model->links.count, sizeof key, &key, compare_window_links);
	if (link == NULL || link->session != session || link->window != window)
		return NULL;
	return link;
}

const struct muxbus_link *model_first_link(const struct muxbus_model *model, uint32_t window)
{
	struct muxbus_link key = {.session = 0, .window = window, .index = INT32_MIN};
	const struct muxbus_link *link = first_from(
	    model->window_links, model->links.count, sizeof key, &key, compare_window_links);
	return link != NULL && link->window == window ? link : NULL;
}

const struct muxbus_link *model_next_window_link(
    const struct muxbus_model *model, const struct muxbus_link *previous)
{
	const struct muxbus_link *next = previous + 1;
	if (next == model->window_links + model->links.count || next->window != previous->window)
		return NULL;
	return next;
}

const struct muxbus_link *model_first_session_link(
    const struct muxbus_model *model, uint32_t session)
{
	struct muxbus_link key = {.session = session, .index = INT32_MIN};
	const struct muxbus_link *link = first_from(
	    model->links.items, model->links.count, sizeof key, &key, model_compare_links);
	return link != NULL && link->session == session ? link : NULL;
}

const struct muxbus_link *model_next_session_link(
    const struct muxbus_model *model, const struct muxbus_link *previous)
{
	const struct muxbus_link *next = muxbus_model_next_link(model, previous);
	return next != NULL && next->session == previous->session ? next : NULL;
}

const struct muxbus_pane *model_first_pane(const struct muxbus_model *model, uint32_t window)
{
	struct muxbus_pane key = {.window = window, .index = INT32_MIN};
	const struct muxbus_pane *pane =
	    first_from(model->panes.items, model->panes.count, sizeof key, &key, compare_panes);
	return pane != NULL && pane->window == window ? pane : NULL;
}

const struct muxbus_pane *model_next_window_pane(
    const struct muxbus_model *model, const struct muxbus_pane *previous)
{
	const struct muxbus_pane *next = muxbus_model_next_pane(model, previous);
	return next != NULL && next->window == previous->window ? next : NULL;
}

size_t muxbus_model_window_links(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_link **ret_first)
{
	const struct muxbus_link *link = *ret_first = model_first_link(model, window);
	size_t count = 0;
	for (; link != NULL; link = model_next_window_link(model, link))
		count++;
	return count;
}

size_t muxbus_model_window_panes(
    const struct muxbus_model *model, uint32_t window, const struct muxbus_pane **ret_first)
{
	const struct muxbus_pane *pane = *ret_first = model_first_pane(model, window);
	size_t count = 0;
	for (; pane != NULL; pane = model_next_window_pane(model, pane))
		count++;
	return count;
}

const struct muxbus_session *muxbus_model_next_session(
    const struct muxbus_model *model, const struct muxbus_session *previous)
{
	return table_next(&model->sessions, previous, sizeof *previous);
}

const struct muxbus_window *muxbus_model_next_window(
    const struct muxbus_model *model, const struct muxbus_window *previous)
{
	return table_next(&model->windows, previous, sizeof *previous);
}

const struct muxbus_link *muxbus_model_next_link(
    const struct muxbus_model *model, const struct muxbus_link *previous)
{
	return table_next(&model->links, previous, sizeof *previous);
}

const struct muxbus_pane *muxbus_model_next_pane(
    const struct muxbus_model *model, const struct muxbus_pane *previous)
{
	return table_next(&model->panes, previous, sizeof *previous);
}

const struct muxbus_client *muxbus_model_next_client(
    const struct muxbus_model *model, const struct muxbus_client *previous)
{
	return table_next(&model->clients, previous, sizeof *previous);
}

const struct muxbus_session *muxbus_model_session(const struct muxbus_model *model, uint32_t id)
{
	return model_session_entry((struct muxbus_model *)(uintptr_t)model, id);
}

const struct muxbus_window *muxbus_model_window(const struct muxbus_model *model, uint32_t id)
{
	return model_window_entry((struct muxbus_model *)(uintptr_t)model, id);
}

const struct muxbus_pane *muxbus_model_pane(const struct muxbus_model *model, uint32_t id)
{
	return model_pane_entry((struct muxbus_model *)(uintptr_t)model, id);
}

void muxbus_model_counts(const struct muxbus_model *model, struct muxbus_model_counts *ret_counts)
{
	ret_counts->sessions = (uint32_t)model->sessions.count;
	ret_counts->links = (uint32_t)model->links.count;
	ret_counts->windows = (uint32_t)model->windows.count;
	ret_counts->panes = (uint32_t)model->panes.count;
	ret_counts->clients = (uint32_t)model->clients.count;
}
