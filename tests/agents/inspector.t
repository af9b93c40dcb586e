#!/bin/sh
# SPDX-License-Identifier: ISC
# MCP as its makers test it: the Inspector lists and calls tools in each of its eras, the
# conformance suite's scenarios pass that apply, and results hold against their schemas.
# Needs node and npm's registry: run it with make check TESTS=tests/agents/inspector.t
. "$MUXBUS_SRCDIR/tests/live/live.sh"

inspector=@modelcontextprotocol/inspector@${MUXBUS_INSPECTOR_VERSION:-2.12.0}
suite=@modelcontextprotocol/conformance@${MUXBUS_CONFORMANCE_VERSION:-0.2.0-alpha.12}
folder=${MUXBUS_AGENT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muxbus-agents}/inspector

need node npm
mkdir -p "$folder"
[ -e "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
if [ "$(cat "$folder/installed" 2>/dev/null)" != "$inspector $suite" ]; then
	# The Inspector needs a recent node, which npm has as well.
	(cd "$folder" && npm install --no-audit --no-fund node@22 ajv@8 "$inspector" "$suite") >"$folder/log" 2>&1 ||
		skip_all "npm cannot install it: $(tail -n 1 "$folder/log")"
	echo "$inspector $suite" >"$folder/installed"
fi
export PATH="$folder/node_modules/.bin:$PATH"
node -e 'process.exit(process.versions.node.split(".")[0] >= 22 ? 0 : 1)' ||
	skip_all "node $(node --version) is too old"
echo "# $inspector, $suite, node $(node --version)"

start 'exec sh'
cd "$dir" || exit 99
trap '[ -z "$front" ] || kill "$front" 2>/dev/null; finish' EXIT
front=

# The Inspector.

# All tools, as `muxbus mcp --tools=all` lists them.
cat >all <<EOF
#!/bin/sh
{ echo '{"jsonrpc":"2.0","method":"notifications/muxbus/hello","params":{"tools":"all"}}'; cat; } |
	socat - UNIX-CONNECT:$MUXBUS
EOF
chmod +x all

# inspect ERA METHOD OPTIONS...: its output is in out, its errors in err.
inspect() {
	era=$1
	shift
	timeout 60 mcp-inspector --cli --protocol-era "$era" --method "$@" >out 2>err
}
plain="socat STDIO UNIX-CONNECT:$MUXBUS"

for era in legacy auto modern; do
	ok "$era: it lists the tools" inspect $era tools/list --strict -- $plain
	is "$era: there are 15" "$(jq '.tools | length' out)" 15
	is "$era: it has nothing to say against a schema" "$(grep -vc '^npm' err)" 0
	ok "$era: it lists all of them" inspect $era tools/list --strict -- ./all
	is "$era: nor against any of those" "$(jq '.tools | length > 40' out) $(grep -vc '^npm' err)" 'true 0'
	ok "$era: it calls one" inspect $era tools/call --tool-name list_panes -- $plain
	is "$era: and has its result" "$(jq -r '.structuredContent.panes[0].pane' out)" %0
	ok "$era: one with arguments" inspect $era tools/call --tool-name capture_pane \
		--tool-arg pane=%0 --tool-arg lines=2 -- $plain
	is "$era: and its text" "$(jq -r '.content[0].type' out)" text
	ok "$era: one that waits" inspect $era tools/call --tool-name wait_for \
		--tool-args-json '{"any":[{"sec":0.1}]}' -- $plain
	ok "$era: resources" inspect $era resources/list -- $plain
	ok "$era: a pane's text" inspect $era resources/read --uri muxbus://panes/0 -- $plain
	ok "$era: templates" inspect $era resources/templates/list -- $plain
	ok "$era: prompts" inspect $era prompts/list -- $plain
	ok "$era: one of them" inspect $era prompts/get --prompt-name watch_build \
		--prompt-args command=make -- $plain
done
if [ -x "$MUXBUS_BUILDDIR/muxbus" ]; then
	for era in legacy auto modern; do
		ok "$era: the bridge" inspect $era tools/list --strict -- \
			"$MUXBUS_BUILDDIR/muxbus" -s "$MUXBUS" mcp
		is "$era: lists the same" "$(jq '.tools | length' out) $(grep -vc '^npm' err)" '15 0'
		ok "$era: the bridge carries a call" inspect $era tools/call \
			--tool-name list_panes -- "$MUXBUS_BUILDDIR/muxbus" -s "$MUXBUS" mcp
		is "$era: and its result" "$(jq -r '.structuredContent.panes[0].pane' out)" %0
	done
fi

# Schemas.

node "$MUXBUS_SRCDIR/tests/agents/validate.mjs" "$MUXBUS" "$folder" >validated
is 'the results of tools fit their schemas' "$(grep '^not ok' validated)" ''
grep '^not ok' -A 1 validated | sed 's/^/# /'
ok 'and the tools were called' [ "$(grep -c '^ok' validated)" -gt 50 ]

# The conformance suite.

node "$MUXBUS_SRCDIR/tests/agents/http-front.mjs" "$MUXBUS" 0 >url 2>front.log &
front=$!
until_is 'the front listens' yes sh -c '[ -s url ] && echo yes || :'

# Scenarios that do not pass, each with its reason in README.
expected_2025='tools-call-image tools-call-audio tools-call-embedded-resource
tools-call-mixed-content tools-call-with-logging tools-call-with-progress tools-call-sampling
tools-call-elicitation json-schema-2020-12 elicitation-sep1034-defaults elicitation-sep1330-enums
resources-read-binary resources-templates-read prompts-get-embedded-resource prompts-get-with-image'
expected_2026='server-stateless tools-call-image tools-call-audio tools-call-embedded-resource
tools-call-mixed-content tools-call-with-progress json-schema-2020-12 resources-read-binary
resources-templates-read prompts-get-embedded-resource prompts-get-with-image
http-header-validation http-custom-header-server-validation input-required-result-basic-elicitation
input-required-result-basic-sampling input-required-result-basic-list-roots
input-required-result-request-state input-required-result-multiple-input-requests
input-required-result-multi-round input-required-result-non-tool-request
input-required-result-result-type input-required-result-tampered-state
input-required-result-capability-check'

# conforms REVISION EXPECTED: only the expected scenarios fail.
conforms() {
	timeout 300 conformance server --url "$(cat url)" --suite all --spec-version "$1" >suite 2>&1
	sed -n 's/^✓ \([^:]*\):.*/\1/p' suite | sort >passed
	sed -n 's/^✗ \([^:]*\):.*/\1/p' suite | sort >failed_here
	echo "$2" | tr ' ' '\n' | sort >expected
	is "$1: no scenario fails without a reason" "$(comm -23 failed_here expected | xargs)" ''
	ok "$1: $(wc -l <passed) scenarios pass" [ "$(wc -l <passed)" -ge 16 ]
}
conforms 2025-11-25 "$expected_2025"
conforms 2026-07-28 "$expected_2026"
# Only checks that need the suite's own tools may be missing here.
timeout 60 conformance server --url "$(cat url)" --scenario server-stateless --spec-version 2026-07-28 \
	--verbose >suite 2>/dev/null
is 'the newest revision: only untestable scenarios fail' \
	"$(sed -n '/^\[/,/^\]/p' suite | jq -r '.[] | select(.status == "FAILURE" and (.details.untestable | not)).id' | xargs)" ''
is 'and many scenarios pass' \
	"$(sed -n '/^\[/,/^\]/p' suite | jq '[.[] | select(.status == "SUCCESS")] | length > 18')" true
done_testing
