# SPDX-License-Identifier: ISC
"""A client without asyncio, for scripts: each method waits for its result.

    with muxbus.sync.Client() as bus:
        pane = bus.create_pane(command="make")["pane"]
        bus.wait_for(any=[{"exited": pane}], timeout_sec=600)
        for event in bus.events("pane_closed"):
            print(event["pane"])

Threads may share a client."""
from __future__ import annotations

import asyncio
import threading
from typing import Any, Coroutine, Dict, Iterator, Optional, TypeVar

from . import client
from .methods import EventKind, SyncMethods

T = TypeVar("T")


class Client(SyncMethods):
    """A connection to the daemon at path: by default that of muxbus.Client. It connects
    again when the daemon was restarted, as muxbus.Client with reconnect, unless reconnect is
    false. timeout bounds each request, in seconds; TimeoutError says that it passed. The methods
    that wait (wait_for, next_notification, sleep) have their own."""

    def __init__(
        self, path: Optional[str] = None, *, reconnect: bool = True, timeout: Optional[float] = None
    ) -> None:
        self.timeout = timeout
        self._client = client.Client(path, reconnect=reconnect)
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    @property
    def path(self) -> str:
        """The socket of the daemon."""
        return self._client.path

    def __enter__(self) -> Client:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="muxbus", daemon=True)
        self._thread.start()
        try:
            self._run(self._client.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; requests of other threads raise ConnectionError."""
        if self._loop is not None:
            self._run(self._client.aclose())
            self._stop()

    def _stop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()

    def _run(self, work: Coroutine[Any, Any, T], timeout: Optional[float] = None) -> T:
        """Also when the caller is interrupted, the work ends."""
        if self._loop is None:
            work.close()
            raise ConnectionError("there is no connection")
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, timeout), self._loop)
        try:
            return future.result()
        except asyncio.TimeoutError:
            raise TimeoutError(f"muxbusd has not answered within {timeout} s") from None
        except BaseException:
            future.cancel()
            raise

    def request(self, method: str, /, **params: Any) -> Any:
        """Asks and waits for the result. Any method will do, also of a daemon that is newer than
        this binding."""
        waits = method in _OWN_TIME or "timeout_sec" in params and params["timeout_sec"] is not None
        return self._run(self._client.request(method, **params), None if waits else self.timeout)

    def events(self, *kinds: EventKind, **filters: Any) -> Iterator[Dict[str, Any]]:
        """Subscribes, and yields events until the loop that reads them is left. filters are the
        parameters of subscribe, such as panes and after."""
        stream = self._client.events(*kinds, **filters)
        try:
            while True:
                try:
                    yield self._run(stream.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            if self._loop is not None:
                self._run(stream.aclose())


_OWN_TIME = ("wait_for", "wait_for_idle", "next_notification", "sleep", "gemini_sleep", "execute_cli", "yield_turn")
