/* SPDX-License-Identifier: ISC */
#include "base/file.h"

int file_read_all(int fd, struct buf *out)
{
	char bytes[16384];
	ssize_t n;
	while ((n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (buf_append(out, bytes, (size_t)n) < 0) {
			errno = EFBIG;
			return -1;
		}
	}
	return 0;
}

int file_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = write(fd, at, len);
		if (n < 0 && errno != EINTR)
			return -1;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

bool file_is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool file_find_program(const char *name, const char *dirs, char *out, size_t size)
{
	while (dirs != NULL && *dirs != '\0') {
		size_t len = strcspn(dirs, ":");
		if (*dirs == '/' &&
		    (size_t)snprintf(out, size, "%.*s/%s", (int)len, dirs, name) < size &&
		    file_is_program(out))
			return true;
		dirs += len + (dirs[len] == ':');
	}
	return false;
}
