#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A peer in a pane, for roles.t: role_peer.py SOCKET OUT STEP...

Steps, in order: a JSON object is a request, whose answer is appended to OUT; MADE in it is the pane
that the last create_pane made, and FILE:PATH" the text of a file; wait:FILE waits until FILE is
there; connect connects again; give:PATH hands the connection to the peer that takes it at PATH;
take:PATH.
"""
import json
import os
import re
import signal
import socket
import sys
import time


def wait_for(path):
    for _ in range(3000):
        if os.path.exists(path):
            return
        time.sleep(0.01)
    sys.exit('no ' + path)


def connect(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    return peer


def ask(peer, line):
    peer.sendall(line.encode() + b'\n')
    answer = b''
    while not answer.endswith(b'\n'):
        part = peer.recv(65536)
        if not part:
            return 'closed\n'
        answer += part
    return answer.decode()


def main():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    out = open(sys.argv[2], 'a')
    peer = connect(sys.argv[1])
    made = ''
    for step in sys.argv[3:]:
        if step.startswith('{'):
            step = re.sub('FILE:([^"]*)', lambda at: open(at[1]).read().strip(), step)
            answer = ask(peer, step.replace('MADE', made))
            if '"create_' in step:
                made = (json.loads(answer).get('result') or {}).get('pane') or made
            out.write(answer)
            out.flush()
        elif step == 'connect':
            peer = connect(sys.argv[1])
        elif step.startswith('wait:'):
            wait_for(step[5:])
        elif step.startswith('give:'):
            wait_for(step[5:])
            socket.send_fds(connect(step[5:]), [b'x'], [peer.fileno()])
        elif step.startswith('take:'):
            taker = socket.socket(socket.AF_UNIX)
            taker.bind(step[5:] + '.new')
            taker.listen(1)
            os.rename(step[5:] + '.new', step[5:])
            giver, _ = taker.accept()
            fds = socket.recv_fds(giver, 1, 1)[1]
            peer = socket.socket(fileno=fds[0])
    out.write('end\n')


main()
