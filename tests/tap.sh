# SPDX-License-Identifier: ISC
# For scripts (sourced): checks in TAP.

checks=0
failed=0

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# need PROGRAM...: skips the script where one is not installed.
need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip_all "$tool is not installed"
	done
}

# need_python: the same for the Python of the programs beside the tests.
need_python() {
	/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
		skip_all 'there is no /usr/bin/python3 of 3.9 or later'
}

# ok NAME COMMAND...: passes if the command succeeds.
ok() {
	name=$1
	shift
	checks=$((checks + 1))
	if "$@"; then
		echo "ok $checks - $name"
	else
		echo "not ok $checks - $name"
		failed=$((failed + 1))
	fi
}

# is NAME GOT WANT
is() {
	checks=$((checks + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $checks - $1"
	else
		echo "not ok $checks - $1"
		printf '%s\n' "got: $2" "want: $3" | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

# skip REASON: in place of one check.
skip() {
	checks=$((checks + 1))
	echo "ok $checks # SKIP $1"
}

# The plan, behind the last check. Ends the script.
end_testing() {
	echo "1..$checks"
	[ $failed -eq 0 ]
	exit
}
