# SPDX-License-Identifier: ISC
"""Sessions, windows and panes as objects, for scripts that were written for libtmux: the same
names, answered by the daemon.

    with muxbus.Server() as server:
        session = server.new_session("work")
        pane = session.new_window("build").split()
        pane.send_keys("make")
        pane.wait_for(prompt=True)
        print("\\n".join(pane.capture_pane()))

An object has an id, and reads all else when it is asked for: it is never old. What is gone raises
MuxbusError with the kind no_such_pane, no_such_window or no_such_session."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import sync
from .client import MuxbusError

DIRECTIONS = {"-h": "horizontal", "-v": "vertical"}


class Answer(NamedTuple):
    """What a command of tmux printed."""

    stdout: List[str]
    stderr: List[str]
    returncode: int


def _lines(text: str) -> List[str]:
    """The lines of a text without the empty ones at its end. Only a newline ends a line."""
    return text.rstrip("\n").split("\n") if text.strip("\n") else []


def _options(*given: Tuple[str, Any]) -> List[Any]:
    """Options of a tmux command with their values; None: left out."""
    return [word for pair in given if pair[1] is not None for word in pair]


class _Object:
    """What has an id: two with the same id are equal."""

    def __init__(self, server: Server, id: str) -> None:
        self.server = server
        self.id = id

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, _Object) and (
            other.id == self.id and other.server is self.server)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def cmd(self, command: str, *words: Any) -> Answer:
        """Runs a command of tmux on this object: -t names it."""
        return self.server.cmd(command, "-t", self.id, *words)

    def _do(self, command: str, *words: Any) -> Any:
        self.server._run(command, "-t", self.id, *words)
        return self


class Server:
    """The tmux server of the daemon at path: by default that of muxbus.Client. bus has the
    methods of muxbusd."""

    def __init__(self, path: Optional[str] = None, *, timeout: Optional[float] = None) -> None:
        self.bus = sync.Client(path, timeout=timeout)

    def __enter__(self) -> Server:
        self.bus.__enter__()
        return self

    def __exit__(self, *_: Any) -> None:
        self.bus.close()

    def _run(self, *words: Any) -> str:
        return self.bus.run_tmux(command=[str(word) for word in words])["output"]

    def cmd(self, *words: Any) -> Answer:
        """Runs a command of tmux. What tmux or muxbusd refuses is in stderr; that raises nothing."""
        try:
            return Answer(_lines(self._run(*words)), [], 0)
        except MuxbusError as error:
            return Answer([], str(error).splitlines(), 1)

    @property
    def sessions(self) -> List[Session]:
        return [Session(self, row["session"]) for row in self.bus.list_sessions()["sessions"]]

    def _windows(self, **where: str) -> List[Window]:
        return [Window(self, row["window"]) for row in self.bus.list_windows(**where)["windows"]]

    def _panes(self, **where: str) -> List[Pane]:
        return [Pane(self, row["pane"]) for row in self.bus.list_panes(**where)["panes"]]

    windows = property(_windows)
    panes = property(_panes)

    def has_session(self, name: str) -> bool:
        try:
            return self.session(name) is not None
        except KeyError:
            return False

    def session(self, name: str) -> Session:
        """The session with this name, or KeyError."""
        for row in self.bus.list_sessions()["sessions"]:
            if row["name"] == name:
                return Session(self, row["session"])
        raise KeyError(name)

    def new_session(
        self,
        session_name: Optional[str] = None,
        *,
        start_directory: Optional[str] = None,
        window_name: Optional[str] = None,
        window_command: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
    ) -> Session:
        """A new session without a client, of x columns and y rows."""
        made = self.bus.create_session(
            name=session_name, cwd=start_directory, window_name=window_name, command=window_command,
            env=environment, width=x, height=y)
        return Session(self, made["session"])

    def kill_session(self, name: str) -> None:
        self.session(name).kill()


class Session(_Object):
    """A session; id is such as $1."""

    @property
    def row(self) -> Dict[str, Any]:
        """What list_sessions says of it."""
        return _find(self.server.bus.list_sessions()["sessions"], "session", self.id)

    session_id = property(lambda self: self.id)
    session_name = name = property(lambda self: self.row["name"])
    session_attached = property(lambda self: self.row["attached"])

    @property
    def windows(self) -> List[Window]:
        return self.server._windows(session=self.id)

    @property
    def panes(self) -> List[Pane]:
        return self.server._panes(session=self.id)

    @property
    def active_window(self) -> Window:
        return Window(self.server, self.row["current_window"])

    @property
    def active_pane(self) -> Pane:
        return self.active_window.active_pane

    def new_window(
        self,
        window_name: Optional[str] = None,
        *,
        start_directory: Optional[str] = None,
        attach: bool = False,
        window_index: Optional[Union[int, str]] = None,
        window_shell: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
    ) -> Window:
        """A new window, which runs window_shell, else a shell; with attach it becomes current."""
        made = self.server.bus.create_window(
            session=self.id, name=window_name, cwd=start_directory, focus=attach,
            index=int(window_index) if window_index not in (None, "") else None,
            command=window_shell, env=environment)
        return Window(self.server, made["window"])

    def rename_session(self, new_name: str) -> Session:
        return self._do("rename-session", "--", new_name.replace("#", "##"))

    def kill(self) -> None:
        self.server.bus.close_session(session=self.id, force=True)

    kill_session = kill


class Window(_Object):
    """A window; id is such as @1."""

    @property
    def row(self) -> Dict[str, Any]:
        """What list_windows says of it."""
        return _find(self.server.bus.list_windows()["windows"], "window", self.id)

    window_id = property(lambda self: self.id)
    window_name = name = property(lambda self: self.row["name"])
    window_index = index = property(lambda self: self.row["index"])
    window_layout = property(lambda self: self.row["layout"])
    window_width = property(lambda self: self.row["width"])
    window_height = property(lambda self: self.row["height"])

    @property
    def session(self) -> Session:
        return Session(self.server, self.row["sessions"][0])

    @property
    def panes(self) -> List[Pane]:
        return self.server._panes(window=self.id)

    @property
    def active_pane(self) -> Pane:
        return Pane(self.server, self.row["active_pane"])

    def split(self, **given: Any) -> Pane:
        """Splits its active pane: see Pane.split."""
        return self.active_pane.split(**given)

    split_window = split

    def rename_window(self, new_name: str) -> Window:
        return self._do("rename-window", "--", new_name.replace("#", "##"))

    def select_layout(self, layout: str) -> Window:
        return self._do("select-layout", "--", layout)

    def select(self) -> Window:
        return self._do("select-window")

    def resize(self, *, width: Optional[int] = None, height: Optional[int] = None) -> Window:
        return self._do("resize-window", *_options(("-x", width), ("-y", height)))

    def kill(self) -> None:
        self.server.bus.close_window(window=self.id, force=True)

    kill_window = kill


class Pane(_Object):
    """A pane; id is such as %1."""

    @property
    def row(self) -> Dict[str, Any]:
        """What get_pane says of it."""
        return dict(self.server.bus.get_pane(pane=self.id))

    pane_id = property(lambda self: self.id)
    pane_index = index = property(lambda self: self.row["pane_index"])
    pane_title = title = property(lambda self: self.row["title"])
    pane_current_command = property(lambda self: self.row["command"])
    pane_current_path = property(lambda self: self.row["path"])
    pane_pid = property(lambda self: self.row["pid"])
    pane_width = width = property(lambda self: self.row["width"])
    pane_height = height = property(lambda self: self.row["height"])
    pane_active = property(lambda self: self.row["active"])
    pane_dead = property(lambda self: self.row["dead"])

    @property
    def window(self) -> Window:
        return Window(self.server, self.row["window"])

    @property
    def session(self) -> Session:
        return Session(self.server, self.row["session"])

    def send_keys(
        self,
        cmd: str,
        enter: bool = True,
        suppress_history: bool = False,
        literal: bool = False,
        force: bool = False,
    ) -> Pane:
        """Types a key ("C-c") or a text, and Enter. Where a person types or has typed half a line
        it is refused without force. suppress_history: a blank before it."""
        text = " " + cmd if suppress_history else cmd
        if literal:
            self.server.bus.send_text(pane=self.id, text=text, enter=enter, force=force)
        else:
            keys = [text, "Enter"] if enter else [text]
            self.server.bus.send_keys(pane=self.id, keys=keys, force=force)
        return self

    def enter(self) -> Pane:
        self.server.bus.send_keys(pane=self.id, keys=["Enter"])
        return self

    def capture_pane(
        self, start: Optional[Union[int, str]] = None, end: Optional[Union[int, str]] = None
    ) -> List[str]:
        """The lines of its screen; start -100 begins 100 lines above it, "-" at the first one."""
        words = _options(("-S", start), ("-E", end))
        return _lines(self.server._run("capture-pane", "-p", "-t", self.id, *words))

    def wait_for(self, timeout: float = 600, **condition: Any) -> Dict[str, Any]:
        """Waits for a condition of wait_for on this pane, without asking again and again:
        output="ready", screen="[$] $", prompt=True, quiet_sec=5, exited=True. TimeoutError says
        that it did not come."""
        if condition.get("exited") is True:
            condition["exited"] = self.id
        else:
            condition["pane"] = self.id
        answer = self.server.bus.wait_for(any=[condition], timeout_sec=timeout)
        if answer["timed_out"]:
            raise TimeoutError(f"{condition} has not come within {timeout} s")
        return dict(answer["conditions"][0])

    def split(
        self,
        *,
        direction: str = "-v",
        vertical: Optional[bool] = None,
        start_directory: Optional[str] = None,
        attach: bool = False,
        size: Optional[Union[int, str]] = None,
        shell: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
    ) -> Pane:
        """A new pane beside it: below, or with direction horizontal to its right."""
        if vertical is not None:
            direction = "vertical" if vertical else "horizontal"
        made = self.server.bus.create_pane(
            pane=self.id, direction=DIRECTIONS.get(direction, direction), focus=attach, size=size,
            cwd=start_directory, command=shell, env=environment)
        return Pane(self.server, made["pane"])

    split_window = split

    def select(self) -> Pane:
        self.server.bus.focus_pane(pane=self.id)
        return self

    select_pane = select

    def resize(self, *, width: Optional[int] = None, height: Optional[int] = None) -> Pane:
        return self._do("resize-pane", *_options(("-x", width), ("-y", height)))

    def kill(self) -> None:
        self.server.bus.close_pane(pane=self.id, force=True)


def _find(rows: Any, member: str, id: str) -> Dict[str, Any]:
    for row in rows:
        if row[member] == id:
            return dict(row)
    raise MuxbusError({"code": 1, "message": f"{member} {id} is gone", "data": {"kind": "no_such_" + member}})
