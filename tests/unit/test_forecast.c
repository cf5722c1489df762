// SPDX-License-Identifier: GPL-2.0-or-later
/* Forecast: daemon/model/footprint.c, daemon/policy/forecast.c, and its sentence. */
#include "unit/model_bench.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

static struct pcr_forecast forecast;

static void begin(const char *settings)
{
	bench_open(settings);
	bench.st.footprint.memory_bytes = 4 * GIB;
	/* Some hours of uptime, at the beginning of a stretch. */
	bench.now = 30 * PCR_STRETCH_USEC;
}

static void see(u64 payload, u64 metadata)
{
	struct pcr_percpu_sample s;

	memset(&s, 0xff, sizeof(s));
	s.percpu_bytes = payload;
	s.metadata_bytes = metadata;
	pcr_state_percpu_sample(&bench.st, &s, bench.now);
}

static bool rises(void)
{
	return pcr_policy_forecast(&bench.st, bench.set, bench.now, &forecast);
}

/* A look a minute into each stretch, and the clock at the beginning of the one after. */
static void stretches(const u64 *mib, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bench.now += PCR_MIN;
		see(mib[i] * MIB, NONE);
		bench.now += PCR_STRETCH_USEC - PCR_MIN;
	}
}

#define STRETCHES(...) stretches((const u64[]){ __VA_ARGS__ }, \
				 sizeof((u64[]){ __VA_ARGS__ }) / sizeof(u64))

/* 10 MiB in ten minutes, from 130 MiB to 10 % of 4 GiB, nine minutes ago. */
START_TEST(a_steady_rise)
{
	char buf[256];

	begin("");
	STRETCHES(100, 110, 120);
	ck_assert(!rises());
	STRETCHES(130);
	ck_assert(rises());
	ck_assert_uint_eq(forecast.bytes, 130 * MIB);
	ck_assert_uint_eq(forecast.slope_bytes_hour, 60 * MIB);
	ck_assert_uint_eq(forecast.limit_bytes, 4 * GIB / 10);
	ck_assert_uint_eq((forecast.reached_usec - bench.now) / PCR_MIN, 279 - 9);
	ck_assert_str_eq(pcr_forecast_text(buf, sizeof(buf), bench.set, &forecast, bench.now),
			 "percpu memory is 130 MiB and rises by 60 MiB an hour: 10 % of memory in "
			 "4 h 30 min");
	bench_reload("[Percpu]\nForecastShare=1%\n");
	ck_assert(rises());
	pcr_forecast_text(buf, sizeof(buf), bench.set, &forecast, bench.now);
	ck_assert_str_eq(buf + strlen(buf) - strlen("1 % of memory reached"), "1 % of memory reached");
	/* Nothing was seen since: nothing is known to rise any more. */
	bench.now += PCR_STRETCH_USEC;
	ck_assert(!rises());
	bench_close();
}
END_TEST

START_TEST(what_is_no_rise)
{
	static const u64 cases[][PCR_STRETCHES] = {
		{ 100, 100, 100, 100 },
		{ 130, 120, 110, 100 },
		/* A service was started: one step, wherever in the window. */
		{ 100, 200, 200, 200 },
		{ 100, 100, 200, 200 },
		{ 100, 100, 100, 200 },
		{ 100, 104, 200, 300 },
		{ 100, 120, 119, 130 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		begin("");
		stretches(cases[i], PCR_STRETCHES);
		ck_assert_msg(!rises(), "case %zu", i);
		bench_close();
	}
	/* Less than a ten-thousandth of memory; and without knowing how much there is. */
	begin("");
	bench.st.footprint.memory_bytes = 400 * GIB;
	STRETCHES(100, 110, 120, 130);
	ck_assert(!rises());
	bench.st.footprint.memory_bytes = NONE;
	ck_assert(!rises());
	bench_close();
}
END_TEST

/* Cgroups that come and go: peaks do not count, and neither do gaps. */
START_TEST(peaks_and_gaps)
{
	begin("");
	for (u64 i = 0; i < 4; i++) {
		see((300 + 50 * i) * MIB, NONE);
		bench.now += 2 * PCR_MIN;
		see((100 + 10 * i) * MIB, NONE);
		bench.now += 2 * PCR_MIN;
		see((300 - 30 * i) * MIB, NONE);
		bench.now += 6 * PCR_MIN;
	}
	ck_assert(rises());
	ck_assert_uint_eq(forecast.slope_bytes_hour, 60 * MIB);
	bench_close();

	begin("");
	STRETCHES(100, 110);
	bench.now += PCR_STRETCH_USEC;
	STRETCHES(120, 130);
	ck_assert(!rises());
	STRETCHES(140, 150);
	ck_assert(rises());
	bench_close();
}
END_TEST

/* Metadata counts where the kernel tells it: memory is gone all the same. */
START_TEST(with_metadata)
{
	begin("");
	for (u64 i = 0; i < 4; i++) {
		see(100 * MIB, (100 + 20 * i) * MIB);
		bench.now += PCR_STRETCH_USEC;
	}
	ck_assert(rises());
	ck_assert_uint_eq(forecast.bytes, 260 * MIB);
	ck_assert_uint_eq(forecast.slope_bytes_hour, 120 * MIB);
	bench_close();
}
END_TEST

static bool forewarn(u64 left)
{
	return pcr_state_forewarn(&bench.st, bench.set, left, bench.now);
}

/* Field report 6: once, and again only after it was far for as long as it looks back. */
START_TEST(forewarns_once)
{
	begin("[Percpu]\nForecastWithin=1d\n");
	ck_assert(!forewarn(PCR_NEVER) && !forewarn(25 * PCR_HOUR));
	ck_assert(forewarn(24 * PCR_HOUR));
	ck_assert(!forewarn(0) && !forewarn(PCR_HOUR));
	/* Not far enough, and not for long enough. */
	ck_assert(!forewarn(30 * PCR_HOUR));
	bench.now += PCR_HOUR;
	ck_assert(!forewarn(PCR_HOUR));
	ck_assert(!forewarn(PCR_NEVER));
	bench.now += 39 * PCR_MIN;
	ck_assert(!forewarn(PCR_NEVER) && !forewarn(PCR_HOUR));
	ck_assert(!forewarn(50 * PCR_HOUR));
	bench.now += 40 * PCR_MIN;
	ck_assert(!forewarn(50 * PCR_HOUR));
	ck_assert(forewarn(PCR_HOUR));
	bench_close();
	begin("[Percpu]\nForecastWithin=0\n");
	ck_assert(!forewarn(0));
	bench_close();
}
END_TEST

PCR_UNIT("forecast", a_steady_rise, what_is_no_rise, peaks_and_gaps, with_metadata, forewarns_once)
