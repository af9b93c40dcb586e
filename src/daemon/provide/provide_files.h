/* SPDX-License-Identifier: ISC */
/* The providers of files: made when their files are read, and again when these change. */
#ifndef DAEMON_PROVIDE_PROVIDE_FILES_H
#define DAEMON_PROVIDE_PROVIDE_FILES_H

#include "daemon/provide/provider.h"

/* set: a struct provide_set. */
void provide_files_read(void *set);

#endif
