#!/bin/sh
# SPDX-License-Identifier: ISC
# Anything in the subjects of muxbus-nats. MUXBUS_FUZZ_SEC and MUXBUS_FUZZ_SEED: see nats_fuzz.py.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
. "$MUXBUS_SRCDIR/tests/live/nats_server.sh"
need_python
start 'exec sleep 3600'
trap finish_nats EXIT
start_nats
start_bridge --posts
answers() {
	probe request muxbus.f.h.s.request '{"id":1,"method":"ping"}' 2>/dev/null
}
until_is 'muxbus-nats answers' '{"jsonrpc":"2.0","id":1,"result":{}}' answers
export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$MUXBUS_SRCDIR/tests/live/nats_fuzz.py" "$nats_port" "$bridge_pid" "$MUXBUS" >"$dir/fuzz" || :
ok 'the law holds' sh -c "! grep '^not ok' '$dir/fuzz' && grep -q '^1\.\.' '$dir/fuzz'"
sed 's/^\([^#]\)/# \1/' "$dir/fuzz"
until_is 'it answers as before' '{"jsonrpc":"2.0","id":1,"result":{}}' answers
is 'and says nothing of a sanitizer' "$(grep -c 'Sanitizer\|runtime error' "$dir/bridge.log")" 0
done_testing
