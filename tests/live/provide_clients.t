#!/bin/sh
# SPDX-License-Identifier: ISC
# Providers in the shell, in C and in Python, as contrib has them.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
export PYTHONDONTWRITEBYTECODE=1 MUXBUS_TOOLS=/nonexistent
start 'exec cat'
muxbus=$MUXBUS_BUILDDIR/muxbus
provider_pid=
end_provider() {
	[ -z "$provider_pid" ] || kill "$provider_pid" 2>/dev/null
	[ -z "$provider_pid" ] || wait "$provider_pid" 2>/dev/null
	provider_pid=
}
trap 'end_provider; finish' EXIT
provides() {
	ask '{"method":"describe"}' | jq --arg name "$1" '.result.methods | has($name)'
}

"$MUXBUS_SRCDIR/contrib/socat/provide-words" >"$dir/said" 2>&1 &
provider_pid=$!
until_is 'the recipe for socat provides' true provides word_count
is 'it answers' "$("$muxbus" word_count text=' two  words ')" '{"words":2}'
is 'its rows are checked' "$("$muxbus" word_count text:=5 2>&1 | grep -c 'must be a string')" 1
end_provider
until_is 'its end is the end of the method' false provides word_count

# As the program of a file, it is started by the first call, and again after the daemon was killed.
mkdir -p "$dir/.config/muxbus/tools"
cp "$MUXBUS_SRCDIR/contrib/socat/provide-words" "$dir/.config/muxbus/tools/words"
chmod 755 "$dir/.config/muxbus/tools" "$dir/.config/muxbus/tools/words"
jq -nc '{program: ["./words"], methods: [{name: "word_count", summary: "Counts.",
	parameters: {type: "object", properties: {text: {type: "string"}}}}]}' >"$dir/words"
chmod 644 "$dir/words"
mv "$dir/words" "$dir/.config/muxbus/tools/words.provider"
until_is 'the file of a provider' true provides word_count
is 'starts the recipe at the first call' "$("$muxbus" word_count text='one two three')" '{"words":3}'
kill_daemon
is 'also after kill -9 of the daemon' "$("$muxbus" word_count text='one')" '{"words":1}'

if cc=$(command -v "${MUXBUS_CC:-cc}"); then
	"$cc" -std=gnu11 -Wall -Wextra -Werror "$MUXBUS_SRCDIR/contrib/example/provide.c" -o "$dir/provide" >"$dir/said" 2>&1
	is 'the example in C compiles' "$(cat "$dir/said")" ''
	"$dir/provide" &
	provider_pid=$!
	until_is 'it provides' true provides load_average
	is 'it answers' "$("$muxbus" load_average | jq '.load | type')" '"number"'
	end_provider
fi

python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || done_testing
package=$dir/python/muxbus
mkdir -p "$package" && cp "$MUXBUS_SRCDIR/contrib/bindings/python/muxbus"/*.py "$package"
made=$MUXBUS_BUILDDIR/contrib/bindings/python/muxbus/methods.py
[ ! -e "$made" ] || cp -f "$made" "$package"
cat >"$dir/serve.py" <<'END'
import asyncio, pathlib, sys
from typing import List, Literal, Optional
import muxbus

@muxbus.method(effects=["reads"], group="mine", also=["py_hello"])
async def py_greet(name: str, how: Literal["hello", "bye"] = "hello", times: int = 1, tags: Optional[List[str]] = None) -> dict:
    """Greets.

    More than a sentence."""
    muxbus.progress("greeting", done=1, of=2)
    muxbus.publish("py_greeted", name=name)
    return {"text": f"{how} {name}" * times, "tags": tags or []}

@muxbus.method
async def py_fail() -> dict:
    raise ValueError("it cannot be done")

newer = sys.version_info >= (3, 10)

@muxbus.method
async def py_name(text: "str | None" if newer else Optional[str] = None,
                  which: "list[str] | None" if newer else Optional[List[str]] = None) -> dict:
    raise OSError(f"{text}: no such file: {which}\0\udcff")

try:
    muxbus.method(lambda: {})
except TypeError as error:
    pathlib.Path(sys.argv[0]).with_name("refused").write_text(str(error))

@muxbus.method
async def py_inner() -> dict:
    inner = asyncio.ensure_future(asyncio.sleep(1000))
    asyncio.get_running_loop().call_soon(inner.cancel)
    await inner
    return {}

@muxbus.method(timeout_ms=60000)
async def py_slow(file: str) -> dict:
    pathlib.Path(file).write_text("begun")
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError:
        pathlib.Path(file).write_text("cancelled")
        raise
    return {}

@muxbus.method
async def py_around(left: int) -> dict:
    async with muxbus.Client() as bus:
        return {"depth": 1 + (await bus.request("py_around", left=left - 1))["depth"]} if left else {"depth": 1}

asyncio.run(muxbus.serve(py_greet, py_fail, py_name, py_inner, py_slow, py_around))
END
PYTHONPATH=$dir/python python3 -W error "$dir/serve.py" >"$dir/python.log" 2>&1 &
provider_pid=$!
until_is 'the binding in Python provides' true provides py_greet
ask '{"method":"describe","params":{"method":"py_greet"}}' >"$dir/answer"
is 'the row is that of the function' "$(field '.result.methods.py_greet | .summary, (.params.properties | (keys | join(" ")), .how.enum[1], .times.default)' | tr '\n' ' ')" \
	'Greets. how name pane tags times wait bye 1 '
is 'it answers' "$("$muxbus" py_greet name=you times:=2)" '{"text":"hello youhello you","tags":[]}'
is 'with progress' "$(ask '{"id":7,"method":"py_hello","params":{"name":"x"}}' | jq -c 'select(.method) | .params')" \
	'{"request":7,"text":"greeting","done":1,"of":2}'
is 'it publishes' "$(ask '{"method":"list_events","params":{"kinds":["py_greeted"]}}' | jq -c '[.result.events[].data.name]')" '["you","x"]'
is 'an exception is an error' "$("$muxbus" py_fail 2>&1 | grep -c 'it cannot be done')" 1
is 'whatever is in its text, and parameters may be none' "$("$muxbus" py_name text=x which=y 2>&1)" \
	"muxbus: py_name: x: no such file: ['y']??"
is 'a function that waits for nothing is refused' "$(grep -c 'must be async' "$dir/refused")" 1
is 'so is a task of its own that is cancelled' "$(timeout 9 "$muxbus" py_inner 2>&1 | grep -c 'was cancelled')" 1
is 'calls within calls say so' "$("$muxbus" py_around left:=6)" '{"depth":7}'
is 'until they are too deep' "$("$muxbus" py_around left:=9 2>&1 | grep -c '8 deep')" 1
printf '{"id":1,"method":"py_slow","params":{"file":"%s"}}\n' "$dir/slow" >"$dir/line"
: >"$dir/slow"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/line" >/dev/null &
caller_pid=$!
until_is 'a call runs' begun cat "$dir/slow"
kill "$caller_pid"
until_is 'its caller goes: its task is cancelled' cancelled cat "$dir/slow"
ask '{"method":"wait_for","params":{"any":[{"event":"py_greeted","where":{"name":"again"}}],"wait":"greeted"}}' >/dev/null &
waits() { ask '{"method":"status"}' | jq .result.waits; }
until_is 'a wait with a name for its event' 1 waits
kill_daemon
until_is 'after kill -9 of the daemon it provides again' true provides py_greet
is 'and answers' "$("$muxbus" py_greet name=again)" '{"text":"hello again","tags":[]}'
is 'which ends the wait' "$(ask '{"method":"wait_for","params":{"wait":"greeted","timeout_sec":10}}' |
	jq -c '.result.conditions[0] | [.state, .details.data.name]')" '["matched","again"]'
kill -9 "$provider_pid"
until_is 'kill -9 of the program is the end of its methods' false provides py_greet
wait "$provider_pid" 2>/dev/null
provider_pid=
is 'it has said nothing' "$(cat "$dir/python.log")" ''
done_testing
