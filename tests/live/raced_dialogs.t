#!/bin/sh
# SPDX-License-Identifier: ISC
# Dialogs that change while they are answered by their question_id. An answer is typed, and the
# program may change its dialog between the last look and the key; how often that is, is counted.
# In the long form a thousand, and the rate is for contrib/agents.md.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
race="$MUXBUS_SRCDIR/tests/live/raced_dialogs.py"
count=${MUXBUS_TEST_COUNT:-${MUXBUS_TEST_LONG:+500}}
count=${count:-12}

for kind in ${MUXBUS_TEST_KINDS:-number mark}; do
	call ensure_agent "$(jq -nc --arg name "$kind" --arg command "exec python3 $race stand-in $kind $dir" '{$name, $command}')"
	is "$kind: it is at its prompt" "$(field .result.state)" ready
	python3 "$race" answer "$kind" "$dir" "$MUXBUS" "$count" "${MUXBUS_TEST_SEED:-1}" >"$dir/$kind" 2>&1
	sed -n 's/^#/#/p' "$dir/$kind"
	set -- $(tail -n 1 "$dir/$kind")
	echo "# $kind: of $count answers $1 were right, $2 were not given, $3 were taken by another dialog;" \
		"$4 put a key into another dialog, $5 were told wrong"
	is "$kind: each answer is counted" "$(($1 + $2 + $3))" "$count"
	ok "$kind: hardly one is taken by another dialog" [ "$3" -le "$((2 + count / 50))" ]
	ok "$kind: hardly one is told wrong" [ "$5" -le "$((2 + count / 25))" ]
done
done_testing
