/* SPDX-License-Identifier: ISC */
/*
 * The files that patterns name, watched by inotify. A pattern is a file, a folder (all below it),
 * or has * ? [ ] in its parts, and ** for any number of folders. A name that begins with a dot
 * must be given with its dot, and links to folders are not followed. Folders and files that come
 * later count too.
 */
#ifndef CLI_VERBS_FILE_TREE_H
#define CLI_VERBS_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#define FILE_TREE_PATTERNS_MAX 64
#define FILE_TREE_FOLDERS_MAX 16384

struct file_tree;

/* NULL after writing the reason: too many patterns or folders, a folder that is not there. */
struct file_tree *file_tree_new(
    char *const *patterns, size_t count, char *ret_reason, size_t reason_size);
void file_tree_free(struct file_tree *tree);

/* Readable when something has changed. */
int file_tree_fd(const struct file_tree *tree);

/*
 * Reads what has changed. 1: one of the files, whose name *ret_name is ("" if it is not known,
 * as when events were lost), lent until the next call; 0: none; -1: too many folders, with the
 * reason.
 */
int file_tree_read(
    struct file_tree *tree, const char **ret_name, char *ret_reason, size_t reason_size);

/* Whether the folder of a pattern is gone: then file_tree_read() looks for it again. */
bool file_tree_is_torn(const struct file_tree *tree);

/* Whether a pattern matches a path; as_folder: whether it may match something below it. */
bool file_tree_matches(const char *pattern, const char *path, bool as_folder);

#endif
