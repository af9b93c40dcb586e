#!/bin/sh
# SPDX-License-Identifier: ISC
# make html writes each manual page and one index, and no link in them leads nowhere.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need make mandoc xmllint
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
html=$builddir/html

env -u MAKEFLAGS -u MAKELEVEL make -s -C "$builddir" html >"$work/log" 2>&1
check 'make html succeeds' "$([ -s "$html/index.html" ] || cat "$work/log")"
for page in $(manual_pages); do
	[ "$page" != src/nats/muxbus-nats.8 ] || [ -x "$builddir/muxbus-nats" ] || continue
	check "$page is in the index" "$(grep -q "href=\"${page##*/}.html\"" "$html/index.html" ||
		echo "not in $html/index.html")"
done
check 'the index is well-formed' "$(xmllint --noout "$html/index.html" 2>&1)"

# Links as "FILE TARGET", and places as "FILE#ID".
cd "$html" || exit 99
grep -o 'href="[^"]*"' -- *.html | sed 's/:href="\(.*\)"$/ \1/' | grep -v ' https:' |
	sed 's/^\([^ ]*\) #/\1 \1#/; s/^[^ ]* //' | sort -u >"$work/links"
grep -o ' id="[^"]*"' -- *.html | sed 's/: id="\(.*\)"$/#\1/' |
	sort -u >"$work/places"
ls >>"$work/places"
sort -o "$work/places" "$work/places"
check 'every link leads to a place' "$(comm -23 "$work/links" "$work/places")"
check 'the pages have links to each other' "$(grep -q '^muxbusd\.8\.html$' "$work/links" ||
	echo 'none to muxbusd(8)')"
for page in *.[0-9].html; do
	check "no page has a link to $page of Debian" "$(
		grep -lF "https://manpages.debian.org/${page%.html}\"" -- *.html)"
done
check 'the index has every function of the library' "$(
	grep -o 'muxbus_[a-z0-9_]*(' "$srcdir/include/muxbus.h" | tr -d '(' | grep -v '_fn$' | sort -u |
		while read -r name; do
			grep -q "#$name\">$name<" index.html || echo "$name"
		done)"
check 'headings of several words too' "$(grep -q '>As a service</a>' index.html || echo none)"
check 'and every method' "$(grep '^\.Ss [a-z_]*$' "$(made src/daemon/muxbus-protocol.7)" | cut -c 5- |
	while read -r name; do
		grep -q "muxbus-protocol.7.html#[^\"]*\">$name<" index.html || echo "$name"
	done)"

done_checking
