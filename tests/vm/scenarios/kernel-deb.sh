# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
# vm: timeout=300 root=debian
#
# A kernel out of its package (6.12-deb): that package on a Debian that runs it, from
# its installation to its purge. What a machine's initrd and boot menu hang on is called.

deb=$(echo /vm/deb/linux-image-*.deb)
[ -e "$deb" ] || skip "this kernel is not out of a package"
release=$(uname -r)
package=linux-image-$release
hook=/etc/kernel/postinst.d/zz-test
field() { dpkg-deb -f "$deb" "$1"; }
older() { dpkg --compare-versions "$1" lt "$2" || fail "$1 is not older than $2"; }

# ---- its names ----

say "$package $(field Version)"
assert_eq package "$(field Package)" "$package"
assert_eq architecture "$(field Architecture)" "$(dpkg --print-architecture)"
version=$(field Version)
debian=${version%+pcpu*}
last=${debian##*[!0-9]}
older "$debian" "$version"
older "$version" "${debian%"$last"}$((last + 1))"
uname -v | grep -qF "#${version##*-} " || fail "it calls itself $(uname -v)"
case $release in
*-pcpu*-guest) ;;
*) fail "$release does not say that it is for a guest" ;;
esac

# ---- installed ----

mkdir -p "${hook%/*}"
cat >$hook <<'END'
#!/bin/sh
echo "$1 $2 $INITRD" >/run/hook
END
chmod +x $hook
dpkg -i "$deb" >/run/dpkg.log 2>&1 || abort "install: $(tail -n 3 /run/dpkg.log)"
assert_eq "what hooks are told" "$(cat /run/hook)" "$release /boot/vmlinuz-$release Yes"
[ -s "/boot/vmlinuz-$release" ] || fail "no image"
zcat /proc/config.gz | cmp - "/boot/config-$release" || fail "that is not how it was configured"
grep -q ' pcpu_trim$' "/boot/System.map-$release" || fail "System.map is of another kernel"
for knob in percpu/reclaim batch_free/enabled transparent_hugepage/task_collapse/enabled; do
	[ -e /sys/kernel/mm/$knob ] || fail "no $knob"
done
result modules "$(find "/lib/modules/$release" -name '*.ko' | grep -c .)"
# It does its tests while it is loaded, and does not stay.
modprobe test_vmalloc run_test_mask=1 test_loop_count=1 2>/dev/null
dmesg | grep -q 'Summary: fix_size_alloc_test passed: 1' || fail "no module could be loaded: $(dmesg | tail -n 3)"

# ---- purged ----

rm $hook
dpkg -P "$package" >/run/dpkg.log 2>&1 || fail "purge: $(tail -n 3 /run/dpkg.log)"
left=$(find /boot /lib -name "*$release*")
[ -z "$left" ] || fail "left behind: $left"
