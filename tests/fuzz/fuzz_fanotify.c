// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers read from fanotify: steps go forward, names lie within and are one component. */
#include "fuzz.h"

#include <string.h>

#include "read/event_buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pcr_event_buf buf = { (const char *)data, size };
	struct pcr_fanotify_record rec;
	size_t left = size;

	while (pcr_fanotify_next(&buf, &rec) == 0) {
		MUST(buf.n < left);
		left = buf.n;
		if (rec.n == 0)
			continue;
		MUST(rec.name > (const char *)data);
		MUST(rec.name + rec.n < (const char *)data + size);
		MUST(!memchr(rec.name, '/', rec.n));
	}
	return 0;
}
