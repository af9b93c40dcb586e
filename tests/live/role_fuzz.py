#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Calls of any kind through the socket for readers, for role_fuzz.t: tmux, the files of the daemon
and its journal are the same before and after. role_fuzz.py CALLS; MUXBUS_SEED=N repeats a run."""
import hashlib
import json
import os
import random
import select
import socket
import subprocess
import sys
import time

DIR, MUXBUS, READERS = os.environ['dir'], os.environ['MUXBUS'], os.environ['READERS']
OPEN_MAX = 48
# What the daemon writes of itself, whoever asks: its log, its lock, and that it refused something.
OWN_FILES = ('audit', 'audit.old', 'log', 'lock', 'muxbusd.log', 'readers', 'ready')


class Peer:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.settimeout(20)
        self.input = b''

    def __del__(self):
        self.socket.close()

    def send(self, text):
        self.socket.sendall(text)

    def lines(self):
        """Waits for input, and yields whole lines."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise SystemExit('not ok - the daemon has closed the connection')
        *lines, self.input = (self.input + part).split(b'\n')
        return lines

    def call(self, method, **params):
        self.send(json.dumps({'id': 1, 'method': method, 'params': params}).encode() + b'\n')
        while True:
            for line in self.lines():
                message = json.loads(line)
                if message.get('id') == 1:
                    return message['result']


def tmux(*words):
    return subprocess.run(['tmux', '-S', DIR + '/tmux', *words], check=True,
                          capture_output=True, text=True).stdout


def records(journal):
    """What a journal holds, without the marks of what is durable (journal_record.h), and without
    the sessions that the daemon saves of itself, when it learns of them."""
    at = 32
    journal = journal.rstrip(b'\0')  # room for more records
    while at < len(journal):
        size, kind = int.from_bytes(journal[at + 4:at + 7], 'little'), journal[at + 7]
        if kind != 255 and b'saved/' not in journal[at + 32:at + 64]:
            yield repr(journal[at + 32:at + 32 + size])
        at += 32 + (size + 7) // 8 * 8


def state():
    """All that a reader must leave alone, as text by name."""
    found = {}
    for words in (['list-sessions', '-F', '#{session_id} #{session_name} #{session_windows} '
                   '#{session_attached}'],
                  ['list-windows', '-a', '-F', '#{window_id} #{window_name} #{window_layout} '
                   '#{window_active}'],
                  ['list-panes', '-a', '-F', '#{pane_id} #{pane_pid} #{pane_dead} #{pane_mode} '
                   '#{pane_title} #{pane_pipe} #{pane_active} #{synchronize-panes} #{history_size}'],
                  # Not its flags: muxbusd's own client reads output or not, as peers need.
                  ['list-clients', '-F', '#{client_name} #{client_session} #{client_readonly}'],
                  ['list-buffers'], ['list-keys'], ['show-options', '-g'],
                  ['show-options', '-s'], ['show-hooks', '-g'], ['show-environment', '-g']):
        found['tmux ' + ' '.join(words[:2])] = tmux(*words)
    for pane in tmux('list-panes', '-a', '-F', '#{pane_id}').split():
        found['screen ' + pane] = tmux('capture-pane', '-p', '-t', pane)
    for folder, _, names in os.walk(DIR):
        for name in names:
            path = os.path.join(folder, name)
            if name in OWN_FILES or not os.path.isfile(path):
                continue
            with open(path, 'rb') as file:
                data = file.read()
            if name == 'journal':
                found['journal'] = '\n'.join(records(data))
            else:
                found['file ' + path[len(DIR):]] = hashlib.sha256(data).hexdigest()
    full = Peer(MUXBUS)
    for method, member in (('list_timers', 'timers'), ('list_watches', 'watches'),
                           ('list_jobs', 'jobs'), ('list_notifications', 'notifications'),
                           ('list_agents', 'agents'), ('list_providers', 'providers')):
        found[method] = json.dumps(full.call(method)[member], sort_keys=True)
    return found


def settled(wanted=None):
    """The state when nothing that was asked for is under way any more: the daemon leaves tmux, and
    ends its pipes, some time after the last reader of output."""
    before, same, end = state(), 0, time.monotonic() + 20
    while time.monotonic() < end:
        time.sleep(0.3)
        now = state()
        same = same + 1 if now == before else 0
        if now == wanted or (wanted is None and same == 4):
            return now
        before = now
    return before


TEXTS = ['%0', '%1', '%999', 'main:0', 'main', '@0', '$0', 'x', '', '/etc/passwd', '~', 'A1B2',
         'timer', 'exec touch ' + DIR + '/touched', 'C-c', 'Enter', 'own_panes', 'full', 'follow',
         'gone', 'high', 'TERM', 'base64', 'cat', '*', 'fix', '1']
CONDITIONS = [{'sec': 0.001}, {'quiet_sec': 0.1, 'pane': '%0'}, {'screen': '.', 'pane': '%0'},
              {'output': 'x', 'pane': '%1'}, {'file': '/etc/passwd', 'regex': 'root'},
              {'job': 'A1B2'}, {'notification': {}}, {'prompt': True, 'pane': '%0'},
              {'event': 'pane_closed'}, {'cpu_below': 100, 'for_sec': 0.1}]


def value(schema, chance):
    if chance.random() < 0.05:
        return chance.choice([None, True, -1, 0.5, [], {}, 'x', ['x'], 1 << 60])
    if 'enum' in schema:
        return chance.choice(schema['enum'])
    kind = schema.get('type')
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == 'boolean':
        return chance.random() < 0.5
    if kind in ('integer', 'number'):
        return chance.choice([0, 1, 2, 7, 100, 9999])
    if kind == 'array':
        return [chance.choice(TEXTS) for _ in range(chance.randrange(1, 4))]
    if kind == 'object':
        return {chance.choice(TEXTS): chance.choice(TEXTS)}
    return chance.choice(TEXTS)


def params(row, chance):
    made = dict(row.get('example') or {}) if chance.random() < 0.5 else {}
    for name, schema in row['params']['properties'].items():
        if name in row['params'].get('required', []) or chance.random() < 0.3:
            made[name] = value(schema, chance)
    for name in ('any', 'all'):
        if name in made:
            made[name] = [chance.choice(CONDITIONS)]
    for name in ('timeout_sec', 'sec', 'seconds'):
        if name in made:
            made[name] = 0.01
    return made


def request(methods, number, chance):
    row = methods[chance.choice(list(methods))]
    method, given = row['name'], params(row, chance)
    if method == 'wait_for':
        given['timeout_sec'] = 0.01
        given.pop('seconds', None)
    if chance.random() < 0.15:
        method, given = 'tools/call', {'name': method, 'arguments': given}
    elif chance.random() < 0.02:
        method, given = chance.choice(['resources/list', 'prompts/list', 'tools/list', 'ping',
                                       'notifications/muxbus/hello']), {'pane': '%0'}
    message = {'jsonrpc': '2.0', 'id': number, 'method': method, 'params': given}
    if chance.random() < 0.02:
        message['within'] = 'c1'
    return json.dumps(message).encode() + b'\n'


def fuzz(methods, calls, chance):
    """Returns how many were answered, and how many of these were forbidden."""
    peer, sent, answered, forbidden, waiting = Peer(READERS), 0, 0, 0, set()
    asked = [b''] * 4096
    while answered < calls:
        lines = []
        while len(waiting) < OPEN_MAX and sent < calls:
            sent += 1
            line = request(methods, sent, chance)
            if b'"notifications/' in line:
                answered += 1  # they are not answered, or by an error that has no place here
                continue
            waiting.add(sent)
            asked[sent % 4096] = line
            lines.append(line)
        peer.send(b''.join(lines))
        if not waiting:
            continue
        try:
            lines = peer.lines()
        except TimeoutError:
            print(f'not ok 1 - no answer to {[asked[number % 4096] for number in waiting][:20]}')
            sys.exit(1)
        for line in lines:
            message = json.loads(line)
            if message.get('id') in waiting:
                waiting.discard(message['id'])
                answered += 1
                forbidden += b'"forbidden"' in line
        if chance.random() < 0.0005:  # another connection, and the subscriptions of this one end
            while waiting:
                for line in peer.lines():
                    number = json.loads(line).get('id')
                    answered += number in waiting
                    waiting.discard(number)
            peer.socket.close()
            peer = Peer(READERS)
    return answered, forbidden


def main():
    calls = int(sys.argv[1])
    seed = int(os.environ.get('MUXBUS_SEED') or time.time())
    chance = random.Random(seed)
    methods = Peer(MUXBUS).call('describe')['methods']
    for name, row in methods.items():
        row['name'] = name
    before, began = settled(), time.monotonic()
    answered, forbidden = fuzz(methods, calls, chance)
    after = settled(before)
    changed = [name for name in sorted(before.keys() | after.keys())
               if before.get(name) != after.get(name)]
    print(f'# seed {seed}: {answered} calls, {forbidden} forbidden, '
          f'{time.monotonic() - began:.1f} s')
    for name in changed:
        old, new = str(before.get(name)).split('\n'), str(after.get(name)).split('\n')
        print(f'# {name}:')
        for line in [f'- {line}' for line in old if line not in new] + \
                [f'+ {line}' for line in new if line not in old]:
            print(f'#   {line[:500]}')
    print(('not ok' if changed else 'ok') + ' 1 - nothing has changed in tmux, files and journal')
    print(('ok' if forbidden > calls / 10 else 'not ok') + ' 2 - many calls were forbidden')
    print('1..2')
    sys.exit(1 if changed or forbidden <= calls / 10 else 0)


main()
