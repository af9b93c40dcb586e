#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus setup --install: what is missing, the commands, the question; with a package manager and a
# sudo that write down what they are asked for.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
build=${MUXBUS_BUILDDIR:-.}
need_python
need jq
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/contrib" "$dir/home" "$dir/asked"
cp -r "${MUXBUS_SRCDIR:-.}/contrib/tools" "$dir/contrib/tools" && chmod -R u+w "$dir/contrib" || exit 99
for program in python3 git jq mkdir touch chmod env; do ln -s "$(command -v $program)" "$dir/bin/$program"; done
ln -s "$(command -v bash || command -v sh)" "$dir/bin/sh"
# A manager whose packages are the programs of their names; nodejs has node.
cat >"$dir/bin/apt-get" <<'STUB'
#!/bin/sh
echo "apt-get $*" >>"$ASKED/log"
[ ! -e "$ASKED/fail" ] || exit 100
shift 3
for package; do
	case $package in nodejs) package=node ;; esac
	printf '#!/bin/sh\necho v22.0.0\n' >"$ASKED/../bin/$package"
	chmod 755 "$ASKED/../bin/$package"
done
STUB
printf '#!/bin/sh\nexec "$@"\n' >"$dir/bin/sudo"
cat >"$dir/contrib/tools/browser_server" <<'STUB'
#!/bin/sh
echo "browser_server $*" >>"$ASKED/log"
mkdir -p "$HOME/.local/share/muxbus/playwright-core-1.65.1"
touch "$HOME/.local/share/muxbus/playwright-core-1.65.1/cli.js"
STUB
chmod 755 "$dir/bin/apt-get" "$dir/bin/sudo"
export HOME="$dir/home" ASKED="$dir/asked" MUXBUS_CONTRIBDIR="$dir/contrib"
unset XDG_DATA_HOME
muxbus() {
	env PATH="$dir/bin" "$build/muxbus" "$@" 2>&1 </dev/null
}
log() {
	cat "$dir/asked/log" 2>/dev/null
}

is 'nothing is missing: nothing is asked' "$(muxbus setup --install=files) $?" 'All that the tools of files need is there. 0'
said=$(muxbus setup --install=browser)
is 'without a terminal nothing is run' "$? $(log)" '1 '
is 'but the commands are shown' "$(echo "$said" | grep -c -e 'apt-get install .* nodejs' -e 'browser_server --install')" 2
is 'and the way is' "$(echo "$said" | tail -n 1)" 'Nothing was installed: this is no terminal to ask on; --yes installs.'
touch "$dir/asked/fail"
is 'a manager that fails' "$(muxbus setup --install=browser --yes | tail -n 1)" \
	"$([ "$(id -u)" = 0 ] && echo apt-get || echo sudo) has failed (exit status 100)"
rm "$dir/asked/fail" "$dir/asked/log"
is 'what is missing is installed' "$(muxbus setup --install=browser --yes | tail -n 1)" \
	'All that the tools of browser need is there.'
is 'by these commands' "$(log)" "apt-get install -y --no-install-recommends nodejs chromium npm
browser_server --install"
rm "$dir/asked/log"
is 'a second time there is nothing to do' "$(muxbus setup --install=browser --yes; log)" 'All that the tools of browser need is there.'
printf '#!/bin/sh\necho v18.19.0\n' >"$dir/bin/node"
is 'a node that is too old' "$(muxbus setup --install=browser)" \
	'node is older than version 20, which the tools of the group browser need'
is 'a group that is not there' "$(muxbus setup --install=nix | cut -c 1-45)" "install_tools: there is no group 'nix': there"
is 'neither tools nor a group' "$(muxbus setup gemini --install | grep -c -e '--install needs --tools=')" 1
printf '{"name":"t","group":"odd","description":"d","run":["true"],"programs":["no-such-program"]}' >"$dir/contrib/tools/t.json"
is 'what no package is known for' "$(muxbus setup --install=odd --yes)" 'still missing: no-such-program'
muxbus setup gemini --tools=coding --install >"$dir/said"
is 'with an agent the settings are written, too' "$(jq -c .mcpServers.muxbus.args "$HOME/.gemini/settings.json")" '["mcp","--tools=coding"]'
is 'and browser and desktop stay off' "$(tail -n 1 "$dir/said")" 'All that the tools of agents, code, files need is there.'
end_testing
