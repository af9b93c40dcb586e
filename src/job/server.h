/* SPDX-License-Identifier: ISC */
/*
 * muxbus-job --server FD DIRECTORY COMMAND…: supervises a server of tools, a program that serves
 * the daemon over its standard streams. FD is a pipe that only the daemon can write to. When the
 * daemon closes the pipe, or dies in any way, the server and all its descendants end.
 */
#ifndef JOB_SERVER_H
#define JOB_SERVER_H

/* The words from FD on, NULL-terminated. Returns the exit status; a signal ends this process too. */
int server_run(char *const *words);

#endif
