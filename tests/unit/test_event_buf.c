// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/read/event_buf.c. Report 10, kubernetes 94583: event buffers mishandled.
 * Records as the kernel filled them, then each of them cut and lied about.
 */
#include "unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>

#include "read/event_buf.h"

/* What one read gave on cgroup2: mkdir lct (25) and lct/b (44), rmdir of both. */
static const u8 captured[] = {
	/* mkdir lct */
	0x38, 0x00, 0x00, 0x00, 0x03, 0x00, 0x18, 0x00, 0x00, 0x01, 0x00, 0x40, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x9b, 0x03, 0x00, 0x00, 0x02, 0x00, 0x20, 0x00,
	0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00, 0x00, 0x00, 0xfe, 0x00,
	0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x6c, 0x63, 0x74, 0x00,
	/* mkdir lct/b */
	0x38, 0x00, 0x00, 0x00, 0x03, 0x00, 0x18, 0x00, 0x00, 0x01, 0x00, 0x40, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x9b, 0x03, 0x00, 0x00, 0x02, 0x00, 0x20, 0x00,
	0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00, 0x00, 0x00, 0xfe, 0x00,
	0x00, 0x00, 0x19, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x00, 0x00,
	/* rmdir lct/b */
	0x54, 0x00, 0x00, 0x00, 0x03, 0x00, 0x18, 0x00, 0x00, 0x02, 0x00, 0x40, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x9b, 0x03, 0x00, 0x00, 0x02, 0x00, 0x20, 0x00,
	0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00, 0x00, 0x00, 0xfe, 0x00,
	0x00, 0x00, 0x19, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x00, 0x00, 0x00,
	0x01, 0x00, 0x1c, 0x00, 0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00,
	0x00, 0x00, 0xfe, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	/* rmdir lct */
	0x54, 0x00, 0x00, 0x00, 0x03, 0x00, 0x18, 0x00, 0x00, 0x02, 0x00, 0x40, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x9b, 0x03, 0x00, 0x00, 0x02, 0x00, 0x20, 0x00,
	0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00, 0x00, 0x00, 0xfe, 0x00,
	0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x6c, 0x63, 0x74, 0x00,
	0x01, 0x00, 0x1c, 0x00, 0x86, 0xde, 0x8c, 0x9a, 0x0f, 0xe3, 0x7e, 0x4b, 0x08, 0x00,
	0x00, 0x00, 0xfe, 0x00, 0x00, 0x00, 0x19, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

START_TEST(fanotify_captured)
{
	static const struct {
		u64 mask, parent, id;
		const char *name;
	} wanted[] = {
		{ FAN_CREATE | FAN_ONDIR, 1, 0, "lct" },
		{ FAN_CREATE | FAN_ONDIR, 25, 0, "b" },
		{ FAN_DELETE | FAN_ONDIR, 25, 44, "b" },
		{ FAN_DELETE | FAN_ONDIR, 1, 25, "lct" },
	};
	struct pcr_event_buf buf = { (const char *)captured, sizeof(captured) };
	struct pcr_fanotify_record rec;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(wanted); i++) {
		ck_assert_int_eq(pcr_fanotify_next(&buf, &rec), 0);
		ck_assert_uint_eq(rec.mask, wanted[i].mask);
		ck_assert_uint_eq(rec.parent, wanted[i].parent);
		ck_assert_uint_eq(rec.id, wanted[i].id);
		ck_assert_uint_eq(rec.n, strlen(wanted[i].name));
		ck_assert_mem_eq(rec.name, wanted[i].name, rec.n);
	}
	ck_assert_int_eq(pcr_fanotify_next(&buf, &rec), PCR_NONE);
}
END_TEST

START_TEST(fanotify_overflow)
{
	struct fanotify_event_metadata meta = {
		.event_len = sizeof(meta), .vers = FANOTIFY_METADATA_VERSION,
		.metadata_len = sizeof(meta), .mask = FAN_Q_OVERFLOW, .fd = FAN_NOFD,
	};
	struct pcr_event_buf buf = { (const char *)&meta, sizeof(meta) };
	struct pcr_fanotify_record rec;

	ck_assert_int_eq(pcr_fanotify_next(&buf, &rec), 0);
	ck_assert_uint_eq(rec.mask, FAN_Q_OVERFLOW);
	ck_assert_uint_eq(rec.parent + rec.id + rec.n, 0);
}
END_TEST

/* Reads everything out of a copy of exactly this size; ASan watches the edges. */
static void drain_fanotify(const u8 *data, size_t n)
{
	char *copy = malloc(n ? n : 1);
	struct pcr_event_buf buf = { copy, n };
	struct pcr_fanotify_record rec;
	size_t left = n + 1;
	int r;

	memcpy(copy, data, n);
	while ((r = pcr_fanotify_next(&buf, &rec)) == 0) {
		ck_assert_uint_lt(buf.n, left);
		left = buf.n;
		if (rec.n > 0)
			ck_assert(rec.name >= copy && rec.name + rec.n < copy + n);
	}
	ck_assert(r == PCR_NONE || r == -EBADMSG);
	free(copy);
}

START_TEST(fanotify_spoilt)
{
	u8 copy[sizeof(captured)];

	for (size_t n = 0; n <= sizeof(captured); n++)
		drain_fanotify(captured, n);
	for (size_t i = 0; i < sizeof(captured); i++) {
		static const u8 lies[] = { 0, 1, 2, 0x7f, 0x80, 0xff, '/', '.' };

		for (size_t k = 0; k < sizeof(lies); k++) {
			memcpy(copy, captured, sizeof(copy));
			copy[i] = lies[k];
			drain_fanotify(copy, sizeof(copy));
		}
	}
}
END_TEST

/* A handle of another file system says nothing about cgroups. */
START_TEST(fanotify_foreign_handle)
{
	u8 copy[0x38];
	struct pcr_event_buf buf = { (const char *)copy, sizeof(copy) };
	struct pcr_fanotify_record rec;

	memcpy(copy, captured, sizeof(copy));
	copy[40] = 1;
	ck_assert_int_eq(pcr_fanotify_next(&buf, &rec), 0);
	ck_assert_uint_eq(rec.parent, 0);
	ck_assert_uint_eq(rec.n, 3);
}
END_TEST

struct sample {
	char data[256];
	size_t n;
};

static void put(struct sample *s, s32 wd, u32 mask, const char *name, size_t room)
{
	struct inotify_event e = { .wd = wd, .mask = mask, .len = (u32)room };

	memcpy(s->data + s->n, &e, sizeof(e));
	s->n += sizeof(e);
	memset(s->data + s->n, 0, room);
	memcpy(s->data + s->n, name, strlen(name));
	s->n += room;
}

static struct sample sample(void)
{
	struct sample s = { .n = 0 };

	put(&s, 1, IN_CREATE | IN_ISDIR, "system.slice", 16);
	put(&s, 7, IN_DELETE | IN_ISDIR, "a", 16);
	put(&s, 7, IN_IGNORED, "", 0);
	put(&s, -1, IN_Q_OVERFLOW, "", 0);
	return s;
}

START_TEST(inotify_good)
{
	struct sample s = sample();
	struct pcr_event_buf buf = { s.data, s.n };
	struct pcr_inotify_record rec;

	ck_assert_int_eq(pcr_inotify_next(&buf, &rec), 0);
	ck_assert_int_eq(rec.wd, 1);
	ck_assert_uint_eq(rec.mask, IN_CREATE | IN_ISDIR);
	ck_assert_uint_eq(rec.n, 12);
	ck_assert_mem_eq(rec.name, "system.slice", 12);
	ck_assert_int_eq(pcr_inotify_next(&buf, &rec), 0);
	ck_assert_uint_eq(rec.n, 1);
	ck_assert_int_eq(pcr_inotify_next(&buf, &rec), 0);
	ck_assert_uint_eq(rec.n, 0);
	ck_assert_int_eq(pcr_inotify_next(&buf, &rec), 0);
	ck_assert_uint_eq(rec.mask, IN_Q_OVERFLOW);
	ck_assert_int_eq(rec.wd, -1);
	ck_assert_int_eq(pcr_inotify_next(&buf, &rec), PCR_NONE);
}
END_TEST

static void drain_inotify(const char *data, size_t n)
{
	char *copy = malloc(n ? n : 1);
	struct pcr_event_buf buf = { copy, n };
	struct pcr_inotify_record rec;
	size_t left = n + 1;
	int r;

	memcpy(copy, data, n);
	while ((r = pcr_inotify_next(&buf, &rec)) == 0) {
		ck_assert_uint_lt(buf.n, left);
		left = buf.n;
		if (rec.n > 0)
			ck_assert(rec.name + rec.n < copy + n && !memchr(rec.name, '/', rec.n));
	}
	ck_assert(r == PCR_NONE || r == -EBADMSG);
	free(copy);
}

START_TEST(inotify_spoilt)
{
	struct sample s = sample();

	for (size_t n = 0; n <= s.n; n++)
		drain_inotify(s.data, n);
	for (size_t i = 0; i < s.n; i++) {
		for (int lie = 0; lie < 256; lie += 5) {
			struct sample copy = s;

			copy.data[i] = (char)lie;
			drain_inotify(copy.data, copy.n);
		}
	}
}
END_TEST

START_TEST(names_that_lead_away)
{
	static const struct {
		const char *name;
		int ret;
	} cases[] = {
		{ "a/b", -EBADMSG }, { "/", -EBADMSG }, { ".", -EBADMSG }, { "..", -EBADMSG },
		{ "...", 0 }, { ".a", 0 }, { " ", 0 },
		{ "0123456789abcde", 0 },
		{ "0123456789abcdef", -EBADMSG },	/* no room for its NUL */
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct sample s = { .n = 0 };
		struct pcr_inotify_record rec;
		struct pcr_event_buf buf;

		put(&s, 1, IN_CREATE | IN_ISDIR, cases[i].name, 16);
		buf = (struct pcr_event_buf){ s.data, s.n };
		ck_assert_msg(pcr_inotify_next(&buf, &rec) == cases[i].ret, "%s", cases[i].name);
	}
}
END_TEST

PCR_UNIT("event_buf", fanotify_captured, fanotify_overflow, fanotify_spoilt,
	 fanotify_foreign_handle, inotify_good, inotify_spoilt, names_that_lead_away)
