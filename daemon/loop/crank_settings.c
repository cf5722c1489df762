// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel settings under the ledger: whose value it is, before a write and after, and at both ends. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "loop/crank_internal.h"
#include "model/model.h"
#include "pcr/knobs.h"
#include "policy/policy.h"
#include "sys/root.h"

static void adopt(struct pcr_crank *c, enum pcr_setting which)
{
	const char *knob = pcr_setting_knob(which);
	const struct pcr_ledger_entry *e = pcr_ledger_find(c->ledger, knob);
	struct pcr_setting_state *s = &c->st->setting[which];
	int r = e && !pcr_has(s->seen) ? pcr_slurp_u64(c->root, knob, &s->seen) : 0;

	/* Whose value it is can't be told yet: what it was stays known until it can. */
	c->unread[which] = r < 0;
	if (!e || r < 0)
		return;
	if (pcr_ledger_owns(e, s->seen)) {
		s->base = e->old;
		s->set = s->seen;
		(void)pcr_ledger_settle(c->ledger, knob, s->seen);
		return;
	}
	/* Never written, put back already, or changed by somebody else since: not ours. */
	if (s->seen != e->old)
		pcr_log_notice("%s is no longer what a previous run left: kept as it is", knob);
	(void)pcr_ledger_drop(c->ledger, knob);
}

void pcr_crank_adopt(struct pcr_crank *c)
{
	for (u32 i = 0; i < pcr_settings_end(c->st); i++)
		adopt(c, i);
}

void pcr_crank_adopt_unread(struct pcr_crank *c)
{
	for (u32 i = 0; i < pcr_settings_end(c->st); i++)
		if (c->unread[i] && pcr_has(c->st->setting[i].seen))
			adopt(c, i);
}

/* What came of each that is still in the ledger. */
struct left {
	enum pcr_restore how;
	int err;
};

/* Each in turn, from the last on. Returns how many are not as they should be. */
static u32 restore_all(struct pcr_crank *c, struct left left[static PCR_LEDGER_MAX])
{
	char knob[sizeof(c->ledger->entry[0].knob)];
	u32 failed = 0;

	for (u32 i = c->ledger->n; i-- > 0;) {
		memcpy(knob, c->ledger->entry[i].knob, sizeof(knob));
		left[i].how = pcr_ledger_restore(c->ledger, c->root, knob, &left[i].err);
		if (left[i].how == PCR_RESTORE_NOT_OURS)
			pcr_log_notice("%s was changed by another program: left alone", knob);
		failed += left[i].how == PCR_RESTORE_FAILED;
		/* One that is gone has given its place to the last. */
		if (left[i].how <= PCR_RESTORE_NOT_OURS)
			left[i] = left[c->ledger->n];
	}
	return failed;
}

/*
 * Some can be put back only after another one: the kernel holds the low end of the float
 * below the high end at any time. So those that fail are tried again while others succeed.
 */
void pcr_crank_restore(struct pcr_crank *c)
{
	struct left left[PCR_LEDGER_MAX];
	u32 failed = PCR_LEDGER_MAX + 1, before;

	do {
		before = failed;
		failed = restore_all(c, left);
	} while (failed && failed < before);
	/* The old file, on a full disk, would claim values that somebody sets later. */
	if (c->ledger->n && !failed && pcr_ledger_end(c->ledger) == 0)
		return;
	for (u32 i = 0; i < c->ledger->n; i++)
		pcr_log_err(left[i].how == PCR_RESTORE_FAILED ?
			    "%s can't be put back: %s; the next start tries again" :
			    "%s is put back, but the ledger can't be told: %s",
			    c->ledger->entry[i].knob, strerror(left[i].err));
}

bool pcr_crank_setting_moved(struct pcr_crank *c, u32 which)
{
	u64 was = c->st->setting[which].seen, value;

	if (pcr_slurp_u64(c->root, pcr_setting_knob(which), &value))
		value = PCR_ABSENT;
	pcr_state_setting_sample(c->st, which, value);
	return value != was;
}

bool pcr_crank_note_setting(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	const struct pcr_setting_state *s = &c->st->setting[d->setting];
	const char *knob = pcr_setting_knob(d->setting);
	u64 base = pcr_has(s->base) ? s->base : s->seen;
	char why[64];
	int r;

	/* Putting back is what the entry is for: it stays as it is until that is done. */
	if (pcr_has(s->base) && d->amount == s->base)
		return true;
	snprintf(why, sizeof(why), "%s=%llu", pcr_setting_key(d->setting),
		 (unsigned long long)d->amount);
	r = pcr_ledger_note(c->ledger, knob, base, d->amount, why);
	if (r == 0)
		return true;
	pcr_log_err("%s is not changed: the ledger can't be written: %s", knob,
		    r < 0 ? strerror(-r) : "full");
	/* A disk that is full now may have room again before the settings are read anew. */
	pcr_state_setting_later(c->st, d->setting, now);
	return false;
}

/* Taken, but another value shows: ours all the same, and to be put back. */
static bool look_again(struct pcr_crank *c, enum pcr_setting which, u64 old)
{
	struct pcr_setting_state *s = &c->st->setting[which];

	/* Can't be read: the entry stays, for whoever can. */
	if (pcr_slurp_u64(c->root, pcr_setting_knob(which), &s->seen))
		return false;
	if (s->seen != old) {
		s->base = old;
		s->set = s->seen;
		s->foreign = false;
	}
	return true;
}

void pcr_crank_settle_setting(struct pcr_crank *c, const struct pcr_outcome *o)
{
	const struct pcr_setting_state *s = &c->st->setting[o->setting];
	const char *knob = pcr_setting_knob(o->setting);
	const struct pcr_ledger_entry *e = pcr_ledger_find(c->ledger, knob);

	if (!e || (o->refused && !look_again(c, o->setting, e->old)))
		return;
	if (!pcr_has(s->base))
		(void)pcr_ledger_drop(c->ledger, knob);
	else
		(void)pcr_ledger_settle(c->ledger, knob, s->set);
}

void pcr_crank_tell_foreign(struct pcr_crank *c, u64 now)
{
	struct pcr_decision d;
	char text[200];

	for (u32 i = 0; i < pcr_settings_end(c->st); i++) {
		pcr_policy_setting(c->st, *c->set, i, now, &d);
		if (d.why != PCR_WHY_FOREIGN) {
			/* Theirs may be what we want for now, and is theirs all the same. */
			c->told_foreign[i] &= c->st->setting[i].foreign;
			continue;
		}
		if (!c->told_foreign[i])
			pcr_log_notice("%s", pcr_decision_text(text, sizeof(text), &d, now));
		c->told_foreign[i] = true;
	}
}
