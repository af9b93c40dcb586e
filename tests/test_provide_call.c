/* SPDX-License-Identifier: ISC */
/* How many calls of provided methods a process may have open; those of tool servers do not count. */
#include "daemon/provide/provider.h"

#include "tap.h"

static struct provider provider;

static bool admits(const struct provide_calls *calls, pid_t caller)
{
	const struct provide_order order = {.provider = &provider, .caller_pid = caller};
	struct tool_failure failure;
	unsigned depth;
	return provide_calls_admit(calls, &provider, &order, &depth, &failure);
}

static void fill(struct provide_calls *calls, struct provide_call open[PROVIDE_CALLER_MAX],
    const char *server, pid_t caller)
{
	list_init(&calls->list);
	for (size_t at = 0; at < PROVIDE_CALLER_MAX; at++) {
		open[at] = (struct provide_call){.server = server, .caller_pid = caller};
		list_append(&calls->list, &open[at].link);
	}
}

int main(void)
{
	struct provide_call open[PROVIDE_CALLER_MAX];
	struct provide_calls calls = {0};
	fill(&calls, open, NULL, 4711);
	ok(!admits(&calls, 4711), "a process with the most open calls is refused");
	ok(admits(&calls, 4712), "another one is not");
	fill(&calls, open, "server", 0);
	ok(admits(&calls, 0), "calls of tool servers do not count for a caller that is not known");
	return done_testing();
}
