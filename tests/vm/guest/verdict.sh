# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# Runs the scenario and tells how it ended, on the wire. Not on the console: what a
# scenario says must not mix with the kernel's lines.

sh /vm/main >"$wire" 2>&1
status=$?
case $status in
0) verdict=pass ;;
77) verdict=skip ;;
75) verdict=reboot ;; # it goes on after that, and there is none yet
*) verdict=fail ;;
esac
if [ "$verdict" != reboot ]; then
	echo "VERDICT $verdict $(tr '\n' ';' </run/verdict 2>/dev/null | sed 's/;$//; s/;/; /g')" >"$wire"
fi
sleep 0.1
