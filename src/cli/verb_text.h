/* SPDX-License-Identifier: ISC */
/* The text of muxbus(1) about a verb or a topic. */
#ifndef CLI_VERB_TEXT_H
#define CLI_VERB_TEXT_H

/* The text, in lines of at most 78 columns; NULL if the manual has none. */
const char *verb_text(const char *name);

#endif
