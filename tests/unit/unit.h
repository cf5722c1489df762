/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every unit test program shares. A test file defines its cases with
 * START_TEST/END_TEST, lists them in PCR_UNIT(...), and that is its main().
 */
#ifndef PCR_UNIT_H
#define PCR_UNIT_H

#include <check.h>
#include <stdlib.h>

#define PCR_UNIT(suite_name, ...)                                                                  \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *tests[] = { __VA_ARGS__ };                                            \
		Suite *suite = suite_create(suite_name);                                           \
		TCase *tc = tcase_create(suite_name);                                              \
		SRunner *runner = srunner_create(suite);                                           \
		int failed;                                                                        \
                                                                                                   \
		tcase_set_timeout(tc, 60);                                                         \
		for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)                      \
			tcase_add_test(tc, tests[i]);                                              \
		suite_add_tcase(suite, tc);                                                        \
		srunner_run_all(runner, CK_NORMAL);                                                \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                       \
	}

#endif
