// SPDX-License-Identifier: GPL-2.0-or-later
/* The interfaces as Varlink describes them. pcpu-reclaimctl(1) says the same for people. */
#include "ctl/call.h"

const char pcr_interface_service[] =
"# Who answers on this socket, and what it understands.\n"
"interface org.varlink.service\n"
"\n"
"method GetInfo() -> (\n"
"	vendor: string,\n"
"	product: string,\n"
"	version: string,\n"
"	url: string,\n"
"	interfaces: []string\n"
")\n"
"\n"
"method GetInterfaceDescription(interface: string) -> (description: string)\n"
"\n"
"error InterfaceNotFound (interface: string)\n"
"error MethodNotFound (method: string)\n"
"error MethodNotImplemented (method: string)\n"
"error InvalidParameter (parameter: string)\n"
"error PermissionDenied ()\n"
"error ExpectedMore ()\n";

/* Of a Watch as one, of GetStatus one by one. */
#define STATUS_FIELDS \
"	version: string,\n" \
"	host: ?string,\n" \
"	kernel: ?string,\n" \
"	start_ago_usec: ?int,\n" \
"	start_at: ?string,\n" \
"	backend: ?string,\n" \
"	dry_run: bool,\n" \
"	log_level: int,\n" \
"	loop_lag_max_usec: int,\n" \
"	wakeups: int,\n" \
"	queue: int,\n" \
"	cpu_usec: ?int,\n" \
"	rss_bytes: ?int,\n" \
"	actions: []Ability,\n" \
"	watching: Watching,\n" \
"	pressure: Pressure,\n" \
"	totals: Totals,\n" \
"	percpu: Percpu,\n" \
"	footprint: Footprint,\n" \
"	forecast: ?Forecast,\n" \
"	dying: ?int,\n" \
"	reaps: int,\n" \
"	empty_pages_low: ?KernelSetting,\n" \
"	empty_pages_high: ?KernelSetting,\n" \
"	reclaim_min_percent: ?KernelSetting,\n" \
"	batch_free: BatchFree,\n" \
"	scan_sleep_millisecs: ?KernelSetting,\n" \
"	pages_to_scan: ?KernelSetting,\n" \
"	task_collapse_enabled: ?KernelSetting,\n" \
"	collapse: ?Collapse,\n" \
"	settings: Settings,\n" \
"	next: ?Decision\n"

const char pcr_interface_manager[] =
"# Percpu memory and removed cgroups: what pcpu-reclaimd sees, does, and why.\n"
"#\n"
"# Members of the socket's group may ask, root may change.\n"
"# What is not known or does not apply is left out, never 0. Sizes are in bytes,\n"
"# spans in microseconds, shares in basis points. A point in time is given as a\n"
"# span (x_ago_usec or x_in_usec) and as a date (x_at, RFC 3339, UTC).\n"
"# Cgroups are named by their paths as in /proc/PID/cgroup, from / on, the root.\n"
"# Bytes of a cgroup's name that are no UTF-8, and control characters, are written\n"
"# as a backslash, x and two digits; so is a backslash that would read as such. Requests take\n"
"# names in this form and as they are on disk, with the leading / or without.\n"
"interface org.pcpu-reclaimd.Manager\n"
"\n"
#include "ctl/interface_status.inc"
#include "ctl/interface_rows.inc"
#include "ctl/interface_methods.inc"
;
