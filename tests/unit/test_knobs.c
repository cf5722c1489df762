// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/act/backend.c: which knobs are there, and what is said of those that are not. */
#include "unit/fakeroot.h"

#include "act/backend.h"
#include "pcr/knobs.h"

/* systemd 27690, damo 75: found by looking; what is missing is said, and only that is off. */
START_TEST(looking_for_knobs)
{
	struct pcr_knobs k;

	fake_open();
	pcr_knobs_probe(&fake.root, &k);
	ck_assert_str_eq(k.reap_why, "no cgroup mount, so no memory.reclaim");
	fake_close();
	fake_open_v2();
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(!k.reap && !k.trim);
	ck_assert_str_eq(k.reap_why, "this kernel has no memory.reclaim");
	ck_assert_ptr_nonnull(strstr(k.trim_why, PCR_PERCPU_RECLAIM));
	ck_assert_ptr_eq(pcr_backend_for(&k), &pcr_backend_stock);
	ck_assert(!k.spare);
	ck_assert_str_eq(k.spare_why, "not on a recorded machine");

	fake_file(CG_MOUNT "/memory.reclaim", "");
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(k.reap && !k.trim);
	ck_assert_str_eq(k.reap_why, "");

	fake_file(PCR_PERCPU_RECLAIM, "");
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(k.reap && k.trim);
	ck_assert_str_eq(k.trim_why, "");
	ck_assert_ptr_eq(pcr_backend_for(&k), &pcr_backend_patched);

	/* A directory can't be written, whoever asks. */
	fake_gone(PCR_PERCPU_RECLAIM);
	fake_dir(PCR_PERCPU_RECLAIM);
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(!k.trim);
	ck_assert_ptr_nonnull(strstr(k.trim_why, "EISDIR"));
	fake_close();
}
END_TEST

/* oomd 61, 62, 67, 128: what a v1 or hybrid host lacks is said, not passed over. */
START_TEST(hosts_without_memory_on_v2)
{
	struct pcr_knobs k;

	fake_open_v2();
	fake.root.mode = PCR_CGROUP_V2_BARE;
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(!k.reap);
	ck_assert_str_eq(k.reap_why,
			 "cgroup v2 without the memory controller has no memory.reclaim");
	fake.root.mode = PCR_CGROUP_HYBRID;
	pcr_knobs_probe(&fake.root, &k);
	ck_assert_str_eq(k.reap_why, "this kernel has no memory.force_empty");
	fake_file(CG_MOUNT "/memory.force_empty", "");
	pcr_knobs_probe(&fake.root, &k);
	ck_assert(k.reap);
	fake_close();
}
END_TEST

PCR_UNIT("knobs", looking_for_knobs, hosts_without_memory_on_v2)
