/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler on a bench: files in a fake root, the model above them, a clock moved by hand. */
#ifndef PCR_TEST_SAMPLER_BED_H
#define PCR_TEST_SAMPLER_BED_H

#include <fcntl.h>
#include <unistd.h>

#include "unit/fakeroot.h"
#include "unit/model_bench.h"

#include "loop/sampler.h"
#include "pcr/knobs.h"

static struct pcr_sampler sampler;
static const struct pcr_settings *settings;
static u32 ended;

static inline void on_end(void *data, const struct pcr_record *record)
{
	(void)data;
	(void)record;
	ended++;
}

static inline void open_bed(const char *text)
{
	fake_open_v2();
	bench_open(text);
	settings = bench.set;
	sampler = (struct pcr_sampler){
		.root = &fake.root,
		.st = &bench.st,
		.set = &settings,
		.trim_knob = true,
		.slice_usec = PCR_NEVER,	/* however slow the machine that runs the test */
		.ended = on_end,
	};
	ended = 0;
}

static inline void close_bed(void)
{
	bench_close();
	fake_close();
}

/* The cgroup of that path, with so many dying below it by the kernel's count. */
static inline struct pcr_node *counts(const char *path, u64 total)
{
	char file[300], text[64];

	snprintf(file, sizeof(file), CG_MOUNT "%s%s/cgroup.stat", *path ? "/" : "", path);
	snprintf(text, sizeof(text), "nr_descendants 9\nnr_dying_descendants %llu\n",
		 (unsigned long long)total);
	fake_file(file, text);
	snprintf(file, sizeof(file), CG_MOUNT "%s%s/memory.stat", *path ? "/" : "", path);
	/* The controller is on, whatever a test has it say. */
	if (faccessat(fake.root.fd, file + 1, F_OK, 0) < 0)
		fake_file(file, "shmem 0\n");
	return cg(path);
}

static inline void suspect(struct pcr_node *node)
{
	pcr_state_suspect(&bench.st, node, bench.now);
}

static inline u64 own(const struct pcr_node *node)
{
	return node->reap ? node->reap->dying : 0;
}

static inline void run(void)
{
	pcr_sampler_run(&sampler, bench.now);
	if (bench.st.trim.sample_usec <= bench.now)
		pcr_sampler_percpu(&sampler, bench.now);
}

#endif
