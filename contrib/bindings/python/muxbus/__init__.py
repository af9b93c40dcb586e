# SPDX-License-Identifier: ISC
"""A client of muxbusd for asyncio, of the standard library alone:

    async with muxbus.Client() as bus:
        pane = await bus.create_pane(command="make")
        await bus.wait_for(any=[{"exited": pane["pane"]}], timeout_sec=600)
        async for event in bus.events("pane_created", "pane_closed"):
            print(event["kind"], event["pane"])

muxbus.sync.Client is the same without asyncio, muxbus.Server has sessions, windows and panes as
objects. Functions become methods for all peers of the daemon with muxbus.method and muxbus.serve.

Requests may run at the same time; each is a task of its own. muxbus-protocol(7) describes the
methods, which help(muxbus.Client) lists."""
from . import sync
from .client import Client, MuxbusError
from .methods import EventKind
from .provider import Method, method, progress, publish, serve
from .server import Pane, Server, Session, Window

__all__ = ["Client", "EventKind", "Method", "MuxbusError", "Pane", "Server", "Session", "Window",
           "method", "progress", "publish", "serve", "sync"]
