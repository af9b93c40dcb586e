/* SPDX-License-Identifier: ISC */
#include "daemon/pane/prompt_sight.h"

void prompt_mark_set(struct prompt_mark *mark, char letter, uint64_t to)
{
	if (letter < 'A' || letter > 'D')
		return;
	*mark = (struct prompt_mark){.mark = letter, .to = to};
}

void prompt_mark_output(struct prompt_mark *mark, uint64_t offset, const uint8_t *bytes, size_t len)
{
	size_t before = mark->to <= offset ? 0 : (size_t)(mark->to - offset);
	if (before >= len)
		return;
	mark->is_passed |= mark->has_rested || memchr(bytes + before, '\n', len - before) != NULL;
}

bool prompt_mark_holds(const struct prompt_mark *mark)
{
	return !mark->is_passed && (mark->mark == 'A' || mark->mark == 'B');
}

const char *prompt_refusal(const struct prompt_facts *facts)
{
	const struct pane_tty *tty = &facts->tty;
	if (!facts->has_cursor && facts->sign != SIGN_IDLE)
		return "no cursor is seen";
	if (facts->reads == AGENT_READS_NO)
		return "the program in front does not wait for input";
	if (tty->is_known && tty->is_cooked && !tty->has_echo)
		return "a secret is asked for";
	if (tty->is_known && tty->unread > 0)
		return "what was typed has not been read";
	if (facts->is_alternate && !facts->is_agent)
		return "a full-screen program that is no known agent is in front";
	if (facts->sign == SIGN_DIALOG ||
	    (facts->sign != SIGN_IDLE && (facts->prompt->is_question || facts->asks)))
		return "a question is asked";
	if (facts->is_marked)
		return NULL;
	if (facts->sign == SIGN_WORK)
		return "the agent's screen says that it is busy";
	if (facts->sign == SIGN_DRAFT || (facts->sign != SIGN_IDLE && !facts->prompt->is_seen))
		return "no empty prompt is at the cursor";
	if (facts->reads != AGENT_READS_YES && facts->quiet_ms < PROMPT_DOUBT_MS)
		return "it is not known yet whether the program waits for input";
	return NULL;
}
