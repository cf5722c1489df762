// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where nothing at all is known of it. */
#define CGROUP_BYTES (64u << 10)
#define CGROUP_BYTES_MIN 4096u

enum look { ID, DYING, PINNED, SHMEM, RESIDUE, PERCPU, DIRTY, REFAULTS, STALL };
enum percpu { KNOB, SPARE, BYTES, PAGE, UNITS, POPULATED, EMPTY, ISOLATED, LOW, HIGH, PERCENT,
	      METADATA };

/* Far beyond any machine, far from overflow. */
#define EXTRA_MAX (1LL << 60)

static s64 more(s64 extra, u64 n)
{
	return n > (u64)(EXTRA_MAX - extra) ? EXTRA_MAX : extra + (s64)n;
}

static s64 fewer(s64 extra, u64 n)
{
	return -more(-extra, n);
}

/* --- cgroups by id --- */

static u32 place(const struct pcr_world *w, u64 id)
{
	u32 i = (u32)(id * 0x9e3779b97f4a7c15ULL >> 32) & (w->cap - 1);

	while (w->cgroup[i].id && w->cgroup[i].id != id)
		i = (i + 1) & (w->cap - 1);
	return i;
}

static struct pcr_world_cgroup *find(const struct pcr_world *w, u64 id)
{
	struct pcr_world_cgroup *c = &w->cgroup[place(w, id)];

	return c->id ? c : NULL;
}

static int grow(struct pcr_world *w)
{
	struct pcr_world larger = *w;

	larger.cap = 2 * w->cap;
	larger.cgroup = calloc(larger.cap, sizeof(*larger.cgroup));
	if (!larger.cgroup)
		return -ENOMEM;
	for (u32 i = 0; i < w->cap; i++)
		if (w->cgroup[i].id)
			larger.cgroup[place(&larger, w->cgroup[i].id)] = w->cgroup[i];
	free(w->cgroup);
	*w = larger;
	return 0;
}

/* The one of that id, made where there is none; NULL: no memory. */
static struct pcr_world_cgroup *get(struct pcr_world *w, u64 id)
{
	struct pcr_world_cgroup *c;

	if (4 * (u64)w->n >= 3 * (u64)w->cap && grow(w) < 0)
		return NULL;
	c = &w->cgroup[place(w, id)];
	if (!c->id) {
		c->id = id;
		w->n++;
	}
	return c;
}

int pcr_world_init(struct pcr_world *w)
{
	*w = (struct pcr_world){ .cap = 64 };
	w->cgroup = calloc(w->cap, sizeof(*w->cgroup));
	memset(w->setting, 0xff, sizeof(w->setting));
	return w->cgroup ? 0 : -ENOMEM;
}

void pcr_world_clear(struct pcr_world *w)
{
	free(w->cgroup);
	w->cgroup = NULL;
}

void pcr_world_rewind(struct pcr_world *w)
{
	for (u32 i = 0; i < w->cap; i++) {
		struct pcr_world_cgroup *c = &w->cgroup[i];

		*c = (struct pcr_world_cgroup){ .id = c->id, .asked = c->asked, .gone = c->gone };
	}
	w->extra = w->empty_extra = 0;
	w->percpu_known = false;
	memset(w->setting, 0xff, sizeof(w->setting));
}

/* --- what was recorded --- */

/* Fewer than before, and no step of the recorded daemon's: what replay freed is among them. */
static void gone_by_itself(struct pcr_world *w, struct pcr_world_cgroup *c, u64 n)
{
	u64 ours = c->extra < 0 ? pcr_min_u64(n, (u64)-c->extra) : 0;

	c->extra = more(c->extra, ours);
	w->extra = more(w->extra, ours);
}

static int count(struct pcr_world *w, u64 id, u64 dying)
{
	struct pcr_world_cgroup *c = get(w, id);
	u64 less;

	if (!c)
		return -ENOMEM;
	less = c->known ? pcr_sub_u64(c->value[DYING], dying) : 0;
	if (!c->known)
		memset(c->value, 0xff, sizeof(c->value));
	if (c->stepped) {
		c->extra = more(c->extra, less);
		w->extra = more(w->extra, less);
		c->gone = pcr_add_u64(c->gone, less);
		w->gone = pcr_add_u64(w->gone, less);
	} else {
		gone_by_itself(w, c, less);
	}
	c->stepped = false;
	c->known = true;
	c->value[DYING] = dying;
	return 0;
}

static int look(struct pcr_world *w, const struct pcr_event *e)
{
	int r = count(w, e->value[ID], e->value[DYING]);

	if (r == 0)
		memcpy(find(w, e->value[ID])->value, e->value, sizeof(e->value));
	return r;
}

static int step(struct pcr_world *w, const struct pcr_event *e)
{
	struct pcr_world_cgroup *c = get(w, e->value[0]);

	if (!c)
		return -ENOMEM;
	/* For what the gone ones left: says nothing of what one of them takes. */
	if (c->known && !c->value[DYING])
		return 0;
	c->stepped = true;
	c->asked = pcr_add_u64(c->asked, e->value[1]);
	w->asked = pcr_add_u64(w->asked, e->value[1]);
	return 0;
}

/* What was dying there is its parent's from now on, as the next look at that tells. */
static void removed(struct pcr_world *w, u64 id)
{
	struct pcr_world_cgroup *c = find(w, id);

	if (!c)
		return;
	w->extra = c->extra < 0 ? more(w->extra, (u64)-c->extra) : fewer(w->extra, (u64)c->extra);
	c->extra = 0;
	c->known = false;
}

static u64 all_empty(const u64 *percpu)
{
	return pcr_has(percpu[EMPTY]) && pcr_has(percpu[ISOLATED]) ?
		       percpu[EMPTY] + percpu[ISOLATED] : 0;
}

/*
 * Empty pages that replay has and the recording has not are used before new ones are made;
 * those that replay has trimmed and the recording has not can't be used, and are made anew.
 */
static void percpu(struct pcr_world *w, const struct pcr_event *e)
{
	if (w->percpu_known && w->empty_extra > 0)
		w->empty_extra -= (s64)pcr_min_u64((u64)w->empty_extra,
						   pcr_sub_u64(e->value[POPULATED],
							       w->percpu[POPULATED]));
	else if (w->percpu_known)
		w->empty_extra += (s64)pcr_min_u64((u64)-w->empty_extra,
						   pcr_sub_u64(all_empty(w->percpu),
							       all_empty(e->value)));
	memcpy(w->percpu, e->value, sizeof(w->percpu));
	w->percpu_known = true;
}

static u64 page_bytes(const struct pcr_world *w)
{
	if (!w->percpu_known || !pcr_has(w->percpu[PAGE]) || !pcr_has(w->percpu[UNITS]))
		return 0;
	return w->percpu[PAGE] * w->percpu[UNITS];
}

static void trim(struct pcr_world *w, const struct pcr_event *e)
{
	u64 page = page_bytes(w);

	if (page && pcr_has(e->value[1]))
		w->empty_extra = more(w->empty_extra, e->value[1] / page);
}

static void setting(struct pcr_world *w, const struct pcr_event *e)
{
	for (u32 i = 0; i < _PCR_SETTING_PAIRS; i++)
		if (!strcmp(pcr_setting_knob(i), e->name))
			w->setting[i] = e->value[0];
}

int pcr_world_event(struct pcr_world *w, const struct pcr_event *e)
{
	switch (e->kind) {
	case PCR_EVENT_REMOVED:
		removed(w, e->value[0]);
		return 0;
	case PCR_EVENT_LOOK:
		return look(w, e);
	case PCR_EVENT_COUNT:
		return count(w, e->value[0], e->value[1]);
	case PCR_EVENT_STEP:
		return step(w, e);
	case PCR_EVENT_PERCPU:
		percpu(w, e);
		return 0;
	case PCR_EVENT_TRIM:
		trim(w, e);
		return 0;
	case PCR_EVENT_SETTING:
		setting(w, e);
		return 0;
	default:
		return 0;
	}
}

/* --- what there is now --- */

static u64 plus(u64 value, s64 extra)
{
	return extra < 0 ? pcr_sub_u64(value, (u64)-extra) : value + (u64)extra;
}

bool pcr_world_look(const struct pcr_world *w, u64 id, struct pcr_reap_sample *ret_sample)
{
	const struct pcr_world_cgroup *c = find(w, id);

	if (!c || !c->known)
		return false;
	*ret_sample = (struct pcr_reap_sample){
		.dying = plus(c->value[DYING], c->extra), .pinned_bytes = c->value[PINNED],
		.shmem_bytes = c->value[SHMEM], .residue_bytes = c->value[RESIDUE],
		.percpu_bytes = c->value[PERCPU], .dirty_bytes = c->value[DIRTY],
		.refaults = c->value[REFAULTS], .stall_usec = c->value[STALL],
	};
	return true;
}

u64 pcr_world_dying(const struct pcr_world *w, u64 recorded)
{
	return plus(recorded, w->extra);
}

bool pcr_world_percpu(const struct pcr_world *w, struct pcr_percpu_sample *ret_sample)
{
	const u64 *v = w->percpu;
	s64 extra = w->empty_extra;

	if (!w->percpu_known)
		return false;
	*ret_sample = (struct pcr_percpu_sample){
		.knob = v[KNOB], .spare = v[SPARE], .percpu_bytes = v[BYTES],
		.page_bytes = v[PAGE], .nr_units = v[UNITS], .populated_pages = v[POPULATED],
		.empty_pages = v[EMPTY], .isolated_empty_pages = v[ISOLATED],
		.empty_pages_low = w->setting[PCR_SETTING_LOW],
		.empty_pages_high = w->setting[PCR_SETTING_HIGH],
		.reclaim_min_percent = w->setting[PCR_SETTING_PERCENT],
		.metadata_bytes = v[METADATA], .depopulated_pages = PCR_ABSENT,
		.repopulated_pages = PCR_ABSENT, .trim_runs = PCR_ABSENT,
	};
	if (!page_bytes(w) || !pcr_has(v[EMPTY]) || !pcr_has(v[ISOLATED]))
		return true;
	/* Never fewer than none. */
	if (extra < 0)
		extra = -(s64)pcr_min_u64((u64)-extra, all_empty(v));
	ret_sample->isolated_empty_pages = plus(v[ISOLATED], extra);
	ret_sample->empty_pages = plus(v[EMPTY], extra < -(s64)v[ISOLATED] ?
				       extra + (s64)v[ISOLATED] : 0);
	if (pcr_has(v[POPULATED]))
		ret_sample->populated_pages = plus(v[POPULATED], extra);
	if (pcr_has(v[BYTES]) && extra < 0)
		ret_sample->percpu_bytes = pcr_sub_u64(v[BYTES], (u64)-extra * page_bytes(w));
	else if (pcr_has(v[BYTES]))
		ret_sample->percpu_bytes = v[BYTES] + (u64)extra * page_bytes(w);
	return true;
}

/* --- what replay does to it --- */

/* Bytes to be asked for, for one removed cgroup to go; PCR_NEVER: none does. */
static u64 cost(const struct pcr_world *w, const struct pcr_world_cgroup *c)
{
	if (c->asked)
		return c->gone ? pcr_max_u64(c->asked / c->gone, 1) : PCR_NEVER;
	if (c->known && pcr_has(c->value[PINNED]) && c->value[DYING])
		return pcr_max_u64(c->value[PINNED] / c->value[DYING], CGROUP_BYTES_MIN);
	if (w->gone)
		return pcr_max_u64(w->asked / w->gone, 1);
	return CGROUP_BYTES;
}

u64 pcr_world_reap(struct pcr_world *w, u64 id, u64 asked)
{
	struct pcr_world_cgroup *c = find(w, id);
	struct pcr_reap_sample now;
	u64 each, n;

	if (!c || !pcr_world_look(w, id, &now))
		return 0;
	each = cost(w, c);
	if (each == PCR_NEVER)
		return 0;
	c->credit = pcr_add_u64(c->credit, asked);
	n = pcr_min_u64(c->credit / each, now.dying);
	c->credit = n < now.dying ? c->credit - n * each : 0;
	c->extra = fewer(c->extra, n);
	w->extra = fewer(w->extra, n);
	return n ? asked : 0;
}

u64 pcr_world_trim(struct pcr_world *w, u64 asked)
{
	struct pcr_percpu_sample now;
	u64 page = page_bytes(w), empty, n;

	if (!pcr_world_percpu(w, &now) || !page || !pcr_has(now.empty_pages) ||
	    !pcr_has(now.isolated_empty_pages) || !pcr_has(now.empty_pages_high))
		return PCR_ABSENT;
	empty = now.empty_pages + now.isolated_empty_pages;
	n = pcr_sub_u64(empty, now.empty_pages_high);
	if (pcr_has(asked))
		n = pcr_min_u64(n, asked / page);
	w->empty_extra = fewer(w->empty_extra, n);
	return n * page;
}
