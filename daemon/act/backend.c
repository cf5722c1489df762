// SPDX-License-Identifier: GPL-2.0-or-later
/* Backends: the writes themselves, and what they were seen to do. Worker thread only. */
#include "act/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcr/knobs.h"
#include "sys/meminfo.h"
#include "sys/root.h"
#include "sys/spare.h"
#include "sys/unpin.h"

static void begin(const struct pcr_job *job, const char *knob, struct pcr_outcome *o)
{
	size_t n = strlen(job->path);

	*o = (struct pcr_outcome){
		.action = job->decision.action, .target = job->decision.target,
		.asked = job->decision.amount, .freed_bytes = PCR_ABSENT,
		.setting = job->decision.setting,
	};
	snprintf(o->knob, sizeof(o->knob), "%s", knob);
	if (n >= sizeof(o->path))
		snprintf(o->path, sizeof(o->path), "...%s", job->path + n - sizeof(o->path) + 4);
	else
		memcpy(o->path, job->path, n + 1);
}

/* A line in the trace just before the write: the end of the way from an event to its answer. */
static void mark(const struct pcr_root *root, const struct pcr_job *job, const char *knob)
{
	char line[160];

	if (!job->trace_marker)
		return;
	snprintf(line, sizeof(line), "pcpu-reclaimd: write %s", knob);
	(void)pcr_store(root, PCR_TRACE_MARKER, line);
}

static void note_result(struct pcr_outcome *o, int r, u64 start)
{
	o->took_usec = pcr_now_usec() - start;
	if (r == PCR_PART)
		o->part = true;
	else if (r == PCR_GONE)
		o->gone = true;
	else if (r == PCR_NONE)
		o->err = ENOENT;
	else if (r < 0)
		o->err = -r;
}

/* --- reap --- */

static u64 charged(const struct pcr_root *root, const struct pcr_job *job)
{
	u64 v;
	const char *file = job->cgroup_v1 ? "memory.usage_in_bytes" : "memory.current";

	return pcr_cgroup_slurp_u64(root, job->path, file, &v) ? PCR_ABSENT : v;
}

static bool there(const struct pcr_root *root, const char *path, const char *file, int flags)
{
	int fd = -1;

	if (pcr_cgroup_openat(root, path, file, flags, &fd))
		return false;
	close(fd);
	return true;
}

/* The cgroup is there and its knob is not: the memory controller was switched off. */
static bool knobless(const struct pcr_root *root, const struct pcr_job *job, const char *knob)
{
	return there(root, job->path, "", O_RDONLY | O_DIRECTORY) &&
	       !there(root, job->path, knob, O_WRONLY | O_NONBLOCK);
}

static void reap(const struct pcr_root *root, const struct pcr_job *job, struct pcr_outcome *ret)
{
	const char *knob = job->cgroup_v1 ? PCR_MEMORY_FORCE_EMPTY : PCR_MEMORY_RECLAIM;
	char amount[24] = "0";
	u64 before, after, start;
	int r;

	begin(job, knob, ret);
	if (!job->cgroup_v1)
		snprintf(amount, sizeof(amount), "%llu", (unsigned long long)job->decision.amount);
	if (job->decision.unpin)
		pcr_unpin(root, job->decision.unpin_all);
	before = charged(root, job);
	mark(root, job, knob);
	start = pcr_now_usec();
	r = pcr_cgroup_store(root, job->path, knob, amount);
	if (r == PCR_GONE && knobless(root, job, knob))
		r = -ENOENT;
	note_result(ret, r, start);
	after = charged(root, job);
	if (pcr_has(before) && pcr_has(after))
		ret->freed_bytes = pcr_sub_u64(before, after);
}

/* --- trim --- */

static u64 percpu_bytes(const struct pcr_root *root)
{
	u64 bytes;

	return pcr_meminfo_bytes(root, "Percpu", &bytes) ? PCR_ABSENT : bytes;
}

/* What either way of giving back has in common: what Percpu: says of it. */
static void give_back(const struct pcr_root *root, const struct pcr_job *job, const char *knob,
		      int (*how)(const struct pcr_root *root, const struct pcr_job *job),
		      struct pcr_outcome *ret)
{
	u64 before, after, start;
	int r;

	begin(job, knob, ret);
	before = percpu_bytes(root);
	mark(root, job, knob);
	start = pcr_now_usec();
	r = how(root, job);
	note_result(ret, r, start);
	after = percpu_bytes(root);
	if (pcr_has(before) && pcr_has(after))
		ret->freed_bytes = pcr_sub_u64(before, after);
}

static int by_knob(const struct pcr_root *root, const struct pcr_job *job)
{
	char amount[24] = "max";

	if (pcr_has(job->decision.amount))
		snprintf(amount, sizeof(amount), "%llu", (unsigned long long)job->decision.amount);
	return pcr_store(root, PCR_PERCPU_RECLAIM, amount);
}

static void trim(const struct pcr_root *root, const struct pcr_job *job, struct pcr_outcome *ret)
{
	give_back(root, job, PCR_PERCPU_RECLAIM, by_knob, ret);
}

/* Without the knob there is one chunk that can be had all the same. */
static int by_spare(const struct pcr_root *root, const struct pcr_job *job)
{
	int r = pcr_spare_free(root);

	(void)job;
	/* No new chunk within bounds: in vain, and no error. */
	return r == -ENOSPC ? 0 : r;
}

static void trim_spare(const struct pcr_root *root, const struct pcr_job *job,
		       struct pcr_outcome *ret)
{
	give_back(root, job, "spare percpu chunk", by_spare, ret);
}

/* --- settings --- */

static void set(const struct pcr_root *root, const struct pcr_job *job, struct pcr_outcome *ret)
{
	const char *knob = pcr_setting_knob(job->decision.setting);
	char text[24];
	u64 seen = PCR_ABSENT, start;
	int r;

	begin(job, knob, ret);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)job->decision.amount);
	mark(root, job, knob);
	start = pcr_now_usec();
	r = pcr_store(root, knob, text);
	/* Half a value is none. */
	note_result(ret, r == PCR_PART ? -EAGAIN : r, start);
	/* Taken is not the same as in effect: look. */
	if (r == 0 && (pcr_slurp_u64(root, knob, &seen) || seen != job->decision.amount))
		ret->refused = true;
}

/* --- dry run --- */

static void dry_reap(const struct pcr_root *root, const struct pcr_job *job,
		     struct pcr_outcome *ret)
{
	(void)root;
	begin(job, job->cgroup_v1 ? PCR_MEMORY_FORCE_EMPTY : PCR_MEMORY_RECLAIM, ret);
	ret->dry_run = true;
}

static void dry_trim(const struct pcr_root *root, const struct pcr_job *job,
		     struct pcr_outcome *ret)
{
	(void)root;
	begin(job, PCR_PERCPU_RECLAIM, ret);
	ret->dry_run = true;
}

static void dry_set(const struct pcr_root *root, const struct pcr_job *job,
		    struct pcr_outcome *ret)
{
	(void)root;
	begin(job, pcr_setting_knob(job->decision.setting), ret);
	ret->dry_run = true;
}

const struct pcr_backend pcr_backend_patched = {
	.name = "patched", .reap = reap, .trim = trim, .set = set,
};
const struct pcr_backend pcr_backend_stock = { .name = "stock", .reap = reap, .trim = trim_spare };
const struct pcr_backend pcr_backend_dry_run = {
	.name = "dry-run", .reap = dry_reap, .trim = dry_trim, .set = dry_set,
};

/* --- probing --- */

static bool can_write(int r, int fd, const char *path, const char *absent, const char *consequence,
		      char *why, size_t size)
{
	if (r == 0) {
		close(fd);
		why[0] = '\0';
		return true;
	}
	if (r > 0)
		snprintf(why, size, "%s %s", absent, path);
	else
		snprintf(why, size, "%s can't be written: %s; %s", path, strerrorname_np(-r),
			 consequence);
	return false;
}

/* What to say of a file that is not there: on some hosts more is missing than a file. */
static const char *no_reap(const struct pcr_root *root)
{
	if (root->mode == PCR_CGROUP_NONE)
		return "no cgroup mount, so no";
	if (root->mode == PCR_CGROUP_V2_BARE)
		return "cgroup v2 without the memory controller has no";
	return "this kernel has no";
}

static bool spare(const struct pcr_root *root, char *why, size_t size)
{
	int r = pcr_spare_probe(root);

	why[0] = '\0';
	if (r == -ENOTSUP)
		snprintf(why, size, "not on a recorded machine");
	else if (r < 0)
		snprintf(why, size, "bpf() gives no map: %s%s; one free percpu chunk may stay",
			 strerrorname_np(-r), r == -EPERM ? " (needs CAP_BPF)" : "");
	return r == 0;
}

void pcr_knobs_probe(const struct pcr_root *root, struct pcr_knobs *ret_knobs)
{
	struct pcr_knobs k = { 0 };
	const char *knob = pcr_root_v1(root) ? PCR_MEMORY_FORCE_EMPTY : PCR_MEMORY_RECLAIM;
	int fd = -1;
	int r;

	/* Any cgroup will do; memory.reclaim is in the root too (v1: force_empty likewise). */
	r = pcr_cgroup_openat(root, "", knob, O_WRONLY | O_NONBLOCK, &fd);
	k.reap = can_write(r, fd, knob, no_reap(root), "removed cgroups stay", k.reap_why,
			   sizeof(k.reap_why));
	r = pcr_root_openat(root, PCR_PERCPU_RECLAIM, O_WRONLY | O_NONBLOCK, &fd);
	k.trim = can_write(r, fd, PCR_PERCPU_RECLAIM, "kernel has no", "empty percpu memory stays",
			   k.trim_why, sizeof(k.trim_why));
	k.spare = !k.trim && spare(root, k.spare_why, sizeof(k.spare_why));
	*ret_knobs = k;
}
