# SPDX-License-Identifier: ISC
"""Providers: functions that become methods of muxbusd, for all of its peers.

    @muxbus.method(effects=["reads"])
    async def word_count(text: str) -> dict:
        "Counts the words of a text."
        return {"words": len(text.split())}

    asyncio.run(muxbus.serve(word_count))"""
from __future__ import annotations

import asyncio
import inspect
import json
import types
import typing
from typing import Any, Awaitable, Callable, Dict, List, Optional, Sequence

from . import client

Function = Callable[..., Awaitable[Dict[str, Any]]]

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


class Method:
    """A function with its row."""

    def __init__(self, function: Function, row: Dict[str, Any]) -> None:
        self.function = function
        self.row = row

    def __call__(self, *args: Any, **params: Any) -> Awaitable[Dict[str, Any]]:
        return self.function(*args, **params)


def _schema(kind: Any) -> Dict[str, Any]:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, getattr(types, "UnionType", None)):  # Optional[int], int | None
        return _schema(next(one for one in args if one is not type(None)))
    if origin is typing.Literal:
        return {"type": "string", "enum": list(args)}
    if (origin or kind) not in TYPES:
        raise TypeError(f"a parameter of a method cannot be {kind}")
    schema: Dict[str, Any] = {"type": TYPES[origin or kind]}
    if origin is list and args and args[0] in TYPES:
        schema["items"] = {"type": TYPES[args[0]]}
    return schema


def _row(function: Function, more: Dict[str, Any]) -> Dict[str, Any]:
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"the function of a method must be async: {function!r}")
    hints = typing.get_type_hints(function)
    properties: Dict[str, Any] = {}
    required: List[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        properties[name] = _schema(hints.get(name, str))
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        elif parameter.default is not None and properties[name]["type"] not in ("array", "object"):
            properties[name]["default"] = parameter.default
    row = {"name": function.__name__, "summary": (function.__doc__ or function.__name__).strip().split("\n")[0],
           "parameters": {"type": "object", "properties": properties, "required": required}}
    row.update({name: value for name, value in more.items() if value is not None})
    return row


def method(function: Optional[Function] = None, /, *, effects: Optional[Sequence[str]] = None,
           **more: Any) -> Any:
    """Makes a method of an async function, whose parameters have types, and which returns a dict.
    effects and more are members of its row, as muxbus-protocol(7) has them."""
    if function is None:
        return lambda given: method(given, effects=effects, **more)
    return Method(function, _row(function, {"effects": effects, **more}))


class _Provider(client.Client):
    """A connection that answers calls."""

    def __init__(self, path: Optional[str], methods: Sequence[Method]) -> None:
        super().__init__(path)
        self.methods = {one.row["name"]: one for one in methods}
        self.calls: Dict[str, asyncio.Task[None]] = {}
        self.ended = asyncio.Event()

    def _end(self, error: Exception) -> None:
        super()._end(error)
        calls, self.calls = self.calls, {}
        for call in calls.values():
            call.cancel()
        self.ended.set()

    def _take(self, message: Dict[str, Any]) -> None:
        if message.get("method") == "cancel":
            call = self.calls.pop(message["params"]["id"], None)
            if call is not None:
                call.cancel()
        elif "method" in message and "id" in message:
            self.calls[message["id"]] = asyncio.ensure_future(self._answer(message))
        else:
            super()._take(message)

    def _say(self, message: Dict[str, Any]) -> None:
        if self._writer is not None and self._reader is not None:
            self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def _answer(self, message: Dict[str, Any]) -> None:
        call = message["id"]
        client.within.set(call)
        _current.set(self)
        try:
            result = await self.methods[message["method"]].function(**message["params"])
            self._say({"id": call, "result": result})
        except asyncio.CancelledError:
            if call not in self.calls:
                raise
            self._say({"id": call, "error": {"code": 1, "message": "a task of the method was cancelled"}})
        except Exception as error:  # the caller gets it
            text = (str(error) or type(error).__name__).encode("utf-8", "replace").decode().replace("\0", "?")
            self._say({"id": call, "error": {"code": 1, "message": text}})
        finally:
            self.calls.pop(call, None)


_current: client.ContextVar[Optional[_Provider]] = client.ContextVar("provider", default=None)
_last: List[_Provider] = []


def progress(text: Optional[str] = None, done: Optional[float] = None, of: Optional[float] = None) -> None:
    """Reports how far the call is that is answered just now."""
    provider, given = _current.get(), {"text": text, "done": done, "of": of}
    if provider is not None:
        params = {name: value for name, value in given.items() if value is not None}
        provider._say({"method": "progress", "params": {"id": client.within.get(), **params}})


def publish(kind: str, **data: Any) -> None:
    """Publishes an event of the provider; without a connection it is lost."""
    for provider in _last:
        provider._say({"method": "publish", "params": {"kind": kind, "data": data}})


async def serve(*methods: Method, path: Optional[str] = None) -> None:
    """Provides the methods until the task is cancelled: connects, and again when the daemon was
    restarted. Raises MuxbusError if the daemon refuses them."""
    delay = client.RETRY_SEC[0]
    client.serves = True
    while True:
        try:
            async with _Provider(path, methods) as provider:
                await provider.request("provide", methods=[one.row for one in methods])
                _last[:] = [provider]
                delay = client.RETRY_SEC[0]
                await provider.ended.wait()
        except OSError:
            pass
        _last.clear()
        await asyncio.sleep(delay)
        delay = min(2 * delay, client.RETRY_SEC[1])
