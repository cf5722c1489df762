// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records are copied out before a field is looked at: nothing says that the
 * buffer is aligned, and lengths come from outside.
 */
#include "read/event_buf.h"

#include <errno.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>

static void skip(struct pcr_event_buf *buf, size_t n)
{
	buf->at += n;
	buf->n -= n;
}

/* A name is one path component; anything else would lead out of its directory. */
static bool good_name(const char *name, size_t n)
{
	if (n == 0 || memchr(name, '/', n))
		return false;
	return !(name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.')));
}

int pcr_inotify_next(struct pcr_event_buf *buf, struct pcr_inotify_record *ret_record)
{
	struct inotify_event e;
	struct pcr_inotify_record rec;

	if (buf->n == 0)
		return PCR_NONE;
	if (buf->n < sizeof(e))
		return -EBADMSG;
	memcpy(&e, buf->at, sizeof(e));
	if (e.len > buf->n - sizeof(e))
		return -EBADMSG;
	rec = (struct pcr_inotify_record){ .wd = e.wd, .mask = e.mask };
	rec.name = buf->at + sizeof(e);
	rec.n = strnlen(rec.name, e.len);
	/* The kernel always terminates a name. */
	if (e.len > 0 && rec.n == e.len)
		return -EBADMSG;
	if (rec.n > 0 && !good_name(rec.name, rec.n))
		return -EBADMSG;
	skip(buf, sizeof(e) + e.len);
	*ret_record = rec;
	return 0;
}

/* The id out of an information record: header, fsid, file handle. */
static int handle_id(const char *info, size_t n, u64 *ret_id, size_t *ret_end)
{
	struct fanotify_event_info_fid fid;
	struct {
		u32 bytes;
		s32 type;
	} handle;
	size_t end = sizeof(fid) + sizeof(handle);

	if (n < end)
		return -EBADMSG;
	memcpy(&handle, info + sizeof(fid), sizeof(handle));
	if (handle.bytes > n - end)
		return -EBADMSG;
	*ret_id = 0;
	if (handle.type == PCR_HANDLE_KERNFS && handle.bytes == sizeof(u64))
		memcpy(ret_id, info + end, sizeof(u64));
	*ret_end = end + handle.bytes;
	return 0;
}

static int take_info(const char *info, size_t n, u8 type, struct pcr_fanotify_record *rec)
{
	size_t end;
	int r;

	switch (type) {
	case FAN_EVENT_INFO_TYPE_FID:
		return handle_id(info, n, &rec->id, &end);
	case FAN_EVENT_INFO_TYPE_DFID_NAME:
		r = handle_id(info, n, &rec->parent, &end);
		if (r < 0)
			return r;
		rec->name = info + end;
		rec->n = strnlen(rec->name, n - end);
		if (rec->n == n - end || !good_name(rec->name, rec->n))
			return -EBADMSG;
		return 0;
	default:
		return 0;
	}
}

int pcr_fanotify_next(struct pcr_event_buf *buf, struct pcr_fanotify_record *ret_record)
{
	struct fanotify_event_metadata meta;
	struct pcr_fanotify_record rec = { 0 };
	size_t at;

	if (buf->n == 0)
		return PCR_NONE;
	if (buf->n < sizeof(meta))
		return -EBADMSG;
	memcpy(&meta, buf->at, sizeof(meta));
	if (meta.vers != FANOTIFY_METADATA_VERSION || meta.metadata_len < sizeof(meta) ||
	    meta.event_len < meta.metadata_len || meta.event_len > buf->n)
		return -EBADMSG;
	rec.mask = meta.mask;
	for (at = meta.metadata_len; at < meta.event_len;) {
		struct fanotify_event_info_header head;
		int r;

		if (meta.event_len - at < sizeof(head))
			return -EBADMSG;
		memcpy(&head, buf->at + at, sizeof(head));
		if (head.len < sizeof(head) || head.len > meta.event_len - at)
			return -EBADMSG;
		r = take_info(buf->at + at, head.len, head.info_type, &rec);
		if (r < 0)
			return r;
		at += head.len;
	}
	skip(buf, meta.event_len);
	*ret_record = rec;
	return 0;
}
