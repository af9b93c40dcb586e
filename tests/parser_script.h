/* SPDX-License-Identifier: ISC */
/*
 * Scripts of parser cases, for people to read. A line is
 *
 *   case NAME        begins a case
 *   nonces A B | C   announces lists of nonces; see recorder.h
 *   nonces           awaits none
 *   line TEXT        feeds TEXT and a newline; <A> in it is the nonce of the word A
 *   feed TEXT        feeds TEXT alone, in which \n, \r, \0, \t and \\ are escapes
 *   file NAME        feeds a file from the folder of the script
 *   expect RECORD    the next record must be this; see recorder.h
 *
 * or empty, or begins with '#'.
 */
#pragma once

/* Runs all cases of a script, each fed in many ways. Makes TAP checks. */
void parser_script_run(const char *path);
