#!/bin/sh
# SPDX-License-Identifier: ISC
# All lines that muxbusd sends during other tests are what describe and the manual promise: see traffic.py.
# MUXBUS_TRAFFIC names the tests, or is "all", for each live test; make check-traffic does that.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
shim=$(realpath "$MUXBUS_BUILDDIR")/tests/live/.libs/record_traffic.so
live=$MUXBUS_SRCDIR/tests/live
TRAFFIC=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
trap 'rm -rf "$TRAFFIC"' EXIT
export TRAFFIC PYTHONDONTWRITEBYTECODE=1 ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
[ -e "$shim" ] && LD_PRELOAD=$shim "$MUXBUS_BUILDDIR/muxbusd" describe >"$TRAFFIC/describe.json" 2>/dev/null || skip_all 'nothing can be preloaded'

tests=${MUXBUS_TRAFFIC:-schema_requests test_panes test_shapes}
[ "$tests" != all ] || # but those whose hosts lie
	tests=$(ls "$live" | sed -n -e '/^traffic\|^fleet_fuzz/d' -e 's/\.[tc]$//p' | while read -r name; do
		[ ! -e "$live/$name.t" ] && [ "${name#test_}" = "$name" ] || echo "$name"
	done)
for test in $tests; do
	echo "# $test"
	if [ -e "$live/$test.t" ]; then
		LD_PRELOAD=$shim sh "$live/$test.t"
	else
		LD_PRELOAD=$shim "$MUXBUS_BUILDDIR/tests/live/$test"
	fi </dev/null >"$TRAFFIC/log" 2>&1 || echo "# it fails: $(grep -a -m 1 '^not ok' "$TRAFFIC/log")"
done
python3 "$live/traffic.py" "$TRAFFIC"/*
