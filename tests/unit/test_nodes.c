// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/nodes.c: cgroups coming and going, and which policy is theirs. */
#include "unit/model_bench.h"

static struct pcr_node *made(struct pcr_node *parent, u64 id, const char *name)
{
	struct pcr_node *node = NULL;

	ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, parent, id, name, strlen(name),
					bench.now, &node),
			 0);
	return node;
}

/* systemd 36434, 33486: nothing is 0 before it was looked at. */
START_TEST(in_the_beginning)
{
	struct pcr_state *st = &bench.st;

	bench_open("");
	ck_assert_uint_eq(st->tree.n, 1);
	ck_assert_uint_eq(st->dying, PCR_ABSENT);
	ck_assert_uint_eq(st->swap_free_bytes, PCR_ABSENT);
	ck_assert_uint_eq(st->trim.now.percpu_bytes, PCR_ABSENT);
	ck_assert_uint_eq(st->trim.now.empty_pages, PCR_ABSENT);
	ck_assert_uint_eq(st->trim.sample_usec, PCR_NEVER);
	ck_assert_uint_eq(st->setting[PCR_SETTING_HIGH].seen, PCR_ABSENT);
	ck_assert_uint_eq(st->setting[PCR_SETTING_HIGH].vain[0], PCR_ABSENT);
	ck_assert_uint_eq(st->pressure[0].stall_usec, PCR_ABSENT);
	ck_assert_ptr_null(pcr_state_history(st, 0));
	bench_close();
	/* Cleared twice, or never begun, is no harm. */
	pcr_state_clear(st);
}
END_TEST

/* memavaild 4: what is made after the start counts, parent and child in one burst too. */
START_TEST(made_and_removed)
{
	struct pcr_node *ci, *job;

	bench_open("");
	ci = made(bench.st.tree.root, 10, "ci");
	job = made(ci, 11, "job");
	ck_assert_uint_eq(bench.st.totals.created, 2);
	pcr_state_removed(&bench.st, job, bench.now);
	ck_assert_uint_eq(bench.st.totals.removed, 1);
	ck_assert_ptr_null(pcr_tree_by_id(&bench.st.tree, 11));
	ck_assert_ptr_nonnull(ci->reap);
	ck_assert_uint_eq(ci->reap->deaths, 1);
	/* It takes a moment to die: looked at when that has passed, not before. */
	ck_assert_uint_eq(ci->reap->sample_usec, T0 + PCR_SETTLE_DEATH);
	ck_assert_uint_eq(bench.st.root_sample_usec, T0 + PCR_SETTLE_DEATH);
	ck_assert_uint_eq(bench.st.trim.sample_usec, T0 + PCR_SETTLE_DEATH);
	ck_assert_uint_eq(bench.st.trim.deaths, 1);
	/* The root can't be removed. */
	pcr_state_removed(&bench.st, bench.st.tree.root, bench.now);
	ck_assert_uint_eq(bench.st.tree.n, 2);
	bench_close();
}
END_TEST

/* A storm puts the first look off, not every one: it comes a second after the first death. */
START_TEST(a_storm_is_looked_at_while_it_lasts)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	for (u64 i = 0; i < 1000; i++) {
		bench.now = T0 + i * 10 * PCR_MSEC;
		pcr_state_removed(&bench.st, made(ci, 100 + i, "job"), bench.now);
	}
	ck_assert_uint_eq(ci->reap->sample_usec, T0 + PCR_SETTLE_DEATH);
	dying(ci, 900);
	/* The last death is too fresh for this look to be the last one. */
	ck_assert_uint_eq(ci->reap->sample_usec, bench.now + PCR_SETTLE_DEATH);
	bench.now += PCR_SETTLE_DEATH;
	dying(ci, 1000);
	ck_assert_uint_eq(ci->reap->sample_usec, PCR_NEVER);
	bench_close();
}
END_TEST

START_TEST(told_twice_is_no_news)
{
	struct pcr_node *ci;

	bench_open("");
	ci = made(bench.st.tree.root, 10, "ci");
	ck_assert_ptr_eq(made(bench.st.tree.root, 10, "ci"), ci);
	ck_assert_uint_eq(bench.st.totals.created, 1);
	ck_assert_uint_eq(bench.st.totals.removed, 0);
	ck_assert_ptr_null(bench.st.tree.root->reap);
	bench_close();
}
END_TEST

/* A path is only where a cgroup is now; the id is what it is. */
START_TEST(same_name_other_id)
{
	struct pcr_node *old, *node;

	bench_open("");
	old = made(bench.st.tree.root, 10, "ci");
	made(old, 11, "job");
	dying(old, 50);
	node = made(bench.st.tree.root, 12, "ci");
	ck_assert_uint_eq(node->id, 12);
	ck_assert_ptr_null(node->reap);
	ck_assert_ptr_null(pcr_tree_by_id(&bench.st.tree, 10));
	ck_assert_ptr_null(pcr_tree_by_id(&bench.st.tree, 11));
	/* Both died, unseen, below the root. */
	ck_assert_uint_eq(bench.st.totals.removed, 2);
	ck_assert_uint_eq(bench.st.tree.root->reap->deaths, 2);
	bench_close();
}
END_TEST

/* v1 can rename; and an id may come back where another used to be. */
START_TEST(same_id_other_place)
{
	struct pcr_node *a, *node;

	bench_open("");
	a = made(bench.st.tree.root, 10, "a");
	made(a, 11, "x");
	node = made(bench.st.tree.root, 11, "y");
	ck_assert_ptr_eq(pcr_tree_by_id(&bench.st.tree, 11), node);
	ck_assert_uint_eq(a->n_children, 0);
	ck_assert_uint_eq(bench.st.tree.n, 3);
	bench_close();
}
END_TEST

START_TEST(what_can_not_be)
{
	struct pcr_node *a, *b, *node = NULL;

	bench_open("");
	a = made(bench.st.tree.root, 10, "a");
	b = made(a, 11, "b");
	/* The id of one above it, its own parent's, the root's. */
	for (u64 id = 10; id <= 11; id++)
		ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, b, id, "c", 1, T0, &node),
				 PCR_GONE);
	ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, b, 1, "c", 1, T0, &node), PCR_GONE);
	ck_assert_ptr_null(node);
	ck_assert_uint_eq(bench.st.tree.n, 3);
	ck_assert_uint_eq(bench.st.totals.removed, 0);
	bench_close();
}
END_TEST

START_TEST(a_subtree_dies_below_its_lowest_living_ancestor)
{
	struct pcr_node *slice;

	bench_open("");
	slice = cg("slice");
	cg("slice/pod/one");
	cg("slice/pod/two/deep");
	dying(cg("slice/pod"), 7);
	dying(cg("slice/pod/two"), 3);
	ck_assert_uint_eq(bench.st.n_reaps, 2);
	pcr_state_removed(&bench.st, cg("slice/pod"), bench.now);
	ck_assert_uint_eq(bench.st.tree.n, 2);
	ck_assert_uint_eq(bench.st.totals.removed, 4);
	ck_assert_uint_eq(slice->reap->deaths, 4);
	ck_assert_uint_eq(bench.st.n_reaps, 1);
	bench_close();
}
END_TEST

/* v1 tells only a total, so removals are the bound: those of a removed parent stay with its own. */
START_TEST(deaths_are_handed_up)
{
	struct pcr_node *slice, *pod;

	bench_open("");
	bench.st.v1 = true;
	slice = cg("slice");
	pod = cg("slice/pod");
	for (u64 i = 0; i < 5; i++)
		pcr_state_removed(&bench.st, made(pod, 100 + i, "job"), bench.now);
	ck_assert_uint_eq(pod->reap->deaths, 5);
	pcr_state_removed(&bench.st, pod, bench.now);
	ck_assert_uint_eq(slice->reap->deaths, 6);
	bench_close();
}
END_TEST

START_TEST(released_is_counted)
{
	bench_open("");
	pcr_state_released(&bench.st, 4711, bench.now);
	ck_assert_uint_eq(bench.st.totals.released, 1);
	bench_close();
}
END_TEST

/* --- policies --- */

static const char two_policies[] =
	"[Policy ci]\nMatch=/ci/**\nMatch=/ci\nReapAbove=20\n"
	"[Policy all]\nMatch=/**\nReapAbove=50\n";

START_TEST(the_first_match_applies)
{
	bench_open(two_policies);
	ck_assert_int_eq(cg("ci")->policy, 0);
	ck_assert_int_eq(cg("ci/job/x")->policy, 0);
	ck_assert_int_eq(cg("other")->policy, 1);
	ck_assert_uint_eq(pcr_node_rule(bench.set, cg("ci/job"))->reap_above, 20);
	ck_assert_uint_eq(pcr_node_rule(bench.set, cg("other"))->reap_above, 50);
	ck_assert_uint_eq(pcr_node_rule(bench.set, bench.st.tree.root)->reap_above, 100);
	/* A policy of settings that are gone is none. */
	cg("ci")->policy = 7;
	ck_assert_uint_eq(pcr_node_rule(bench.set, cg("ci"))->reap_above, 100);
	bench_close();
}
END_TEST

START_TEST(a_reload_matches_anew_and_keeps_the_rest)
{
	struct pcr_reap *r;

	bench_open(two_policies);
	dying(cg("ci"), 30);
	r = cg("ci")->reap;
	r->cooldown_usec = T0 + PCR_MIN;
	r->retry_usec = T0 + PCR_HOUR;
	ck_assert_uint_eq(r->above_since_usec, T0);
	bench_reload("[Policy new]\nMatch=/ci\nReapAbove=1000\n");
	ck_assert_int_eq(cg("ci")->policy, 0);
	ck_assert_int_eq(cg("other")->policy, -1);
	ck_assert_uint_eq(r->above_since_usec, T0);
	ck_assert_uint_eq(r->cooldown_usec, T0 + PCR_MIN);
	ck_assert_uint_eq(r->retry_usec, T0 + PCR_HOUR);
	/* Held against the new threshold at once, though nothing died meanwhile. */
	ck_assert_uint_le(r->sample_usec, bench.now);
	dying(cg("ci"), 30);
	ck_assert_uint_eq(r->above_since_usec, 0);
	bench_close();
}
END_TEST

/* In steps, while cgroups come and go: in the end as if all at once. */
START_TEST(a_reload_may_take_its_time)
{
	struct pcr_settings *old;
	struct pcr_node *node;
	u32 steps = 0;
	char name[32];

	bench_open(two_policies);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "p%d/db", i);
		ck_assert_int_eq(cg(name)->policy, 1);
	}
	old = bench.set;
	bench.set = bench_settings("[Policy db]\nMatch=**/db **/new\nReap=no\n");
	pcr_settings_free(old);
	pcr_state_rematch_start(&bench.st);
	ck_assert_int_eq(cg("p7/db")->policy, PCR_UNMATCHED);
	ck_assert_ptr_eq(pcr_node_rule(bench.set, cg("p7/db")), &bench.set->rule);
	while (pcr_state_rematch_next(&bench.st, bench.set) == PCR_PART) {
		snprintf(name, sizeof(name), "p%d", steps);
		/* below the cursor, behind it, or where it stands */
		node = pcr_tree_by_id(&bench.st.tree, bench.st.match_id);
		if (steps == 5 && node->parent)
			pcr_state_removed(&bench.st, node, T0);
		else if (steps % 7 == 3 && steps < 40)
			pcr_state_removed(&bench.st, cg(name), T0);
		else if (steps % 7 == 4)
			cg("p1/new");
		steps++;
	}
	ck_assert_uint_eq(bench.st.n_unmatched, 0);
	for (node = bench.st.tree.root; node; node = pcr_tree_next(node)) {
		bool wanted = !strcmp(node->name, "db") || !strcmp(node->name, "new");

		ck_assert_int_eq(node->policy, wanted ? 0 : -1);
		ck_assert_uint_eq(node->guards, wanted);
		if (node->parent)
			ck_assert_uint_eq(node->guarded, node->parent->parent ? 0 : node->n_children);
	}
	ck_assert_int_eq(pcr_state_rematch_next(&bench.st, bench.set), 0);
	bench_close();
}
END_TEST

START_TEST(a_lower_threshold_is_noticed)
{
	struct pcr_reap *r;

	bench_open("[Percpu]\nReapAfter=infinity\n");
	r = dying(cg("ci"), 30);
	ck_assert_uint_eq(r->sample_usec, PCR_NEVER);
	ck_assert_int_eq(decide(cg("ci")).why, PCR_WHY_BELOW);
	bench_reload("[Percpu]\nReapAfter=infinity\nReapAbove=20\n");
	ck_assert_uint_le(r->sample_usec, bench.now);
	dying(cg("ci"), 30);
	ck_assert(decide(cg("ci")).act);
	bench_close();
}
END_TEST

PCR_UNIT("nodes", in_the_beginning, made_and_removed, a_storm_is_looked_at_while_it_lasts,
	 told_twice_is_no_news, same_name_other_id, same_id_other_place, what_can_not_be,
	 a_subtree_dies_below_its_lowest_living_ancestor, deaths_are_handed_up, released_is_counted,
	 the_first_match_applies, a_reload_matches_anew_and_keeps_the_rest,
	 a_reload_may_take_its_time, a_lower_threshold_is_noticed)
