# SPDX-License-Identifier: ISC
"""The connection of the binding: requests, responses and events over one socket."""
from __future__ import annotations

import asyncio
import json
import os
from contextvars import ContextVar
from typing import Any, AsyncIterator, Dict, NamedTuple, Optional

from .methods import EventKind, Methods

LINE_MAX = 64 * 1024 * 1024  # bytes of a line of the daemon
EVENTS_MAX = 10000  # that wait for a reader; then the reader gets a gap
RETRY_SEC = (0.1, 5.0)  # the first delay before another connection, and the longest

# The call that a provider answers just now: its own requests are made within the call.
within: ContextVar[Optional[str]] = ContextVar("within", default=None)
serves = False  # this process is a provider


class MuxbusError(Exception):
    """A failed request: kind is the kind of error ("no_such_pane"), data has details."""

    def __init__(self, error: Dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.data: Dict[str, Any] = error.get("data") or {}
        self.kind: Optional[str] = self.data.get("kind")


class _Subscription:
    """Events of one subscription that wait for their reader; None ends them."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Optional[Dict[str, Any]]] = asyncio.Queue()
        self.lost: Optional[Dict[str, Any]] = None
        self.name: Any = None  # once the daemon has given it
        self.is_left = False  # nothing reads the events

    def put(self, event: Dict[str, Any]) -> None:
        if self.queue.qsize() < EVENTS_MAX and self.lost is None:
            self.queue.put_nowait(event)
            return
        if self.lost is None:
            self.lost = {"kind": "gap", "from": event["seq"], "reason": "slow_reader"}
        self.lost["to"] = event["seq"]

    async def get(self) -> Optional[Dict[str, Any]]:
        if self.queue.empty() and self.lost is not None:
            lost, self.lost = self.lost, None
            return lost
        return await self.queue.get()


class _Request(NamedTuple):
    """A request without a response, and the subscription that the response names, if any."""

    result: asyncio.Future[Any]
    subscription: Optional[_Subscription]


def _behind(after: Any, event: Dict[str, Any]) -> Any:
    """Where events go on; of a fleet, each host has numbers of its own."""
    last = event.get("to", event.get("seq"))
    if "host" not in event or "server" not in event:
        return after if last is None else last
    after = dict(after) if isinstance(after, dict) else {}
    if last is not None:
        after[f"{event['host']}/{event['server']}"] = last
    elif event.get("kind") == "gap":  # its numbers begin anew
        after.pop(f"{event['host']}/{event['server']}", None)
    return after


def _socket() -> str:
    tmux = os.environ.get("TMUX", "").split(",")[0]
    folder = os.environ.get("TMUX_TMPDIR") or "/tmp"
    return os.environ.get("MUXBUS") or (tmux or f"{folder}/tmux-{os.getuid()}/default") + ".muxbus"


class Client(Methods):
    """A connection to the daemon at path: by default $MUXBUS, else that of $TMUX, else that of
    tmux's default server.

    With reconnect it connects again when the daemon was restarted: requests wait for it, and
    events go on behind the last one. A request that was under way raises ConnectionError, since
    it may have been done; with the parameter key it can be made again, and is done once."""

    def __init__(self, path: Optional[str] = None, *, reconnect: bool = False) -> None:
        self.reconnect = reconnect
        self._again: Optional[asyncio.Task[None]] = None  # makes the next connection
        self.path = path or _socket()
        self._last_id = 0
        self._waiting: Dict[int, _Request] = {}
        self._subscriptions: Dict[str, _Subscription] = {}
        self._reader: Optional[asyncio.Task[None]] = None
        self._writer: Optional[asyncio.StreamWriter] = None

    async def __aenter__(self) -> Client:
        self._writing = asyncio.Lock()
        await self._connect()
        return self

    async def _connect(self) -> None:
        try:
            reader, self._writer = await asyncio.open_unix_connection(self.path, limit=LINE_MAX)
        except OSError as error:
            error.filename = self.path
            raise
        self._reader = asyncio.ensure_future(self._read(reader))

    async def _connect_again(self) -> None:
        delay = RETRY_SEC[0]
        while True:
            await asyncio.sleep(delay)
            delay = min(2 * delay, RETRY_SEC[1])
            try:
                await self._connect()
            except OSError:
                continue
            self._again = None
            return

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connection; requests that wait for a response fail."""
        self.reconnect = False
        for task in (self._again, self._reader):
            if task is not None:
                task.cancel()
        self._again = None
        self._end(ConnectionError("the connection was closed"))
        writer, self._reader, self._writer = self._writer, None, None
        if writer is not None:
            writer.close()
            try:
                await writer.wait_closed()
            except OSError:
                pass

    def _end(self, error: Exception) -> None:
        for request in self._waiting.values():
            if not request.result.done():
                request.result.set_exception(error)
        self._waiting.clear()
        for subscription in self._subscriptions.values():
            subscription.queue.put_nowait(None)
        self._subscriptions.clear()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        error: Exception = ConnectionError("muxbusd closed the connection")
        try:
            while (line := await reader.readline()).endswith(b"\n"):
                self._take(json.loads(line))
        except (OSError, ValueError) as failure:
            error = ConnectionError(str(failure))
        self._reader = None
        if self._writer is not None:
            self._writer.close()
        if self.reconnect:
            self._again = asyncio.ensure_future(self._connect_again())
        self._end(error)

    def _take(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "event":
            subscription = self._subscriptions.get(message["params"].get("subscription"))
            if subscription is not None:
                subscription.put(message["params"])
            return
        if (message.get("error", {}).get("data") or {}).get("daemon_ends"):
            return  # the connection ends next, and says so to all
        request = self._waiting.pop(message.get("id"), None)
        if request is None:
            return
        if "result" in message and request.subscription is not None:
            name = request.subscription.name = message["result"]["subscription"]
            if request.subscription.is_left:
                self._unsubscribe(name)
            else:  # at once: its events may follow
                self._subscriptions[name] = request.subscription
        if request.result.done():
            return
        if "error" in message:
            request.result.set_exception(MuxbusError(message["error"]))
        else:
            request.result.set_result(message["result"])

    def _unsubscribe(self, name: str) -> None:
        """Does not wait for the response, since a task that is cancelled cannot."""
        if self._reader is not None and self._writer is not None:
            self._send("unsubscribe", {"subscription": name})

    def _send(self, method: str, params: Dict[str, Any]) -> int:
        assert self._writer is not None
        self._last_id += 1
        line = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        if serves:
            line["within"] = within.get()
        self._writer.write(json.dumps(line).encode() + b"\n")
        return self._last_id

    async def _ask(
        self, method: str, params: Dict[str, Any], subscription: Optional[_Subscription] = None
    ) -> Any:
        while self._again is not None:
            await asyncio.wait([self._again])  # which aclose may cancel
        if self._reader is None or self._writer is None:
            raise ConnectionError("there is no connection")
        result = asyncio.get_running_loop().create_future()
        given = {name: value for name, value in params.items() if value is not None}
        self._waiting[self._send(method, given)] = _Request(result, subscription)
        async with self._writing:
            try:
                await self._writer.drain()
            except OSError:
                pass  # the end of the connection is told by the result
        return await result

    async def request(self, method: str, /, **params: Any) -> Any:
        """Asks and waits for the result, without a timeout. Any method will do, also of a daemon
        that is newer than this binding."""
        return await self._ask(method, params)

    async def events(self, *kinds: EventKind, **filters: Any) -> AsyncIterator[Dict[str, Any]]:
        """Subscribes, and yields events until the loop that reads them is left. filters are the
        parameters of subscribe, such as panes and after. A gap stands for lost events."""
        subscription = _Subscription()
        params = {"kinds": list(kinds) or None, **filters}
        try:
            while True:
                try:
                    begun = await self._ask("subscribe", params, subscription)
                except ConnectionError:
                    if not self.reconnect:
                        raise
                    continue
                if params.get("after") is None:
                    params["after"] = begun.get("seq")  # a fleet has none
                while (event := await subscription.get()) is not None:
                    params["after"] = _behind(params["after"], event)
                    yield event
                if not self.reconnect:
                    raise ConnectionError("muxbusd closed the connection")
        finally:
            subscription.is_left = True  # also if the task is cancelled before the response
            if self._subscriptions.get(subscription.name) is subscription:  # not the next daemon's
                del self._subscriptions[subscription.name]
                self._unsubscribe(subscription.name)
