/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every unit test program shares. A test file defines its cases with
 * START_TEST/END_TEST, lists them in PCR_UNIT(...), and that is its main().
 */
#ifndef PCR_UNIT_H
#define PCR_UNIT_H

#include <check.h>
#include <stdlib.h>

static inline int pcr_unit_run(const char *name, const TTest *const *tests, size_t n,
			       void (*set_up)(void), void (*tear_down)(void))
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	if (set_up)
		tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tc, tests[i]);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same with something done before and after each case; NULL: nothing. */
#define PCR_UNIT_FIXTURE(suite_name, set_up, tear_down, ...)                                       \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = { __VA_ARGS__ };                                      \
                                                                                                   \
		return pcr_unit_run(suite_name, tests, sizeof(tests) / sizeof(tests[0]), set_up,   \
				    tear_down);                                                    \
	}

#define PCR_UNIT(suite_name, ...) PCR_UNIT_FIXTURE(suite_name, NULL, NULL, __VA_ARGS__)

#endif
