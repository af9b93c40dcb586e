#!/bin/sh
# SPDX-License-Identifier: ISC
# What the screens of real agents say by themselves: the recorded ones, judged beside the truth.

. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"

screens=${MUXBUS_BUILDDIR:-.}/tests/screens
corpus=${MUXBUS_SRCDIR:-.}/tests/fixtures/screens.gz
[ -x "$screens" ] || skip_all 'the daemon is not built'
need gzip

table=$(gzip -dc "$corpus" | "$screens")
printf '%s\n' "$table" | sed 's/^/# /'
set -- $(printf '%s\n' "$table" | sed -n 's/^| all |//p' | tr -d '|')
agents=$(printf '%s\n' "$table" | sed -n '/^| agent /,$p' | grep -c '[0-9]\.[0-9]')
ok "$1 screens" [ "$1" -ge 500 ]
ok "of $agents agents" [ "$agents" -ge 6 ]
ok "$2 are judged right" [ "$((100 * $2))" -ge "$((95 * $1))" ]
ok "$3 are unknown" [ "$((100 * $3))" -le "$((5 * $1))" ]
is 'none is shown idle while it asks' "$4" 0

# Typing: each screen as one that has been at rest for long.
typing() {
	printf '%s\n' "$table" | sed -n '/free for typing/,$p' | sed -n "s/^| $1 |//p" | tr -d '|'
}
set -- $(typing asking)
is 'none of those that ask is free for typing' "$2" 0
ok "a choice is seen on $3 of $1" [ "$((100 * $3))" -ge "$((95 * $1))" ]
set -- $(typing idle)
is 'no choice is seen where none is' "$3" 0
ok "of $1 at their prompt $2 are free" [ "$((100 * $2))" -ge "$((85 * $1))" ]
set -- $(typing draft)
ok "of $1 with a draft $2" [ "$2" -le 1 ]

# Those that were recorded later, with the titles of their terminals. unseen.gz is the last one: it was recorded
# after the last change of a sign.
for later in titled unseen; do
	set -- $(gzip -dc "${corpus%/*}/$later.gz" | "$screens" | sed -n 's/^| all |//p' | tr -d '|')
	ok "$later: $1 screens" [ "$1" -ge 500 ]
	ok "$2 are judged right" [ "$((100 * $2))" -ge "$((95 * $1))" ]
	ok "$3 are unknown" [ "$((100 * $3))" -le "$((5 * $1))" ]
	is 'none is shown idle while it asks' "$4" 0
done

# As other versions may draw them: with other frames, signs, placeholders and words for keys.
rows='s/╹/╵/g; s/▄/▁/g; s/▀/▔/g; s/Type your message/Say something/; s/Ask anything/Say something/'
for other in "s/─/━/g; s/[│┃]/▌/g; s/[Ee]sc /ESC /g; $rows" "s/─/-/g; s/❯/»/g; s/›/»/g; s/[Ee]nter/Return/g; $rows" \
	"s/│/┃/g; s/[Ee]sc/⎋/g; s/[0-9]\\. //g; $rows"; do
	table=$(gzip -dc "${corpus%/*}/unseen.gz" | LC_ALL=C.UTF-8 sed "/^@/!{ $other; }" | "$screens")
	set -- $(typing asking) $(typing draft)
	is "of $1 that ask, drawn in another way, none is free for typing" "$2" 0
	is "of $4 with a draft none" "$5" 0
done
end_testing
