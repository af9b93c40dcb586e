# SPDX-License-Identifier: ISC
# For tests with real agents (sourced): the agent from npm, a stand-in for its model's API on
# loopback, and a pane to run it in. It uses no network except npm's registry.

. "$MUXBUS_SRCDIR/tests/live/live.sh"
. "$MUXBUS_SRCDIR/tests/agents/scenario.sh"
. "$MUXBUS_SRCDIR/tests/agents/wakes.sh"
. "$MUXBUS_SRCDIR/tests/agents/states.sh"
. "$MUXBUS_SRCDIR/tests/agents/crashes.sh"

cache=${MUXBUS_AGENT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muxbus-agents}
model_pid=

# need_agent NAME PACKAGE: the agent's newest version, or that of $MUXBUS_AGENT_VERSION, in $cache.
# $folder is its place, $version its version. Skips the test if it is not available.
need_agent() {
	agent=$1
	need node npm
	folder=$cache/$1
	mkdir -p "$folder"
	[ -e "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
	version=${MUXBUS_AGENT_VERSION:-$(cd "$folder" && npm view "$2" version 2>"$folder/log")}
	[ -n "$version" ] || skip_all "npm does not know the version of $2: $(head -n 1 "$folder/log")"
	installed=$(jq -r .version "$folder/node_modules/$2/package.json" 2>/dev/null)
	if [ "$installed" != "$version" ]; then
		(cd "$folder" && npm install --no-audit --no-fund "$2@$version") >"$folder/log" 2>&1 ||
			skip_all "npm cannot install $2: $(tail -n 1 "$folder/log")"
	fi
	echo "# $2 $version"
}

# begin: tmux, the model, a home and a project that the agent trusts. $url is the model's.
begin() {
	start 'exec sh'
	trap 'finish_agents' EXIT
	mkdir -p "$dir/home" "$dir/project" "$dir/bin"
	ln -s "$MUXBUS_BUILDDIR/muxbus" "$MUXBUS_BUILDDIR/muxbusd" "$dir/bin"
	export HOME="$dir/home" PATH="$dir/bin:$PATH" COLORTERM=truecolor
	export MUXBUS_CONTRIBDIR="$MUXBUS_SRCDIR/contrib"
	project=$dir/project
	log=$dir/turns
	: >"$log"
	node "$MUXBUS_SRCDIR/tests/agents/model.mjs" "$dir/port" "$log" 2>"$dir/model.log" &
	model_pid=$!
	until_is 'the model answers' yes sh -c "[ -s '$dir/port' ] && echo yes || :"
	url=http://127.0.0.1:$(cat "$dir/port")
}

finish_agents() {
	[ -z "$model_pid" ] || kill "$model_pid" 2>/dev/null
	for id in $(t list-panes -a -F '#{pane_id}' 2>/dev/null); do
		t kill-pane -t "$id" 2>/dev/null
	done
	# A daemon that a bridge started has no parent here.
	other=$(status_pid)
	ask '{"method":"shutdown"}' >/dev/null 2>&1
	tries=0
	while [ -n "$other" ] && kill -0 "$other" 2>/dev/null && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	end_agents
	[ -z "$MUXBUS_AGENT_KEEP" ] || cp -r "$dir" "$MUXBUS_AGENT_KEEP"
	finish
}

# Ends what the agents leave behind, such as Codex's shared daemon: all processes with our home.
end_agents() {
	for environment in $(grep -l -z -x "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null); do
		left=${environment%/environ}
		left=${left#/proc/}
		[ "$left" = $$ ] || [ "$HOME" != "$dir/home" ] || kill -9 "$left" 2>/dev/null
	done
}

status_pid() {
	ask '{"method":"status"}' 2>/dev/null | jq -r '.result.pid // empty'
}

# run_agent PATTERN COMMAND: in a pane of its own, $pane, with the environment of this script;
# it is ready when its screen shows the pattern. Without the pattern the test fails. With $MUXBUS_AGENT_SCENARIO the
# test ends here.
run_agent() {
	if [ -n "$MUXBUS_AGENT_SCENARIO" ]; then
		done_testing
		exit
	fi
	{
		sh -c 'export -p' # as the shell writes it that will read it
		echo "exec $2"
	} >"$dir/agent"
	t set-option -g remain-on-exit on
	pane=$(t new-window -P -F '#{pane_id}' -t main: -c "$project" "exec sh '$dir/agent'")
	t resize-window -t "$pane" -x 150 -y 50
	if ! wait_until shows "$1"; then
		echo "Bail out! the agent is not ready"
		screen | grep -v '^ *$' | sed 's/^/# /'
		exit 1
	fi
}

screen() {
	t capture-pane -p -t "$pane"
}

# Waits up to 40 s ($MUXBUS_AGENT_PATIENCE), or $patience seconds, until a command succeeds.
wait_until() {
	deadline=$(($(date +%s) + ${patience:-${MUXBUS_AGENT_PATIENCE:-40}}))
	until "$@"; do
		[ "$(date +%s)" -lt $deadline ] || return 1
		sleep 0.1
	done
}

shows() {
	screen 2>/dev/null | grep -q -e "$1"
}

# prompt TEXT: typed as a person does it, with a moment before Enter, or agents take it for a paste.
prompt() {
	t send-keys -t "$pane" -l "$1"
	wait_until shows "$(printf '%s' "$1" | tail -c 5)"
	sleep 0.7
	t send-keys -t "$pane" Enter
}

# turns FILTER: how many requests of the agent to its model match.
turns() {
	jq -s "[.[] | select($1)] | length" "$log"
}
has_turns() {
	[ "$(turns "$2")" -ge "$1" ]
}

# until_turns NAME COUNT FILTER: so many, and not more.
until_turns() {
	wait_until has_turns "$2" "$3"
	is "$1" "$(turns "$3")" "$2"
}

# last FILTER: of the last turn that ended with a text.
last() {
	jq -s -r "[.[] | select(.text)] | last | $1" "$log"
}

# wakes NAME: a job's end wakes the agent: two calls in one turn, the end of the turn, then one line.
wakes() {
	calls=$(turns '.text == "FINISHED 2 calls"')
	prompt 'DO list_panes {} DONE DO run_long_command {"command":"sleep 2; echo of-the-job"} DONE'
	until_turns "$1: both calls were made, and the turn ended" $((calls + 1)) '.text == "FINISHED 2 calls"'
	if [ "$(turns '.text == "FINISHED 2 calls"')" = "$calls" ]; then
		screen | grep -v '^ *$' | sed 's/^/# /'
		return
	fi
	ok "$1: the panes were listed" says "$(last '.results[0]')" ".*$pane"
	job=$(last '.results[1]' | grep -o -E '\b[A-Z][A-Z0-9]{3}\b' | head -n 1)
	ok "$1: the job has an id: $job" [ -n "$job" ]
	until_turns "$1: woken by its end" 1 ".text and (.prompt | test(\"muxbus $job job\"))"
	until_is "$1: it knows that it was told" '"delivered"' state_of "$job"
	echo "# the way: $(ask '{"method":"list_notifications"}' |
		jq -c ".result.notifications[] | select(.id == \"$job\") | .delivery")"
	quiet=$(turns '.text')
	prompt "What was $job about"
	until_turns "$1: a person goes on" $((quiet + 1)) '.text'
	is "$1: woken once" "$(turns ".text and (.prompt | test(\"muxbus $job job\"))")" 1
}
state_of() {
	ask '{"method":"list_notifications"}' |
		jq -c ".result.notifications[] | select(.id == \"$1\") | .state" |
		sed 's/acknowledged/delivered/'
}
quietly() {
	"$@" >"$dir/said" 2>&1
}
says() {
	expr "$1" : "$2" >/dev/null
}

# restart: the daemon is killed while the agent is idle; the agent's bridge starts the next one.
restart() {
	before=$(status_pid)
	kill -9 "$before"
	wait_until [ ! -d "/proc/$before" ]
}
