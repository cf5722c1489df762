// SPDX-License-Identifier: GPL-2.0-or-later
#include "act/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"

#define WRITE_TRIES 16

int pcr_file_in(const char *dir, const char *name, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int pcr_write_all(int fd, const char *text, size_t n)
{
	int tries = 0;

	while (n) {
		ssize_t put = write(fd, text, n);

		if (put < 0 && errno == EINTR && tries++ < WRITE_TRIES)
			continue;
		if (put <= 0)
			return put < 0 ? -errno : -EIO;
		text += put;
		n -= (size_t)put;
	}
	return 0;
}

int pcr_replace_file(const char *dir, const char *name, const char *text, size_t n)
{
	char path[320], temp[320], temp_name[64];
	PCR_AUTOCLOSE int fd = -1;
	int r = pcr_file_in(dir, name, path, sizeof(path));

	snprintf(temp_name, sizeof(temp_name), "%.50s.new", name);
	if (r == 0)
		r = pcr_file_in(dir, temp_name, temp, sizeof(temp));
	if (r < 0)
		return r;
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = pcr_write_all(fd, text, n);
	if (r == 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temp);
	return r;
}
