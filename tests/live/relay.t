#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus --host through a real ssh to this machine: methods, verbs, a follower, and what may fail.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
PATH=$PATH:/usr/sbin
command -v ssh >/dev/null || skip_all 'no ssh'
sshd=${MUXBUS_SSHD:-$(command -v sshd)} || skip_all 'no sshd'
[ -x "$MUXBUS_BUILDDIR/muxbus" ] || skip_all 'muxbus is not built'
start 'exec cat'

# A server and a user with keys of their own; sshd runs once for each connection.
[ "$(id -u)" != 0 ] || mkdir -p -m 755 /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
cp "$dir/key.pub" "$dir/authorized_keys"
printf '%s\n' "HostKey $dir/host_key" "AuthorizedKeysFile $dir/authorized_keys" 'StrictModes no' \
	'PermitRootLogin yes' 'PasswordAuthentication no' 'PidFile none' \
	'AcceptEnv XDG_STATE_HOME' >"$dir/sshd_config"
printf '%s\n' "ProxyCommand $sshd -i -f $dir/sshd_config" "IdentityFile $dir/key" \
	'IdentitiesOnly yes' 'SendEnv XDG_STATE_HOME' 'BatchMode yes' 'StrictHostKeyChecking no' \
	'UserKnownHostsFile /dev/null' 'LogLevel ERROR' >"$dir/ssh_config"
timeout 10 ssh -F "$dir/ssh_config" far true 2>"$dir/said" </dev/null ||
	skip_all "ssh to this machine does not work: $(head -n 1 "$dir/said")"
export MUXBUS_SSH="ssh -F $dir/ssh_config" MUXBUS_REMOTE="$MUXBUS_BUILDDIR/muxbus"
far="$MUXBUS_BUILDDIR/muxbus --host far -S $dir/tmux"

status() { # status COMMAND...: its exit status; its output is in $dir/out and $dir/said
	"$@" >"$dir/out" 2>"$dir/said" </dev/null
	echo $?
}

is 'a method' "$($far list_panes | jq -r '.panes[0].pane')" %0
printf '#!/bin/sh\necho once >>"%s/runs"\nexec ssh "$@"\n' "$dir" >"$dir/counted"
chmod 755 "$dir/counted"
is 'by one run of ssh, which may ask for a password' \
	"$(MUXBUS_SSH="$dir/counted -F $dir/ssh_config" status $far list_panes) $(wc -l <"$dir/runs")" '0 1'
is 'by the environment' "$(MUXBUS_HOST=far "$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" list_panes | jq -r '.panes[0].pane')" %0
$far send_text pane=%0 text="it's \$HOME" enter:=true >"$dir/out"
is 'a wait' "$(status $far wait screen="it's" pane=%0 -t 20)" 0
is 'a job, with its output and status' "$(status $far run -- sh -c 'echo here; exit 3') $(cat "$dir/out")" '3 here'
is 'a job in a relative directory is refused: it is of this machine' "$(status $far run -C below -- pwd) $(grep -c 'begins with /' "$dir/said")" '2 1'
is 'an error of the daemon' "$(status $far capture_pane pane=%99) $(cat "$dir/said")" '1 muxbus: there is no pane %99; list_panes lists the existing ones'

# A key that may only read: the command of the other machine does not count.
printf '%s ' "command=\"$MUXBUS_BUILDDIR/muxbus -S $dir/tmux relay --read-only\",restrict" |
	cat - "$dir/key.pub" >"$dir/authorized_keys"
is 'a key for readers reads' "$($far list_panes | jq -r '.panes[0].pane')" %0
is 'and may do no more' "$(status $far send_text pane=%0 text=x) $(grep -c 'role read_only' "$dir/said")" '1 1'
is 'nor through another command' "$(ssh -F "$dir/ssh_config" far touch "$dir/touched" </dev/null | cut -d ' ' -f 1-3; ls "$dir/touched" 2>/dev/null)" 'muxbus relay 1'
cp "$dir/key.pub" "$dir/authorized_keys"

# Requests go on after the end of the input until all are answered.
printf '%s\n' '{"id":1,"method":"wait_for","params":{"any":[{"quiet_sec":0.3,"pane":"%0"}]}}' |
	"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" relay >"$dir/out"
is 'it goes on to no other machine' \
	"$(MUXBUS_HOST=far MUXBUS_FLEET=1 MUXBUS_SSH=false timeout 9 "$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" relay </dev/null | cut -d ' ' -f 1-3)" 'muxbus relay 1'
is 'the relay says hello first' "$(head -n 1 "$dir/out" | cut -d ' ' -f 1-3)" 'muxbus relay 1'
is 'and answers after the end of its input' "$(tail -n 1 "$dir/out" | jq -c '.result.matched')" '[0]'

# Its reader is killed while a request waits: the relay ends, also where its streams are a socket.
mkfifo "$dir/requests"
socat - "SYSTEM:echo \$\$ >$dir/relay_pid; exec $MUXBUS_BUILDDIR/muxbus -S $dir/tmux relay" \
	<"$dir/requests" >"$dir/out" &
reader=$!
exec 4>"$dir/requests"
printf '%s\n' '{"id":1,"method":"wait_for","params":{"any":[{"quiet_sec":900,"pane":"%0"}],"timeout_sec":900}}' \
	'{"id":2,"method":"ping"}' >&4
until_is 'a request waits' 1 sh -c "grep -c '\"id\":2' '$dir/out' || :"
kill -9 $reader
exec 4>&-
relays() {
	ps -o stat= -p "$(cat "$dir/relay_pid")" | grep -c -v '^Z' || :
}
until_is 'the relay ends with its reader' 0 relays

# Two megabytes each way.
long=$(head -c 100000 /dev/zero | tr '\0' x)
i=0
while [ $i -lt 20 ]; do
	echo "{\"id\":$i,\"method\":\"ping\",\"params\":{},\"x\":\"$long\"}"
	i=$((i + 1))
done >"$dir/many"
# shellcheck disable=SC2086
$MUXBUS_SSH far "$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" relay <"$dir/many" >"$dir/out"
is 'much input' "$(grep -c '"id":' "$dir/out")" 20

# Doctor looks at the daemon there, and at nothing of this machine.
is 'doctor' "$(TMUX=/none,1,0 TMUX_PANE=%77 status $far doctor) $(jq -r '[.findings[].subject] | join(" ")' "$dir/out")" \
	'0 daemon following model journal round trip'
printf '#!/bin/sh\n"%s/muxbus" "$@" | sed -u '"'s/\"version\":\"0[^\"]*/\"version\":\"0.0.1/'"'\n' "$MUXBUS_BUILDDIR" >"$dir/older"
chmod 755 "$dir/older"
is 'a hint says that machine' "$(MUXBUS_REMOTE="$dir/older" status $far list_panes) $(grep -c "muxbus --host far -S $dir/tmux shutdown; muxbus --host far" "$dir/said")" '0 1'

# What may fail, each with a sentence.
is 'no muxbus there' "$(MUXBUS_REMOTE=/none/muxbus status $far list_panes)" 3
ok 'is said with a remedy' grep -q 'set MUXBUS_REMOTE' "$dir/said"
is 'no host' "$(MUXBUS_SSH="ssh -F $dir/ssh_config -o ProxyCommand=false" status $far list_panes)" 3
ok 'is said' grep -q 'muxbus: ssh did not reach far' "$dir/said"
cat >"$dir/noise" <<'END'
#!/bin/sh
echo 'Welcome to this machine'
echo '{"jsonrpc":"2.0","id":1,"result":{"panes":[]}}'
echo 'muxbus relay 99 7.0'
exec cat
END
chmod 755 "$dir/noise"
is 'a relay of another protocol' "$(MUXBUS_REMOTE="$dir/noise" status $far list_panes)" 3
ok 'is refused by name' grep -q 'muxbus 7.0 on far and muxbus .* here do not understand each other' "$dir/said"
printf '#!/bin/sh\nprintf "\\033]0;title\\007"; exec "%s/muxbus" "$@"\n' "$MUXBUS_BUILDDIR" >"$dir/title"
chmod 755 "$dir/title"
is 'noise without an end of line' "$(MUXBUS_SSH_TIMEOUT=9 MUXBUS_REMOTE="$dir/title" status $far list_panes)" 0
is 'doctor of a host that ssh does not reach' \
	"$(MUXBUS_SSH="ssh -F $dir/ssh_config -o ProxyCommand=false" status $far doctor) $(jq -r '.findings[].remedy' "$dir/out")" \
	'1 check that ssh reaches that machine, and that Muxbus is installed there'
cat >"$dir/mute" <<'END'
#!/bin/sh
echo 'Welcome to this machine'
exec sleep 60
END
chmod 755 "$dir/mute"
is 'a far side that never answers' "$(MUXBUS_SSH_TIMEOUT=1 MUXBUS_REMOTE="$dir/mute" status timeout 20 $far list_panes)" 3
ok 'is given up' grep -q 'muxbus relay on far did not answer within 1 s' "$dir/said"

# A link that is cut between the end of a job and the reading of its output.
cat >"$dir/cut" <<END
#!/bin/sh
[ ! -e "$dir/is_cut" ] || exec "$MUXBUS_BUILDDIR/muxbus" "\$@"
: >"$dir/is_cut"
sed -u /read_job/Q | "$MUXBUS_BUILDDIR/muxbus" "\$@"
END
chmod 755 "$dir/cut"
is 'a job whose output was not read for a cut' "$(MUXBUS_REMOTE="$dir/cut" status timeout 20 $far run -- sh -c 'echo here; exit 3') $(cat "$dir/out")" '3 here'
ok 'has its end from the next link, which is said' grep -qE '(has ended|goes on), waiting for muxbusd' "$dir/said"
is 'a name that is an option' "$("$MUXBUS_BUILDDIR/muxbus" --host -oProxyCommand=id list_panes >"$dir/out" 2>"$dir/said"; echo $?)" 2

# The far daemon is started if need be.
is 'the far daemon ends' "$(status $far shutdown)" 0
wait "$daemon_pid" 2>/dev/null
is 'and is started again' "$(status $far run -- true)" 0
$far shutdown >/dev/null
start_daemon
done_testing
