// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics from replies as the daemon makes them: NAME.json in, NAME.metrics out, held
 * against the grammar; and the manual page has each, with its type.
 */
#include "unit/golden.h"

#include "client/metrics.h"
#include "openmetrics.h"

/* Takes both over. */
static char *written(json_t *status, json_t *policies)
{
	char *text = NULL, why[256];
	size_t n;
	FILE *out = open_memstream(&text, &n);

	ck_assert_ptr_nonnull(status);
	pcr_metrics_print(out, status, policies);
	fclose(out);
	json_decref(status);
	json_decref(policies);
	ck_assert_msg(openmetrics(text, why), "%s\n%s", why, text);
	return text;
}

static void golden(const char *name)
{
	char file[64], *text = written(golden_reply(name), golden_reply("policies"));

	snprintf(file, sizeof(file), "%s.metrics", name);
	golden_is(file, text);
	free(text);
}

START_TEST(test_golden)
{
	golden("status");
	golden("status-batch");
}
END_TEST

/* systemd 36434, 33486: what is not known is left out, never 0. */
START_TEST(test_stock_kernel)
{
	char *text = written(golden_reply("status-stock"), NULL);

	ck_assert_ptr_null(strstr(text, "percpu_metadata_bytes"));
	ck_assert_ptr_null(strstr(text, "percpu_empty_bytes"));
	ck_assert_ptr_null(strstr(text, "batch_free_max_active"));
	ck_assert_ptr_null(strstr(text, "collapse_"));
	ck_assert_ptr_null(strstr(text, "policy_"));
	ck_assert_ptr_nonnull(strstr(text, "pcpu_reclaimd_cgroups "));
	free(text);
}
END_TEST

static void has(const char *status, const char *policies, const char *line)
{
	char *text = written(json_loads(status, 0, NULL),
			     policies ? json_loads(policies, 0, NULL) : NULL);

	ck_assert_msg(strstr(text, line), "%s\n%s", line, text);
	free(text);
}

START_TEST(test_values)
{
	has("{\"cpu_usec\":1500000}", NULL, "pcpu_reclaimd_cpu_seconds_total 1.5\n");
	has("{\"cpu_usec\":1}", NULL, "pcpu_reclaimd_cpu_seconds_total 0.000001\n");
	has("{\"cpu_usec\":2000000}", NULL, "pcpu_reclaimd_cpu_seconds_total 2\n");
	has("{\"start_ago_usec\":9223372036854775807}", NULL,
	    "pcpu_reclaimd_uptime_seconds 9223372036854.775807\n");
	has("{\"pressure\":{\"readings\":[{\"cgroup\":\"/a\",\"some_avg10_bp\":7},"
	    "{\"some_avg10_bp\":40}]}}", NULL, "pcpu_reclaimd_pressure_some_ratio 0.004\n");
	has("{\"forecast\":{\"reached_in_usec\":5000000}}", NULL,
	    "pcpu_reclaimd_percpu_forecast_seconds 5\n");
	has("{\"forecast\":{\"reached_ago_usec\":5000000}}", NULL,
	    "pcpu_reclaimd_percpu_forecast_seconds 0\n");
	has("{\"percpu\":{\"empty_pages\":3,\"page_bytes\":4096,\"nr_units\":2}}", NULL,
	    "pcpu_reclaimd_percpu_empty_bytes 24576\n");
	has("{\"settings\":{\"error\":\"x\"}}", NULL, "pcpu_reclaimd_settings_refused 1\n");
	has("{\"settings\":{}}", NULL, "pcpu_reclaimd_settings_refused 0\n");
	has("{\"pages_to_scan\":{\"knob\":\"/sys/x\",\"value\":4096,\"foreign\":true}}", NULL,
	    "pcpu_reclaimd_kernel_setting_foreign{setting=\"pages_to_scan\"} 1\n");
	has("{}", "{\"policies\":[{\"name\":\"ci\",\"collapse_bytes\":1000,\"collapse_usec\":500000}]}",
	    "pcpu_reclaimd_policy_collapse_bytes_per_second{policy=\"ci\"} 2000\n");
	/* labels are escaped, and what is not known is no label */
	has("{\"version\":\"a\\\"b\\\\c\\nd\"}", NULL,
	    "pcpu_reclaimd_build_info{version=\"a\\\"b\\\\c\\nd\"} 1\n");
}
END_TEST

/* A reply of another shape, or none at all, is written as far as it goes. */
START_TEST(test_odd_replies)
{
	static const char *const replies[] = {
		"{}",
		"{\"totals\":7,\"batch_free\":[],\"actions\":{},\"watching\":null,\"percpu\":[],"
		"\"pressure\":{\"readings\":[7,null]},\"cpu_usec\":-1,\"dry_run\":3}",
		"{\"actions\":[{},7,{\"action\":null,\"ready\":true}],"
		"\"batch_free\":{\"nodes\":[null,{\"node\":\"x\"}]},"
		"\"percpu\":{\"empty_pages\":9223372036854775807,\"page_bytes\":4096,\"nr_units\":4},"
		"\"collapse\":{\"budget_bytes\":9223372036854775807,\"budget_usec\":0}}",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(replies); i++)
		free(written(json_loads(replies[i], 0, NULL),
			     json_loads("{\"policies\":[7,{},{\"name\":\"x\"}]}", 0, NULL)));
}
END_TEST

/* The checker is one: what the grammar does not allow is refused. */
START_TEST(test_checker)
{
#define HEAD "# HELP pcpu_reclaimd_x_bytes X.\n# TYPE pcpu_reclaimd_x_bytes gauge\n" \
	     "# UNIT pcpu_reclaimd_x_bytes bytes\n"
	static const char *const broken[] = {
		"", "# EOF", "# EOF\n\n", HEAD "# EOF\n", HEAD "pcpu_reclaimd_x_bytes 1\n",
		HEAD "pcpu_reclaimd_x_bytes 1 \n# EOF\n", HEAD "pcpu_reclaimd_x_bytes 1e3\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes_total 1\n# EOF\n", HEAD "pcpu_reclaimd_y 1\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes{} 1\n# EOF\n", HEAD "pcpu_reclaimd_x_bytes{a=\"\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes{a=\"\\t\"} 1\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes{a=\"1\",a=\"2\"} 1\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes 1\npcpu_reclaimd_x_bytes 1\n# EOF\n",
		HEAD "pcpu_reclaimd_x_bytes 1\n" HEAD "pcpu_reclaimd_x_bytes{a=\"1\"} 1\n# EOF\n",
		"# HELP pcpu_reclaimd_x_bytes X.\n# TYPE pcpu_reclaimd_x_bytes gauge\n"
		"pcpu_reclaimd_x_bytes 1\n# EOF\n",
		"# TYPE pcpu_reclaimd_x gauge\n# HELP pcpu_reclaimd_x X.\npcpu_reclaimd_x 1\n# EOF\n",
		"# HELP pcpu_reclaimd_x X.\n# TYPE pcpu_reclaimd_x info\npcpu_reclaimd_x 1\n# EOF\n",
		"# HELP pcpu_reclaimd_x X.\n# TYPE pcpu_reclaimd_x counter\npcpu_reclaimd_x 1\n# EOF\n",
		"# HELP pcpu_reclaimd_x_total X.\n# TYPE pcpu_reclaimd_x_total gauge\n"
		"pcpu_reclaimd_x_total 1\n# EOF\n",
		"# HELP x X.\n# TYPE x gauge\nx 1\n# EOF\n",
	};
	char why[256];

	ck_assert_msg(openmetrics(HEAD "pcpu_reclaimd_x_bytes{a=\"\\\\\\\"\\n\",b=\"\"} 1.5\n# EOF\n",
				  why), "%s", why);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(broken); i++)
		ck_assert_msg(!openmetrics(broken[i], why), "taken:\n%s", broken[i]);
}
END_TEST

/* pcpu-reclaimd-metrics(5) has every metric, by its name, type and labels, and no other. */
START_TEST(test_manual)
{
	char *man = golden_slurp("man/pcpu-reclaimd-metrics.5"), line[256];
	size_t n = 0;

	for (size_t i = 0; i < pcr_n_metrics; i++) {
		const struct pcr_metric *m = &pcr_metrics[i];

		snprintf(line, sizeof(line), "\n.It Li pcpu_reclaimd_%s%s%s%s%s Pq %s\n%s.\n", m->name,
			 m->counter ? "_total" : "", m->label ? "{" : "", m->label ? m->label : "",
			 m->label ? "}" : "", m->counter ? "counter" : "gauge", m->help);
		ck_assert_msg(strstr(man, line), "the manual page lacks:%s", line);
	}
	for (const char *p = man; (p = strstr(p, "\n.It Li pcpu_reclaimd_")); p++)
		n++;
	ck_assert_uint_eq(n, pcr_n_metrics);
	free(man);
}
END_TEST

PCR_UNIT("client_metrics", test_golden, test_stock_kernel, test_values, test_odd_replies,
	 test_checker, test_manual)
