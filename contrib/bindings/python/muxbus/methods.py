# SPDX-License-Identifier: ISC
"""The methods of muxbusd and the types of their results. Made by contrib/bindings/generate from
`muxbusd describe`: change the tables of the daemon instead."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

EventKind = Literal[
    "active_pane_changed",
    "agent_reported",
    "agent_state",
    "bell",
    "client_attached",
    "client_detached",
    "command_changed",
    "command_finished",
    "command_started",
    "delivery",
    "gap",
    "host_state",
    "layout_changed",
    "line",
    "mode_changed",
    "notification",
    "pane_closed",
    "pane_created",
    "pane_exited",
    "pane_moved",
    "pane_output",
    "pane_quiet",
    "path_changed",
    "program_notified",
    "progress_changed",
    "server_found",
    "server_lost",
    "session_closed",
    "session_created",
    "session_renamed",
    "title_changed",
    "way_changed",
    "window_closed",
    "window_created",
    "window_renamed",
]

AckNotificationResult = TypedDict(
    "AckNotificationResult",
    {
        "acknowledged": "int",
        "repeated": "bool",
    },
    total=False,
)
BackgroundProcessResult = TypedDict(
    "BackgroundProcessResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "pid": "Union[int, None]",
        "cwd": "str",
        "log": "str",
        "timeout_sec": "Union[float, None]",
        "repeated": "bool",
    },
    total=False,
)
CancelNotificationResult = TypedDict(
    "CancelNotificationResult",
    {
        "seq": "int",
        "repeated": "bool",
    },
    total=False,
)
CancelTimerResult = TypedDict(
    "CancelTimerResult",
    {
        "id": "str",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
CancelWatchResultWatches = TypedDict(
    "CancelWatchResultWatches",
    {
        "id": "str",
        "file": "str",
        "watched_pane": "Union[str, None]",
    },
    total=False,
)
CancelWatchResult = TypedDict(
    "CancelWatchResult",
    {
        "cancelled": "int",
        "durable": "bool",
        "pane": "str",
        "watches": "List[CancelWatchResultWatches]",
        "message": "str",
        "repeated": "bool",
    },
    total=False,
)
CapturePaneResultCursor = TypedDict(
    "CapturePaneResultCursor",
    {
        "row": "int",
        "column": "int",
        "visible": "bool",
    },
    total=False,
)
CapturePaneResult = TypedDict(
    "CapturePaneResult",
    {
        "pane": "str",
        "text": "str",
        "base64": "str",
        "lossy": "bool",
        "format": "str",
        "picture": "str",
        "rows": "int",
        "columns": "int",
        "cursor": "CapturePaneResultCursor",
        "first_row": "Union[int, None]",
        "history_size": "int",
        "alternate_screen": "bool",
        "truncated": "bool",
        "rest": "str",
        "offset": "int",
        "offset_exact": "bool",
    },
    total=False,
)
ClosePaneResult = TypedDict(
    "ClosePaneResult",
    {
        "pane": "str",
        "repeated": "bool",
    },
    total=False,
)
CloseSessionResult = TypedDict(
    "CloseSessionResult",
    {
        "session": "str",
        "repeated": "bool",
    },
    total=False,
)
CloseWindowResult = TypedDict(
    "CloseWindowResult",
    {
        "window": "str",
        "repeated": "bool",
    },
    total=False,
)
CreatePaneResult = TypedDict(
    "CreatePaneResult",
    {
        "pane": "str",
        "window": "str",
        "session": "str",
        "repeated": "bool",
    },
    total=False,
)
CreateSessionResult = TypedDict(
    "CreateSessionResult",
    {
        "pane": "str",
        "window": "str",
        "session": "str",
        "repeated": "bool",
    },
    total=False,
)
CreateWindowResult = TypedDict(
    "CreateWindowResult",
    {
        "pane": "str",
        "window": "str",
        "session": "str",
        "repeated": "bool",
    },
    total=False,
)
DescribeResult = TypedDict(
    "DescribeResult",
    {
        "methods": "Dict[str, Any]",
        "conditions": "Dict[str, Any]",
        "errors": "Dict[str, Any]",
        "events": "Dict[str, Any]",
        "event_members": "Dict[str, Any]",
        "groups": "Dict[str, Any]",
        "limits": "Dict[str, Any]",
        "version": "str",
    },
    total=False,
)
EnsureAgentResult = TypedDict(
    "EnsureAgentResult",
    {
        "agent": "str",
        "state": "str",
        "reason": "str",
        "since": "str",
        "pane": "Union[str, None]",
        "window": "Union[str, None]",
        "session": "Union[str, None]",
        "restarts": "int",
        "restarting": "bool",
        "adopted": "bool",
        "question": "str",
        "evidence": "Dict[str, Any]",
        "started": "bool",
        "durable": "bool",
        "message": "str",
        "repeated": "bool",
    },
    total=False,
)
ExecuteCliResult = TypedDict(
    "ExecuteCliResult",
    {
        "status": "str",
        "stdout": "str",
        "stderr": "str",
        "exit_code": "Union[int, None]",
        "signal": "Union[int, None]",
        "duration_ms": "int",
        "truncated": "bool",
        "rest": "str",
        "note": "Union[str, None]",
        "job": "str",
        "pid": "Union[int, None]",
        "log": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "cwd": "str",
        "repeated": "bool",
    },
    total=False,
)
FindTextResultMatches = TypedDict(
    "FindTextResultMatches",
    {
        "row": "int",
        "column": "int",
        "text": "str",
    },
    total=False,
)
FindTextResult = TypedDict(
    "FindTextResult",
    {
        "pane": "str",
        "matches": "List[FindTextResultMatches]",
        "last": "int",
        "truncated": "bool",
    },
    total=False,
)
FocusPaneResult = TypedDict(
    "FocusPaneResult",
    {
        "pane": "str",
        "repeated": "bool",
    },
    total=False,
)
GeminiSleepResult = TypedDict(
    "GeminiSleepResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "due": "str",
        "replaced": "Union[str, None]",
        "ignored": "bool",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
GetActionHistoryResultActions = TypedDict(
    "GetActionHistoryResultActions",
    {
        "time": "str",
        "method": "str",
        "peer_pid": "int",
        "params": "str",
        "outcome": "Union[str, None]",
        "message": "str",
        "duration_ms": "int",
    },
    total=False,
)
GetActionHistoryResult = TypedDict(
    "GetActionHistoryResult",
    {
        "actions": "List[GetActionHistoryResultActions]",
    },
    total=False,
)
GetJobResult = TypedDict(
    "GetJobResult",
    {
        "id": "str",
        "name": "Union[str, None]",
        "command": "str",
        "cwd": "str",
        "pid": "Union[int, None]",
        "pane": "Union[str, None]",
        "pane_gone": "bool",
        "state": "str",
        "exit_code": "Union[int, None]",
        "signal": "Union[int, None]",
        "started": "str",
        "ended": "Union[str, None]",
        "duration_ms": "Union[int, None]",
        "log": "str",
        "log_bytes": "int",
        "output_bytes": "int",
    },
    total=False,
)
GetPaneResult = TypedDict(
    "GetPaneResult",
    {
        "pane": "str",
        "window": "str",
        "session": "str",
        "session_name": "str",
        "window_index": "int",
        "window_name": "str",
        "sessions": "List[Any]",
        "pane_index": "int",
        "width": "int",
        "height": "int",
        "left": "int",
        "top": "int",
        "active": "bool",
        "title": "str",
        "command": "str",
        "path": "str",
        "pid": "Union[int, None]",
        "tty": "str",
        "dead": "bool",
        "exit_status": "Union[int, None]",
        "signal": "Union[int, None]",
        "signal_name": "str",
        "mode": "Union[str, None]",
        "alternate_screen": "bool",
        "input_off": "bool",
        "synchronized": "bool",
        "mouse": "bool",
        "floating": "bool",
        "last_output": "Union[str, None]",
        "human": "bool",
    },
    total=False,
)
GetToolAnswerResult = TypedDict(
    "GetToolAnswerResult",
    {
        "text": "str",
        "note": "str",
        "images": "List[Any]",
    },
    total=False,
)
ListAgentsResultAgents = TypedDict(
    "ListAgentsResultAgents",
    {
        "agent": "str",
        "state": "str",
        "reason": "str",
        "since": "str",
        "pane": "Union[str, None]",
        "window": "Union[str, None]",
        "session": "Union[str, None]",
        "command": "Union[str, List[Any]]",
        "program_started": "Union[str, None]",
        "restarts": "int",
        "restarting": "bool",
        "adopted": "bool",
        "question": "str",
        "output": "str",
        "evidence": "Dict[str, Any]",
        "tasks": "List[Any]",
    },
    total=False,
)
ListAgentsResult = TypedDict(
    "ListAgentsResult",
    {
        "agents": "List[ListAgentsResultAgents]",
    },
    total=False,
)
ListEventsResult = TypedDict(
    "ListEventsResult",
    {
        "events": "List[Any]",
        "last": "int",
        "more": "bool",
        "gap": "Union[Dict[str, Any], None]",
    },
    total=False,
)
ListHostsResultHosts = TypedDict(
    "ListHostsResultHosts",
    {
        "host": "str",
        "server": "str",
        "target": "str",
        "local": "bool",
        "state": "str",
        "reason": "Union[str, None]",
        "since_sec": "float",
        "version": "Union[str, None]",
        "panes": "Union[int, None]",
        "agents": "Union[int, None]",
        "jobs": "Union[int, None]",
    },
    total=False,
)
ListHostsResultErrors = TypedDict(
    "ListHostsResultErrors",
    {
        "line": "int",
        "text": "str",
    },
    total=False,
)
ListHostsResult = TypedDict(
    "ListHostsResult",
    {
        "hosts": "List[ListHostsResultHosts]",
        "file": "str",
        "errors": "List[ListHostsResultErrors]",
    },
    total=False,
)
ListJobsResult = TypedDict(
    "ListJobsResult",
    {
        "jobs": "List[Any]",
    },
    total=False,
)
ListNotificationsResultNotifications = TypedDict(
    "ListNotificationsResultNotifications",
    {
        "seq": "int",
        "time": "str",
        "source": "str",
        "id": "str",
        "pane": "Union[str, None]",
        "pane_gone": "bool",
        "thread": "str",
        "text": "str",
        "data": "Dict[str, Any]",
        "state": "str",
        "count": "int",
        "delivery": "Union[Dict[str, Any], None]",
        "redelivered": "int",
    },
    total=False,
)
ListNotificationsResult = TypedDict(
    "ListNotificationsResult",
    {
        "notifications": "List[ListNotificationsResultNotifications]",
        "last": "int",
        "more": "bool",
        "gap": "Union[Dict[str, Any], None]",
    },
    total=False,
)
ListPanesResultPanes = TypedDict(
    "ListPanesResultPanes",
    {
        "pane": "str",
        "window": "str",
        "session": "str",
        "session_name": "str",
        "window_index": "int",
        "window_name": "str",
        "sessions": "List[Any]",
        "pane_index": "int",
        "width": "int",
        "height": "int",
        "left": "int",
        "top": "int",
        "active": "bool",
        "title": "str",
        "command": "str",
        "path": "str",
        "pid": "Union[int, None]",
        "tty": "str",
        "dead": "bool",
        "exit_status": "Union[int, None]",
        "signal": "Union[int, None]",
        "signal_name": "str",
        "mode": "Union[str, None]",
        "alternate_screen": "bool",
        "input_off": "bool",
        "synchronized": "bool",
        "mouse": "bool",
        "floating": "bool",
        "last_output": "Union[str, None]",
        "human": "bool",
        "place": "str",
    },
    total=False,
)
ListPanesResult = TypedDict(
    "ListPanesResult",
    {
        "seq": "int",
        "panes": "List[ListPanesResultPanes]",
    },
    total=False,
)
ListSessionsResultSessions = TypedDict(
    "ListSessionsResultSessions",
    {
        "session": "str",
        "name": "str",
        "windows": "int",
        "attached": "int",
        "created": "str",
        "activity": "str",
        "current_window": "str",
        "group": "int",
    },
    total=False,
)
ListSessionsResult = TypedDict(
    "ListSessionsResult",
    {
        "seq": "int",
        "sessions": "List[ListSessionsResultSessions]",
    },
    total=False,
)
ListTimersResultTimers = TypedDict(
    "ListTimersResultTimers",
    {
        "id": "str",
        "pane": "Union[str, None]",
        "pane_gone": "bool",
        "due": "str",
        "recurring": "bool",
        "text": "Union[str, None]",
        "period_sec": "Union[float, None]",
        "durable": "bool",
    },
    total=False,
)
ListTimersResult = TypedDict(
    "ListTimersResult",
    {
        "count": "int",
        "timers": "List[ListTimersResultTimers]",
    },
    total=False,
)
ListToolsResultTools = TypedDict(
    "ListToolsResultTools",
    {
        "name": "str",
        "group": "Union[str, None]",
        "state": "str",
        "reason": "Union[str, None]",
        "kind": "Union[str, None]",
        "description": "Union[str, None]",
        "file": "str",
        "server": "Union[str, None]",
    },
    total=False,
)
ListToolsResultServers = TypedDict(
    "ListToolsResultServers",
    {
        "name": "str",
        "pane": "Union[str, None]",
        "state": "str",
        "pid": "Union[int, None]",
        "rss_bytes": "Union[int, None]",
        "calls": "int",
        "running": "int",
        "reason": "Union[str, None]",
    },
    total=False,
)
ListToolsResult = TypedDict(
    "ListToolsResult",
    {
        "tools": "List[ListToolsResultTools]",
        "servers": "List[ListToolsResultServers]",
    },
    total=False,
)
ListWatchesResultWatches = TypedDict(
    "ListWatchesResultWatches",
    {
        "id": "str",
        "kind": "str",
        "file": "Union[str, None]",
        "watched_pane": "Union[str, None]",
        "condition": "Dict[str, Any]",
        "watched_pane_gone": "bool",
        "pane": "Union[str, None]",
        "pane_gone": "bool",
        "regex": "Union[str, None]",
        "wake_on_change": "bool",
        "once": "bool",
        "created": "str",
        "due": "str",
        "state": "str",
        "reason": "str",
        "mode": "str",
        "mode_reason": "str",
        "offset": "Union[int, None]",
        "count": "int",
        "limit_hits": "int",
    },
    total=False,
)
ListWatchesResult = TypedDict(
    "ListWatchesResult",
    {
        "watches": "List[ListWatchesResultWatches]",
    },
    total=False,
)
ListWindowsResultWindows = TypedDict(
    "ListWindowsResultWindows",
    {
        "window": "str",
        "sessions": "List[Any]",
        "index": "int",
        "name": "str",
        "width": "int",
        "height": "int",
        "layout": "str",
        "active_pane": "str",
        "panes": "int",
        "zoomed": "bool",
        "bell": "bool",
        "activity": "bool",
        "silence": "bool",
        "links": "List[Any]",
    },
    total=False,
)
ListWindowsResult = TypedDict(
    "ListWindowsResult",
    {
        "seq": "int",
        "windows": "List[ListWindowsResultWindows]",
    },
    total=False,
)
MeterResult = TypedDict(
    "MeterResult",
    {
        "since": "str",
        "waits_answered": "int",
        "polls_avoided": "int",
        "wakes": "int",
        "wakes_coalesced": "int",
        "turns_avoided": "int",
        "by_source": "Dict[str, Any]",
    },
    total=False,
)
NextNotificationFilter = TypedDict(
    "NextNotificationFilter",
    {
        "pane": "str",
        "source": "Literal[\"command\", \"condition\", \"job\", \"post\", \"program\", \"timer\", \"tool\", \"watch\"]",
        "id": "str",
        "urgent": "bool",
    },
    total=False,
)
NextNotificationResultNotifications = TypedDict(
    "NextNotificationResultNotifications",
    {
        "seq": "int",
        "time": "str",
        "source": "str",
        "id": "str",
        "pane": "Union[str, None]",
        "pane_gone": "bool",
        "thread": "str",
        "text": "str",
        "data": "Dict[str, Any]",
        "state": "str",
        "count": "int",
        "delivery": "Union[Dict[str, Any], None]",
        "redelivered": "int",
    },
    total=False,
)
NextNotificationResult = TypedDict(
    "NextNotificationResult",
    {
        "notifications": "List[NextNotificationResultNotifications]",
        "last": "int",
        "more": "bool",
        "gap": "Union[Dict[str, Any], None]",
        "repeated": "bool",
    },
    total=False,
)
PostNotificationResult = TypedDict(
    "PostNotificationResult",
    {
        "seq": "int",
        "id": "str",
        "durable": "bool",
        "wake": "Dict[str, Any]",
        "repeated": "bool",
    },
    total=False,
)
ReadJobResult = TypedDict(
    "ReadJobResult",
    {
        "job": "str",
        "text": "str",
        "base64": "str",
        "lossy": "bool",
        "from": "int",
        "to": "int",
        "end": "int",
        "running": "bool",
    },
    total=False,
)
ReadOutputResult = TypedDict(
    "ReadOutputResult",
    {
        "pane": "str",
        "text": "str",
        "base64": "str",
        "lossy": "bool",
        "from": "int",
        "to": "int",
        "end": "int",
        "gap": "Union[Dict[str, Any], None]",
    },
    total=False,
)
ReadRestResult = TypedDict(
    "ReadRestResult",
    {
        "text": "str",
        "from": "int",
        "to": "int",
        "size": "int",
    },
    total=False,
)
ReportAgentResult = TypedDict(
    "ReportAgentResult",
    {
        "pane": "Union[str, None]",
        "agent": "str",
        "session": "Union[str, None]",
        "state": "str",
        "taken": "bool",
        "queued": "int",
        "repeated": "bool",
    },
    total=False,
)
ResizePaneResult = TypedDict(
    "ResizePaneResult",
    {
        "pane": "str",
        "width": "int",
        "height": "int",
        "repeated": "bool",
    },
    total=False,
)
RespondResult = TypedDict(
    "RespondResult",
    {
        "agent": "str",
        "task": "str",
        "id": "str",
        "position": "int",
        "durable": "bool",
        "outcome": "str",
        "reason": "str",
        "text": "str",
        "pane": "str",
        "from": "int",
        "to": "int",
        "text_from": "int",
        "truncated": "bool",
        "rest": "str",
        "gap": "bool",
        "question": "str",
        "secret": "bool",
        "screen": "str",
        "exit_status": "int",
        "elapsed_sec": "float",
        "typing": "Dict[str, Any]",
        "evidence": "Dict[str, Any]",
        "message": "str",
        "repeated": "bool",
    },
    total=False,
)
RestartJobResult = TypedDict(
    "RestartJobResult",
    {
        "id": "str",
        "replaced": "str",
        "message": "str",
        "pid": "Union[int, None]",
        "cwd": "str",
        "log": "str",
        "timeout_sec": "Union[float, None]",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
RetryHostsResultHosts = TypedDict(
    "RetryHostsResultHosts",
    {
        "host": "str",
        "server": "str",
        "target": "str",
        "local": "bool",
        "state": "str",
        "reason": "Union[str, None]",
        "since_sec": "float",
        "version": "Union[str, None]",
        "panes": "Union[int, None]",
        "agents": "Union[int, None]",
        "jobs": "Union[int, None]",
    },
    total=False,
)
RetryHostsResultErrors = TypedDict(
    "RetryHostsResultErrors",
    {
        "line": "int",
        "text": "str",
    },
    total=False,
)
RetryHostsResult = TypedDict(
    "RetryHostsResult",
    {
        "hosts": "List[RetryHostsResultHosts]",
        "file": "str",
        "errors": "List[RetryHostsResultErrors]",
    },
    total=False,
)
RunLongCommandResult = TypedDict(
    "RunLongCommandResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "pid": "Union[int, None]",
        "cwd": "str",
        "log": "str",
        "timeout_sec": "Union[float, None]",
        "repeated": "bool",
    },
    total=False,
)
RunTmuxResult = TypedDict(
    "RunTmuxResult",
    {
        "output": "str",
        "blocks": "int",
        "lossy": "bool",
        "truncated": "bool",
        "rest": "str",
        "repeated": "bool",
    },
    total=False,
)
SelfCommandResult = TypedDict(
    "SelfCommandResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
SendKeysResult = TypedDict(
    "SendKeysResult",
    {
        "pane": "str",
        "synchronized": "bool",
        "sign": "str",
        "note": "str",
        "repeated": "bool",
    },
    total=False,
)
SendMouseResult = TypedDict(
    "SendMouseResult",
    {
        "pane": "str",
        "synchronized": "bool",
        "sign": "str",
        "repeated": "bool",
    },
    total=False,
)
SendTaskResult = TypedDict(
    "SendTaskResult",
    {
        "agent": "str",
        "task": "str",
        "id": "str",
        "position": "int",
        "durable": "bool",
        "outcome": "str",
        "reason": "str",
        "text": "str",
        "pane": "str",
        "from": "int",
        "to": "int",
        "text_from": "int",
        "truncated": "bool",
        "rest": "str",
        "gap": "bool",
        "question": "str",
        "secret": "bool",
        "screen": "str",
        "exit_status": "int",
        "elapsed_sec": "float",
        "typing": "Dict[str, Any]",
        "evidence": "Dict[str, Any]",
        "message": "str",
        "repeated": "bool",
    },
    total=False,
)
SendTextResult = TypedDict(
    "SendTextResult",
    {
        "pane": "str",
        "synchronized": "bool",
        "sign": "str",
        "repeated": "bool",
    },
    total=False,
)
SetWakePolicyResult = TypedDict(
    "SetWakePolicyResult",
    {
        "pane": "str",
        "agent": "str",
        "sources": "List[Any]",
        "window_ms": "int",
        "quiet_hours": "Union[str, None]",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
ShutdownResult = TypedDict(
    "ShutdownResult",
    {
        "repeated": "bool",
    },
    total=False,
)
SleepResult = TypedDict(
    "SleepResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "due": "str",
        "replaced": "Union[str, None]",
        "ignored": "bool",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
StatusResultWays = TypedDict(
    "StatusResultWays",
    {
        "pane": "Union[str, None]",
        "thread": "Union[str, None]",
        "way": "str",
        "reason": "Union[str, None]",
    },
    total=False,
)
StatusResult = TypedDict(
    "StatusResult",
    {
        "version": "str",
        "pid": "int",
        "socket": "str",
        "uptime_sec": "float",
        "tmux": "Dict[str, Any]",
        "sessions": "int",
        "windows": "int",
        "panes": "int",
        "peers": "int",
        "subscriptions": "int",
        "waits": "int",
        "jobs": "int",
        "timers": "int",
        "watches": "int",
        "wake_policies": "List[Any]",
        "ways": "List[StatusResultWays]",
        "on_notify": "Union[Dict[str, Any], None]",
        "queue": "Dict[str, Any]",
        "model": "Dict[str, Any]",
        "audit": "Dict[str, Any]",
        "counters": "Dict[str, Any]",
        "meter": "Dict[str, Any]",
        "streams": "Dict[str, Any]",
        "memory": "Dict[str, Any]",
        "limits": "Dict[str, Any]",
    },
    total=False,
)
StopAgentResult = TypedDict(
    "StopAgentResult",
    {
        "agent": "str",
        "pane": "Union[str, None]",
        "released": "bool",
        "killed": "bool",
        "exit_status": "int",
        "signal": "int",
        "durable": "bool",
        "repeated": "bool",
    },
    total=False,
)
StopJobResult = TypedDict(
    "StopJobResult",
    {
        "id": "str",
        "repeated": "bool",
    },
    total=False,
)
SubscribeResult = TypedDict(
    "SubscribeResult",
    {
        "subscription": "str",
        "seq": "int",
        "panes": "List[Any]",
        "sessions": "List[Any]",
    },
    total=False,
)
TakeNotificationsResultNotifications = TypedDict(
    "TakeNotificationsResultNotifications",
    {
        "seq": "int",
        "id": "str",
        "source": "str",
        "notice": "str",
    },
    total=False,
)
TakeNotificationsResult = TypedDict(
    "TakeNotificationsResult",
    {
        "pane": "str",
        "notifications": "List[TakeNotificationsResultNotifications]",
        "loan_sec": "float",
        "repeated": "bool",
    },
    total=False,
)
UnsubscribeResult = TypedDict(
    "UnsubscribeResult",
    {
        "subscription": "str",
    },
    total=False,
)
WaitForAnyAgentState = TypedDict(
    "WaitForAnyAgentState",
    {
        "agent_state": "Literal[\"ready\", \"idle\", \"busy\", \"asking\", \"gone\"]",
        "agent": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAnyCommandFinished = TypedDict(
    "WaitForAnyCommandFinished",
    {
        "command_finished": "str",
    },
    total=False,
)
WaitForAnyCpuBelow = TypedDict(
    "WaitForAnyCpuBelow",
    {
        "cpu_below": "float",
        "for_sec": "float",
        "pane": "str",
    },
    total=False,
)
WaitForAnyEvent = TypedDict(
    "WaitForAnyEvent",
    {
        "event": "str",
        "pane": "str",
        "session": "str",
        "where": "Any",
        "window": "str",
    },
    total=False,
)
WaitForAnyExited = TypedDict(
    "WaitForAnyExited",
    {
        "exited": "str",
    },
    total=False,
)
WaitForAnyFile = TypedDict(
    "WaitForAnyFile",
    {
        "file": "str",
        "regex": "str",
        "from_start": "bool",
    },
    total=False,
)
WaitForAnyJob = TypedDict(
    "WaitForAnyJob",
    {
        "job": "str",
    },
    total=False,
)
WaitForAnyNotificationNotification = TypedDict(
    "WaitForAnyNotificationNotification",
    {
        "pane": "str",
        "source": "Literal[\"command\", \"condition\", \"job\", \"post\", \"program\", \"timer\", \"tool\", \"watch\"]",
        "id": "str",
        "urgent": "bool",
    },
    total=False,
)
WaitForAnyNotification = TypedDict(
    "WaitForAnyNotification",
    {
        "notification": "WaitForAnyNotificationNotification",
    },
    total=False,
)
WaitForAnyOutput = TypedDict(
    "WaitForAnyOutput",
    {
        "output": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAnyPrompt = TypedDict(
    "WaitForAnyPrompt",
    {
        "prompt": "bool",
        "pane": "str",
    },
    total=False,
)
WaitForAnyQuietSec = TypedDict(
    "WaitForAnyQuietSec",
    {
        "quiet_sec": "float",
        "pane": "str",
    },
    total=False,
)
WaitForAnyReady = TypedDict(
    "WaitForAnyReady",
    {
        "ready": "str",
    },
    total=False,
)
WaitForAnyScreen = TypedDict(
    "WaitForAnyScreen",
    {
        "screen": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAnySec = TypedDict(
    "WaitForAnySec",
    {
        "sec": "float",
    },
    total=False,
)
WaitForAllAgentState = TypedDict(
    "WaitForAllAgentState",
    {
        "agent_state": "Literal[\"ready\", \"idle\", \"busy\", \"asking\", \"gone\"]",
        "agent": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAllCommandFinished = TypedDict(
    "WaitForAllCommandFinished",
    {
        "command_finished": "str",
    },
    total=False,
)
WaitForAllCpuBelow = TypedDict(
    "WaitForAllCpuBelow",
    {
        "cpu_below": "float",
        "for_sec": "float",
        "pane": "str",
    },
    total=False,
)
WaitForAllEvent = TypedDict(
    "WaitForAllEvent",
    {
        "event": "str",
        "pane": "str",
        "session": "str",
        "where": "Any",
        "window": "str",
    },
    total=False,
)
WaitForAllExited = TypedDict(
    "WaitForAllExited",
    {
        "exited": "str",
    },
    total=False,
)
WaitForAllFile = TypedDict(
    "WaitForAllFile",
    {
        "file": "str",
        "regex": "str",
        "from_start": "bool",
    },
    total=False,
)
WaitForAllJob = TypedDict(
    "WaitForAllJob",
    {
        "job": "str",
    },
    total=False,
)
WaitForAllNotificationNotification = TypedDict(
    "WaitForAllNotificationNotification",
    {
        "pane": "str",
        "source": "Literal[\"command\", \"condition\", \"job\", \"post\", \"program\", \"timer\", \"tool\", \"watch\"]",
        "id": "str",
        "urgent": "bool",
    },
    total=False,
)
WaitForAllNotification = TypedDict(
    "WaitForAllNotification",
    {
        "notification": "WaitForAllNotificationNotification",
    },
    total=False,
)
WaitForAllOutput = TypedDict(
    "WaitForAllOutput",
    {
        "output": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAllPrompt = TypedDict(
    "WaitForAllPrompt",
    {
        "prompt": "bool",
        "pane": "str",
    },
    total=False,
)
WaitForAllQuietSec = TypedDict(
    "WaitForAllQuietSec",
    {
        "quiet_sec": "float",
        "pane": "str",
    },
    total=False,
)
WaitForAllReady = TypedDict(
    "WaitForAllReady",
    {
        "ready": "str",
    },
    total=False,
)
WaitForAllScreen = TypedDict(
    "WaitForAllScreen",
    {
        "screen": "str",
        "pane": "str",
    },
    total=False,
)
WaitForAllSec = TypedDict(
    "WaitForAllSec",
    {
        "sec": "float",
    },
    total=False,
)
WaitForResultConditions = TypedDict(
    "WaitForResultConditions",
    {
        "condition": "str",
        "state": "str",
        "pane": "str",
        "at_entry": "bool",
        "details": "Dict[str, Any]",
    },
    total=False,
)
WaitForResult = TypedDict(
    "WaitForResult",
    {
        "matched": "List[Any]",
        "conditions": "List[WaitForResultConditions]",
        "elapsed_sec": "float",
        "timed_out": "bool",
        "wait": "str",
        "repeated": "bool",
    },
    total=False,
)
WaitForIdleResult = TypedDict(
    "WaitForIdleResult",
    {
        "id": "str",
        "watched_pane": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "timeout_sec": "Union[float, None]",
        "repeated": "bool",
    },
    total=False,
)
WatchLogResult = TypedDict(
    "WatchLogResult",
    {
        "id": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "timeout_sec": "float",
        "state": "str",
        "mode": "str",
        "repeated": "bool",
    },
    total=False,
)
WatchPaneResult = TypedDict(
    "WatchPaneResult",
    {
        "id": "str",
        "watched_pane": "str",
        "message": "str",
        "wake": "Dict[str, Any]",
        "durable": "bool",
        "timeout_sec": "Union[float, None]",
        "repeated": "bool",
    },
    total=False,
)
YieldTurnResultPending = TypedDict(
    "YieldTurnResultPending",
    {
        "kind": "str",
        "id": "str",
        "due": "Union[str, None]",
        "what": "Union[str, None]",
    },
    total=False,
)
YieldTurnResult = TypedDict(
    "YieldTurnResult",
    {
        "message": "str",
        "wake": "Dict[str, Any]",
        "pane": "Union[str, None]",
        "pending": "List[YieldTurnResultPending]",
    },
    total=False,
)


class Methods:
    """One function for each method. A parameter that is None is left out of the request."""

    async def request(self, method: str, /, **params: Any) -> Any:
        raise NotImplementedError

    async def ack_notification(
        self,
        *,
        seq: Optional[int] = None,
        up_to: Optional[int] = None,
        consumer: Optional[str] = None,
        settle: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> AckNotificationResult:
        """Marks notifications as handled.

        Acknowledging twice is harmless.

        seq: The one to acknowledge.
        up_to: Acknowledge all up to this one.
        consumer: For this named consumer; left out: the notification itself is settled.
        settle: With false and a consumer, only the place of the consumer advances: the notification
            is still delivered to its pane. For a consumer that copies the queue.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("ack_notification",
            seq=seq,
            up_to=up_to,
            consumer=consumer,
            settle=settle,
            key=key)

    async def background_process(
        self,
        name: str,
        command: str,
        *,
        cwd: Optional[str] = None,
        key: Optional[str] = None,
    ) -> BackgroundProcessResult:
        """Runs a command as a job with a name; returns at once with its pid and log.

        A name that runs is refused, with the id of its job: restart_job runs that again. Two
        equal commands are two jobs, unless they have the same key.

        name: Its name, accepted wherever the id of a job is; unique while it runs.
        command: The command, as for a shell (/bin/sh -c).
        cwd: The directory to run it in; left out: the caller's.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("background_process",
            name=name,
            command=command,
            cwd=cwd,
            key=key)

    async def cancel_notification(
        self,
        seq: int,
        *,
        key: Optional[str] = None,
    ) -> CancelNotificationResult:
        """Takes back a notification that is still queued.

        seq: The notification that is not to be delivered.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("cancel_notification",
            seq=seq,
            key=key)

    async def cancel_timer(
        self,
        timer: str,
        *,
        key: Optional[str] = None,
    ) -> CancelTimerResult:
        """Ends a timer before its time.

        timer: Its id.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("cancel_timer",
            timer=timer,
            key=key)

    async def cancel_watch(
        self,
        *,
        file_path: Optional[str] = None,
        id: Optional[str] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> CancelWatchResult:
        """Ends the watches of a file, one by its id, or all of the caller's; says which.

        file_path: Cancel all watches of this file, also those of other callers.
        id: Cancel this one; or the name of a wait.
        pane: Cancel those of this pane; with nothing given: the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("cancel_watch",
            file_path=file_path,
            id=id,
            pane=pane,
            key=key)

    async def capture_pane(
        self,
        *,
        encoding: Optional[Literal["text", "base64"]] = None,
        escapes: Optional[bool] = None,
        format: Optional[Literal["text", "svg", "html"]] = None,
        history: Optional[Any] = None,
        join: Optional[bool] = None,
        lines: Optional[int] = None,
        pane: Optional[str] = None,
        theme: Optional[Literal["dark", "light"]] = None,
        title: Optional[str] = None,
    ) -> CapturePaneResult:
        """Shows a pane's visible text, or its last lines.

        encoding: base64: the exact bytes, as a member base64 instead of text.
        escapes: With colours and attributes, as escape sequences.
        format: svg, html: a picture of the pane with its colours, instead of text.
        history: Lines above the screen too: how many, or true for all.
        join: Lines that were wrapped come as one.
        lines: Only the last so many that are not blank, from above the screen too if it has fewer.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        theme: The ground of a picture.
        title: Puts a bar with this title above a picture.
        """
        return await self.request("capture_pane",
            encoding=encoding,
            escapes=escapes,
            format=format,
            history=history,
            join=join,
            lines=lines,
            pane=pane,
            theme=theme,
            title=title)

    async def close_pane(
        self,
        pane: str,
        *,
        force: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> ClosePaneResult:
        """Closes a pane and ends its program.

        The caller's own pane and the last pane of the server are refused without force.

        pane: Which pane, such as "%3" or "work:1.0".
        force: Also the caller's own pane, or the last one of the server.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("close_pane",
            pane=pane,
            force=force,
            key=key)

    async def close_session(
        self,
        session: str,
        *,
        force: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> CloseSessionResult:
        """Closes a session, and the windows that no other session holds.

        The caller's own session and the last one of the server are refused without force.

        session: Which session, such as "work" or "$1".
        force: Also the one the caller is in, or the last one of the server.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("close_session",
            session=session,
            force=force,
            key=key)

    async def close_window(
        self,
        window: str,
        *,
        force: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> CloseWindowResult:
        """Closes a window with all its panes.

        The caller's own window and the last one of the server are refused without force.

        window: Which window, such as "@1" or "work:0".
        force: Also the one the caller is in, or the last one of the server.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("close_window",
            window=window,
            force=force,
            key=key)

    async def create_pane(
        self,
        *,
        command: Optional[Union[str, Sequence[str]]] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        keep_on_exit: Optional[bool] = None,
        reports: Optional[Literal["none", "notices", "token"]] = None,
        direction: Optional[Literal["vertical", "horizontal"]] = None,
        focus: Optional[bool] = None,
        pane: Optional[str] = None,
        size: Optional[Any] = None,
        key: Optional[str] = None,
    ) -> CreatePaneResult:
        """Splits a pane in two and runs a command in the new one.

        It answers at once.

        command: The new program: a string goes to the shell, an array of two or more words is
            executed as it is; left out, the user's shell.
        cwd: The absolute path it starts in; left out, that of where it is made from.
        env: Environment variables for it.
        keep_on_exit: Keep the pane, dead, when its program has ended.
        reports: Follow its reports by escape sequences: those with its token (see muxbus mark);
            notices: also what it tells its terminal, as notifications for you.
        direction: Where the new pane lies: vertical, below the old one; horizontal, right of it.
        focus: Make it the active pane of its window.
        pane: The pane to split, such as "%3"; left out, the caller's own.
        size: Its rows or columns, or a share such as "30%"; left out, half.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("create_pane",
            command=command,
            cwd=cwd,
            env=env,
            keep_on_exit=keep_on_exit,
            reports=reports,
            direction=direction,
            focus=focus,
            pane=pane,
            size=size,
            key=key)

    async def create_session(
        self,
        *,
        command: Optional[Union[str, Sequence[str]]] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        keep_on_exit: Optional[bool] = None,
        reports: Optional[Literal["none", "notices", "token"]] = None,
        height: Optional[int] = None,
        name: Optional[str] = None,
        width: Optional[int] = None,
        window_name: Optional[str] = None,
        key: Optional[str] = None,
    ) -> CreateSessionResult:
        """Creates a detached session with one window.

        command: The new program: a string goes to the shell, an array of two or more words is
            executed as it is; left out, the user's shell.
        cwd: The absolute path it starts in; left out, that of where it is made from.
        env: Environment variables for it.
        keep_on_exit: Keep the pane, dead, when its program has ended.
        reports: Follow its reports by escape sequences: those with its token (see muxbus mark);
            notices: also what it tells its terminal, as notifications for you.
        height: In rows, until a client attaches; left out, as tmux is set. Unit: cells.
        name: Its name, which must be free; left out, a number.
        width: In columns. Unit: cells.
        window_name: The name of its window; left out, it is named after its program.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("create_session",
            command=command,
            cwd=cwd,
            env=env,
            keep_on_exit=keep_on_exit,
            reports=reports,
            height=height,
            name=name,
            width=width,
            window_name=window_name,
            key=key)

    async def create_window(
        self,
        *,
        command: Optional[Union[str, Sequence[str]]] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        keep_on_exit: Optional[bool] = None,
        reports: Optional[Literal["none", "notices", "token"]] = None,
        focus: Optional[bool] = None,
        index: Optional[int] = None,
        name: Optional[str] = None,
        session: Optional[str] = None,
        key: Optional[str] = None,
    ) -> CreateWindowResult:
        """Makes a window in a session and runs a command in it.

        command: The new program: a string goes to the shell, an array of two or more words is
            executed as it is; left out, the user's shell.
        cwd: The absolute path it starts in; left out, that of where it is made from.
        env: Environment variables for it.
        keep_on_exit: Keep the pane, dead, when its program has ended.
        reports: Follow its reports by escape sequences: those with its token (see muxbus mark);
            notices: also what it tells its terminal, as notifications for you.
        focus: Make it the current window of its session.
        index: Its index in the session, which must be free; left out, the next free one.
        name: Its name; left out, it is named after its program.
        session: Where, such as "work" or "$1"; left out, the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("create_window",
            command=command,
            cwd=cwd,
            env=env,
            keep_on_exit=keep_on_exit,
            reports=reports,
            focus=focus,
            index=index,
            name=name,
            session=session,
            key=key)

    async def describe(
        self,
        *,
        method: Optional[str] = None,
    ) -> DescribeResult:
        """Lists the methods, conditions, errors, events and limits, or describes one method.

        method: Describe this one alone.
        """
        return await self.request("describe",
            method=method)

    async def ensure_agent(
        self,
        *,
        name: Optional[str] = None,
        command: Optional[Union[str, Sequence[str]]] = None,
        pane: Optional[str] = None,
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        prompt: Optional[str] = None,
        width: Optional[int] = None,
        height: Optional[int] = None,
        history_limit: Optional[int] = None,
        notices: Optional[bool] = None,
        startup_timeout_sec: Optional[float] = None,
        key: Optional[str] = None,
    ) -> EnsureAgentResult:
        """Finds an interactive program running under a name, or starts it in a window of its own,
        and answers when it is ready.

        It is kept alive: when it ends, or falls back to a shell, it is started again, after a
        while and at most five times in a row; also in the next tmux server, if muxbusd saw the
        end of the last one. A program that never was ready is not: the error says how it ended,
        with its last lines, and its window is closed. Each crash is one notification, however
        often muxbusd is started after it. The state blocked says that it asks something:
        respond answers. With pane, an agent that a person started is adopted: its pane is left
        as it is, and it is never started again.

        name: Its name from then on: A-Z a-z 0-9 _ . : -; with pane it may be left out: then the
            agent is named after its program.
        command: The program: a string goes to the shell, an array of two or more words is executed
            as it is. Left out, only an agent that runs is found.
        pane: Instead of command: adopt the agent that a person started in this pane.
        cwd: The absolute path of the directory it starts in; left out, the caller's. An agent
            that runs is found in any directory if this is left out.
        env: Environment variables for it.
        prompt: A regular expression that matches what stands before the cursor when it is ready;
            left out, its prompt is learned when it first rests.
        width: Columns of its window, whichever clients attach. Unit: cells.
        height: Rows of its window. Unit: cells.
        history_limit: How many lines tmux keeps that have scrolled away. Unit: lines.
        notices: Make notifications for you of what its program tells its terminal (OSC 9, 99, 777).
        startup_timeout_sec: How long to wait for its prompt; it goes on starting after that. Unit: s.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("ensure_agent",
            name=name,
            command=command,
            pane=pane,
            cwd=cwd,
            env=env,
            prompt=prompt,
            width=width,
            height=height,
            history_limit=history_limit,
            notices=notices,
            startup_timeout_sec=startup_timeout_sec,
            key=key)

    async def execute_cli(
        self,
        command: str,
        *,
        timeout_sec: Optional[float] = None,
        cwd: Optional[str] = None,
        stdin: Optional[str] = None,
        wait: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> ExecuteCliResult:
        """Runs a command and answers with its output and how it ended.

        The working directory stays that of the connection. After timeout_sec a command
        continues as a job. It has no terminal, and its standard input is at its end: prompts
        for a line or a password fail at once, or take their default; pagers print all. Give the
        answers as stdin, or the options that need none. Some editors stall instead: so does
        whatever waits for ever. After timeout_sec, or at once with wait false, the answer has
        status running and the id for wait_for, read_job and stop_job.

        command: The command, as for a shell (/bin/sh -c).
        timeout_sec: Answer after this long; the command continues as a job, and is not stopped. Unit: s.
        cwd: The directory; left out: where the last one on this connection ended, at first the
            caller's.
        stdin: Its standard input; left out: empty, so that a question is answered by its end.
        wait: false: answer as soon as it runs; it continues as a job.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("execute_cli",
            command=command,
            timeout_sec=timeout_sec,
            cwd=cwd,
            stdin=stdin,
            wait=wait,
            key=key)

    async def find_text(
        self,
        regex: str,
        *,
        history: Optional[Any] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        pane: Optional[str] = None,
    ) -> FindTextResult:
        """Finds where on a pane's screen something stands.

        history: Look at lines above the screen too: how many, or true for all.
        limit: How many matches at most, the first ones.
        offset: How many matches to pass over: last, to go on behind those of an answer.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        regex: A regular expression (PCRE2); ^ and $ match at the ends of lines.
        """
        return await self.request("find_text",
            history=history,
            limit=limit,
            offset=offset,
            pane=pane,
            regex=regex)

    async def focus_pane(
        self,
        *,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> FocusPaneResult:
        """Jumps to a pane: makes it the active one of its window, and that the current window.

        pane: Which pane, such as "%3"; left out, the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("focus_pane",
            pane=pane,
            key=key)

    async def gemini_sleep(
        self,
        seconds: float,
        *,
        recurring: Optional[bool] = None,
        text: Optional[str] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> GeminiSleepResult:
        """Wakes the caller's pane after a while; returns at once.

        A pane has one sleep: of two, the one that ends earlier stands. It survives a restart;
        what came due meanwhile wakes once, and says how late.

        seconds: How long; fractions are allowed. Unit: s.
        recurring: Wake again every so many seconds until cancelled; then at least 3600.
        text: A reminder: the notification has this text. A pane has any number of these beside
            its sleep, at most 1000 in all.
        pane: The pane to wake; left out: the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("gemini_sleep",
            seconds=seconds,
            recurring=recurring,
            text=text,
            pane=pane,
            key=key)

    async def get_action_history(
        self,
        *,
        limit: Optional[int] = None,
    ) -> GetActionHistoryResult:
        """Lists the last requests to the daemon, who made them, and their outcomes.

        Calls of describe and ping are not kept.

        limit: How many at most.
        """
        return await self.request("get_action_history",
            limit=limit)

    async def get_job(
        self,
        job: str,
    ) -> GetJobResult:
        """Shows all about one background job.

        job: Its id or name.
        """
        return await self.request("get_job",
            job=job)

    async def get_pane(
        self,
        *,
        pane: Optional[str] = None,
    ) -> GetPaneResult:
        """Shows all that is known of one pane.

        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        """
        return await self.request("get_pane",
            pane=pane)

    async def get_tool_answer(
        self,
        id: str,
    ) -> GetToolAnswerResult:
        """The answer of a declared tool that was called with wait false.

        It is the same as that of a call that waits, as long as the call is remembered.

        id: The id of the call, as in its first answer and its notification.
        """
        return await self.request("get_tool_answer",
            id=id)

    async def list_agents(
        self,
    ) -> ListAgentsResult:
        """Lists the agents with their states, and the facts that say so."""
        return await self.request("list_agents")

    async def list_events(
        self,
        *,
        after: Optional[int] = None,
        kinds: Optional[Sequence[str]] = None,
        limit: Optional[int] = None,
    ) -> ListEventsResult:
        """Lists past events, as far as they are remembered.

        Events pane_output and line are not remembered: read_output has the output of a pane.

        after: Those behind this number, oldest first; left out, the latest ones.
        kinds: Only these kinds; or patterns, such as pane_*.
        limit: How many at most.
        """
        return await self.request("list_events",
            after=after,
            kinds=kinds,
            limit=limit)

    async def list_hosts(
        self,
    ) -> ListHostsResult:
        """Lists the hosts of the fleet with their states; on its socket only.

        Asks those that are up, for 5 s at most.
        """
        return await self.request("list_hosts")

    async def list_jobs(
        self,
        *,
        running: Optional[bool] = None,
        all: Optional[bool] = None,
    ) -> ListJobsResult:
        """Lists background jobs: those that run, and the last that have ended.

        200 jobs that have ended are remembered, with their output. Apart from these, so are the
        last 100 commands of execute_cli that ended within its time: get_job and read_job know
        their ids, and the list has them if all is true.

        running: Only those that run.
        all: Also commands of execute_cli that ended within its time.
        """
        return await self.request("list_jobs",
            running=running,
            all=all)

    async def list_notifications(
        self,
        *,
        after: Optional[int] = None,
        limit: Optional[int] = None,
        state: Optional[Literal["queued", "delivering", "delivered", "acknowledged", "cancelled", "failed"]] = None,
        pane: Optional[str] = None,
        consumer: Optional[str] = None,
    ) -> ListNotificationsResult:
        """Lists the notifications that are remembered.

        after: Begin behind this number.
        limit: How many at most.
        state: Only those in this state.
        pane: Only those addressed to this pane.
        consumer: Begin behind what this consumer has acknowledged.
        """
        return await self.request("list_notifications",
            after=after,
            limit=limit,
            state=state,
            pane=pane,
            consumer=consumer)

    async def list_panes(
        self,
        *,
        detail: Optional[Literal["short", "full"]] = None,
        session: Optional[str] = None,
        window: Optional[str] = None,
    ) -> ListPanesResult:
        """Lists the panes of the tmux server: names, title, command, path, state.

        detail: full: all members. Tools get short by default: place, command, path, unusual states.
        session: Only those of this session.
        window: Only those of this window, such as "@1" or "work:0".
        """
        return await self.request("list_panes",
            detail=detail,
            session=session,
            window=window)

    async def list_sessions(
        self,
    ) -> ListSessionsResult:
        """Lists the sessions of the tmux server."""
        return await self.request("list_sessions")

    async def list_timers(
        self,
        *,
        limit: Optional[int] = None,
    ) -> ListTimersResult:
        """Lists the timers that are set, soonest first.

        limit: How many at most.
        """
        return await self.request("list_timers",
            limit=limit)

    async def list_tools(
        self,
        *,
        group: Optional[str] = None,
    ) -> ListToolsResult:
        """Lists the declared tools, with those that cannot be used, and why.

        Looks at the folders and for missing programs again. muxbusd(8) says how a tool is
        declared.

        group: Only tools of this group.
        """
        return await self.request("list_tools",
            group=group)

    async def list_watches(
        self,
    ) -> ListWatchesResult:
        """Lists the files and panes that are watched, and how."""
        return await self.request("list_watches")

    async def list_windows(
        self,
        *,
        session: Optional[str] = None,
    ) -> ListWindowsResult:
        """Lists the windows of the tmux server, or of one session.

        session: Only those of this session; left out, all.
        """
        return await self.request("list_windows",
            session=session)

    async def meter(
        self,
        *,
        since_sec: Optional[int] = None,
    ) -> MeterResult:
        """Counts the turns and looks that agents were spared.

        The counts outlive the daemon; kill -9 loses those of the last minute.

        since_sec: Only the last so many seconds, in steps of 600, and of this daemon; left out, all
            since the first count.
        """
        return await self.request("meter",
            since_sec=since_sec)

    async def next_notification(
        self,
        *,
        id: Optional[str] = None,
        after: Optional[int] = None,
        consumer: Optional[str] = None,
        timeout_sec: Optional[float] = None,
        filter: Optional[NextNotificationFilter] = None,
        limit: Optional[int] = None,
        ack: Optional[int] = None,
        ack_up_to: Optional[int] = None,
        key: Optional[str] = None,
    ) -> NextNotificationResult:
        """Waits until there is a notification, and answers with it.

        A consumer gets each one at least once, in order; what it does not acknowledge comes
        again after ack_wait_ms, and says so. An answer that was sent is no acknowledgement: let
        ack ride on the next call, so that a notification that was lost on its way comes again.

        id: The id of a request, such as A1B2: its notification, now or when it comes.
        after: Wait for one behind this number; left out, and without consumer and id: for a new
            one.
        consumer: Take the next that this named consumer has not acknowledged.
        timeout_sec: Answer with an empty list after this long. Unit: s.
        filter: Only those that match: an object of pane, source, id, urgent; or an id alone, of
            which a cancelled one counts too.
        limit: How many at most, if several are there.
        ack: Acknowledge this one first, for the consumer.
        ack_up_to: Acknowledge all up to this one first, for the consumer.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("next_notification",
            id=id,
            after=after,
            consumer=consumer,
            timeout_sec=timeout_sec,
            filter=filter,
            limit=limit,
            ack=ack,
            ack_up_to=ack_up_to,
            key=key)

    async def ping(
        self,
    ) -> Dict[str, Any]:
        """Answers with an empty object."""
        return await self.request("ping")

    async def post_notification(
        self,
        text: str,
        *,
        pane: Optional[str] = None,
        data: Optional[Any] = None,
        key: Optional[str] = None,
        urgency: Optional[Literal["normal", "high"]] = None,
        sync: Optional[bool] = None,
    ) -> PostNotificationResult:
        """Puts a notification into the queue; anything may post.

        Answers when it survives kill -9 of the daemon.

        text: The text, one line: colours and other escape sequences are left out; control
            characters become spaces.
        pane: The pane whose agent is to be woken; left out: no pane is woken.
        data: An object that goes with it.
        key: Count this one into an older one with an equal key that no reader has yet. Once one
            has it, the same post asked again within 24 hours is not done again.
        urgency: High goes before others.
        sync: Answer only when it survives a power cut.
        """
        return await self.request("post_notification",
            text=text,
            pane=pane,
            data=data,
            key=key,
            urgency=urgency,
            sync=sync)

    async def read_job(
        self,
        job: str,
        *,
        offset: Optional[int] = None,
        max_bytes: Optional[int] = None,
        encoding: Optional[Literal["text", "base64"]] = None,
        stream: Optional[Literal["stdout", "stderr"]] = None,
    ) -> ReadJobResult:
        """Reads the output of a background job from an offset on.

        job: Its id or name.
        offset: Where to begin; negative: so many bytes before the end. Unit: bytes.
        max_bytes: How much at most. Unit: bytes.
        encoding: text: valid UTF-8, U+FFFD for what is not; base64: the exact bytes.
        stream: stderr: of a command whose two streams are apart, as those of execute_cli are.
        """
        return await self.request("read_job",
            job=job,
            offset=offset,
            max_bytes=max_bytes,
            encoding=encoding,
            stream=stream)

    async def read_output(
        self,
        *,
        after: Optional[int] = None,
        encoding: Optional[Literal["text", "base64"]] = None,
        max_bytes: Optional[int] = None,
        pane: Optional[str] = None,
        strip: Optional[bool] = None,
    ) -> ReadOutputResult:
        """Reads a pane's output by offset, as far as it is remembered.

        Output is remembered from the first call on, and for five minutes after the last. The
        first response comes when the output flows, after two seconds at most. Where bytes are
        missing, gap says so; not_watched without a byte means that the output does not come to
        the daemon.

        after: From this offset on: what "to" said last time, or the offset of a capture; left out,
            from the oldest byte that is remembered.
        encoding: base64: the exact bytes, as a member base64 instead of text.
        max_bytes: How much at most. Unit: bytes.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        strip: As lines of text, without escape sequences; of a line that was written over and over
            only the last state.
        """
        return await self.request("read_output",
            after=after,
            encoding=encoding,
            max_bytes=max_bytes,
            pane=pane,
            strip=strip)

    async def read_rest(
        self,
        id: str,
        *,
        after: Optional[int] = None,
        to: Optional[int] = None,
    ) -> ReadRestResult:
        """Reads on in an answer that was cut, as it says.

        after: The byte to go on from; left out, the first.
        id: As the answer says.
        to: The byte to end before; left out, none.
        """
        return await self.request("read_rest",
            after=after,
            id=id,
            to=to)

    async def report_agent(
        self,
        agent: str,
        *,
        pane: Optional[str] = None,
        pid: Optional[int] = None,
        session: Optional[str] = None,
        state: Optional[Literal["idle", "busy", "asking", "gone"]] = None,
        key: Optional[str] = None,
    ) -> ReportAgentResult:
        """Says which agent sits in a pane, in which session, and what it does now.

        For the hooks and bridges of agents. The report decides when a notification is typed: at
        once when the agent is idle, not while it is busy or asks. It ends with the pane, the
        process, or the state gone.

        agent: Which agent it is: claude, codex, copilot, gemini, opencode, or another name.
        pane: The pane that it sits in; left out, the caller's own.
        pid: The agent's process: with it the agent is gone; left out, the program in front of
            the pane.
        session: The agent's own name of its session or thread.
        state: Idle: it waits for a prompt; busy: a turn has begun; asking: it waits for a person's
            decision; left out, as before.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("report_agent",
            agent=agent,
            pane=pane,
            pid=pid,
            session=session,
            state=state,
            key=key)

    async def resize_pane(
        self,
        *,
        height: Optional[int] = None,
        pane: Optional[str] = None,
        width: Optional[int] = None,
        zoom: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> ResizePaneResult:
        """Changes the size of a pane, or lets it fill its window.

        height: In rows; tmux gives as much as the other panes of the window can spare. Unit: cells.
        pane: Which pane, such as "%3"; left out, the caller's own.
        width: In columns. Unit: cells.
        zoom: true: it fills the window for now; false: no pane does.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("resize_pane",
            height=height,
            pane=pane,
            width=width,
            zoom=zoom,
            key=key)

    async def respond(
        self,
        agent: str,
        text: str,
        *,
        wait: Optional[bool] = None,
        timeout_sec: Optional[float] = None,
        max_bytes: Optional[int] = None,
        progress: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> RespondResult:
        """Types an answer to what an agent asks, and answers as send_task does.

        Only while its state is blocked, and to the question that it asks then; else the answer
        is not_ready, as it is where a person has begun an answer. Nothing is typed in copy
        mode, or within five seconds of a person's last key there.

        agent: The name of the agent.
        text: The text to type before Enter; may be empty: Enter alone. It is never kept.
        wait: Answer when its prompt is back; false: at once, and the end is a notification.
        timeout_sec: End with the outcome timeout after this long, counted from the request. Unit: s.
        max_bytes: How much of the output, from its end, the answer holds. Unit: bytes.
        progress: Tell what it says meanwhile: lines with the method progress, at most four a second.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("respond",
            agent=agent,
            text=text,
            wait=wait,
            timeout_sec=timeout_sec,
            max_bytes=max_bytes,
            progress=progress,
            key=key)

    async def restart_job(
        self,
        job: str,
        *,
        env: Optional[Mapping[str, str]] = None,
        key: Optional[str] = None,
    ) -> RestartJobResult:
        """Ends a background job if it runs, and starts its command again.

        The new job has another id, and the command, directory, environment, time limit, name
        and pane of the old one. The old one gets TERM, and after 5 s all its processes get
        KILL; its end is in the answer and is not notified. An environment of its own is kept in
        memory only, up to 64 KiB: after a restart of muxbusd give env.

        job: Its id or name.
        env: Environment variables beyond those of its tmux session, in place of those that it
            was started with.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("restart_job",
            job=job,
            env=env,
            key=key)

    async def retry_hosts(
        self,
        *,
        host: Optional[str] = None,
    ) -> RetryHostsResult:
        """Connects to the hosts of the fleet that are down, now; on its socket only.

        Then answers as list_hosts does.

        host: Only this one.
        """
        return await self.request("retry_hosts",
            host=host)

    async def run_long_command(
        self,
        command: str,
        *,
        cwd: Optional[str] = None,
        timeout_sec: Optional[float] = None,
        env: Optional[Mapping[str, str]] = None,
        name: Optional[str] = None,
        pane: Optional[str] = None,
        stdin: Optional[str] = None,
        key: Optional[str] = None,
    ) -> RunLongCommandResult:
        """Runs a command detached, and notifies when it ends; returns at once.

        The job outlives its caller and the daemon, and its exit status is never lost. The
        notification has the exit code or signal, the duration, the first and last 200
        characters of the output, and where the whole log is. The first 64 MiB of it are kept,
        and the last 64 KiB.

        command: The command, as for a shell (/bin/sh -c).
        cwd: The directory to run it in; left out: the caller's.
        timeout_sec: Stop it after this long; 0 or left out: never. Unit: s.
        env: Environment variables beyond those of its tmux session.
        name: Its name, accepted wherever its id is; unique while it runs.
        pane: The pane to wake when it ends; left out: the caller's own.
        stdin: Its standard input; left out, and after a restart: empty.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("run_long_command",
            command=command,
            cwd=cwd,
            timeout_sec=timeout_sec,
            env=env,
            name=name,
            pane=pane,
            stdin=stdin,
            key=key)

    async def run_tmux(
        self,
        command: Sequence[str],
        *,
        force: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> RunTmuxResult:
        """Runs any tmux command and returns its output.

        Refused without force: commands that end the server or the caller's own pane, run a
        shell, or open a mode; keys for a pane, as send_keys refuses them; key bindings, hooks
        and options that name a command which closes something. Refused always: commands that
        wait for a person, or are about the client that they come from.

        command: The command and its arguments, one string each; nothing needs quoting.
        force: Also one that ends the server or what the caller is in, or types into a person's
            line.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("run_tmux",
            command=command,
            force=force,
            key=key)

    async def self_command(
        self,
        command: str,
        *,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> SelfCommandResult:
        """Types a command such as /compress into the caller's own pane once its agent is ready,
        and notifies when it is done; returns at once.

        End your turn after it. Nothing is typed into a shell, a draft or a question. It
        survives a restart, and is never typed twice.

        command: The text, literally: one line of at most 1000 bytes. It may begin with /.
        pane: The pane to type into; left out: the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("self_command",
            command=command,
            pane=pane,
            key=key)

    async def send_keys(
        self,
        *,
        base64: Optional[str] = None,
        force: Optional[bool] = None,
        keys: Optional[Union[str, Sequence[str]]] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> SendKeysResult:
        """Types keys and text into a pane, byte for byte.

        Nothing is typed, and the answer is not_ready, where tmux would lose it: in copy mode,
        into a dead pane, or with input switched off. In a pane that is not the caller's own and
        was not made by it, it is refused without force where a draft stands at the prompt, or a
        person typed less than 5 seconds ago.

        base64: Exact bytes to type instead of keys.
        force: Type also where a draft stands or a person types, and end a mode, such as copy mode,
            first.
        keys: A string or an array. A string that names a key (Enter, C-c, Ctrl+C, F5) is that
            key; else it is typed as it is.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("send_keys",
            base64=base64,
            force=force,
            keys=keys,
            pane=pane,
            key=key)

    async def send_mouse(
        self,
        x: int,
        y: int,
        *,
        action: Optional[Literal["press", "release", "click", "move", "drag", "scroll_up", "scroll_down"]] = None,
        button: Optional[Literal["left", "middle", "right"]] = None,
        force: Optional[bool] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> SendMouseResult:
        """Reports the mouse to a program that asked for it.

        not_ready says that the program did not ask for the mouse, or for this action.

        action: The action of the mouse.
        button: With which button.
        force: Type also where a draft stands or a person types, and end a mode, such as copy mode,
            first.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        x: The column in the pane, from 0.
        y: The row in the pane, from 0.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("send_mouse",
            action=action,
            button=button,
            force=force,
            pane=pane,
            x=x,
            y=y,
            key=key)

    async def send_task(
        self,
        agent: str,
        text: str,
        *,
        wait: Optional[bool] = None,
        timeout_sec: Optional[float] = None,
        max_bytes: Optional[int] = None,
        progress: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> SendTaskResult:
        """Types a text at the prompt of an agent when it is ready, and answers with all that it
        says when its prompt is back.

        Tasks of one agent are done in order; 16 may wait, one more is busy. To one that asks
        something, respond. Nothing is typed into another program, a draft, a question or copy
        mode, or within five seconds of a person's last key there: the task waits. If the caller
        goes away, the end is a notification.

        agent: The name of the agent.
        text: The text to type before Enter. Several lines are one paste, where the program takes
            such; else they are refused.
        wait: Answer when its prompt is back; false: at once, and the end is a notification.
        timeout_sec: End with the outcome timeout after this long, counted from the request. Unit: s.
        max_bytes: How much of the output, from its end, the answer holds. Unit: bytes.
        progress: Tell what it says meanwhile: lines with the method progress, at most four a second.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("send_task",
            agent=agent,
            text=text,
            wait=wait,
            timeout_sec=timeout_sec,
            max_bytes=max_bytes,
            progress=progress,
            key=key)

    async def send_text(
        self,
        *,
        base64: Optional[str] = None,
        enter: Optional[bool] = None,
        force: Optional[bool] = None,
        pane: Optional[str] = None,
        paste: Optional[bool] = None,
        text: Optional[str] = None,
        key: Optional[str] = None,
    ) -> SendTextResult:
        """Types a text into a pane as it is; several lines as one paste.

        No name of a key is special in it. Lines keep their LF. As send_keys, it types all or
        nothing, and is refused in a pane of others with a draft or a person; a shell or a
        question is no obstacle. While another text is typed there, it waits. A line of more
        than 4095 bytes is refused where the kernel edits lines: the rest is lost. So is an
        empty text: Enter alone is send_keys.

        base64: Exact bytes to type instead of text.
        enter: Press Enter behind it, as a step of its own a moment later.
        force: Type also where a draft stands or a person types, and end a mode, such as copy mode,
            first.
        pane: Which pane, such as "%3" or "work:1.0"; left out, the caller's own.
        paste: Give it as a bracketed paste, if the program asked for such: left out, text of more
            than one line.
        text: The text, byte for byte; no name of a key is special.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("send_text",
            base64=base64,
            enter=enter,
            force=force,
            pane=pane,
            paste=paste,
            text=text,
            key=key)

    async def set_wake_policy(
        self,
        *,
        agent: Optional[str] = None,
        pane: Optional[str] = None,
        quiet_hours: Optional[str] = None,
        sources: Optional[Sequence[str]] = None,
        window_ms: Optional[int] = None,
        key: Optional[str] = None,
    ) -> SetWakePolicyResult:
        """Sets which notifications wake an agent, and when.

        Replaces the policy of the pane or agent; without other parameters, removes it. A
        notification that does not wake stays queued, and is delivered with the next that wakes
        or at the end of the quiet hours. One of high urgency wakes at once. Kept over restarts;
        status lists the policies.

        agent: For all panes of the agent that reports itself by this name, such as claude.
        pane: For this pane, before the policy of its agent; left out, and without agent, the
            caller's own.
        quiet_hours: Nothing wakes in these hours of local time, such as 22:00-07:00; all that waits is
            delivered at their end.
        sources: Only notifications of these sources wake (command, condition, job, post, program,
            timer, tool, watch); others are delivered with the next that wakes. Left out: all
            wake.
        window_ms: Wait so long after the first that wakes, to deliver more in the same line. Unit: ms.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("set_wake_policy",
            agent=agent,
            pane=pane,
            quiet_hours=quiet_hours,
            sources=sources,
            window_ms=window_ms,
            key=key)

    async def shutdown(
        self,
        *,
        key: Optional[str] = None,
    ) -> ShutdownResult:
        """Answers, then ends the daemon in good order; tmux and its sessions live on.

        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("shutdown",
            key=key)

    async def sleep(
        self,
        seconds: float,
        *,
        recurring: Optional[bool] = None,
        text: Optional[str] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> SleepResult:
        """Wakes the caller's pane after a while; returns at once.

        A pane has one sleep: of two, the one that ends earlier stands. It survives a restart;
        what came due meanwhile wakes once, and says how late.

        seconds: How long; fractions are allowed. Unit: s.
        recurring: Wake again every so many seconds until cancelled; then at least 3600.
        text: A reminder: the notification has this text. A pane has any number of these beside
            its sleep, at most 1000 in all.
        pane: The pane to wake; left out: the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("sleep",
            seconds=seconds,
            recurring=recurring,
            text=text,
            pane=pane,
            key=key)

    async def status(
        self,
        *,
        audit: Optional[bool] = None,
    ) -> StatusResult:
        """Shows the state of the daemon and its view of tmux.

        audit: Compare the model with what tmux lists now, and correct it.
        """
        return await self.request("status",
            audit=audit)

    async def stop_agent(
        self,
        agent: str,
        *,
        grace_sec: Optional[float] = None,
        force: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> StopAgentResult:
        """Ends an agent: its program as when a terminal is closed, then its window.

        An agent that was adopted is released instead, unless by force: it is kept no more, and
        its program goes on. By force its program is ended too, and a person's shell around it
        stays, with the pane.

        agent: The name of the agent.
        grace_sec: How long its program may take to end (SIGHUP) before it is killed. Unit: s.
        force: Also the one that the caller is in, or whose pane is the server's last; and close
            the pane of one that was adopted.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("stop_agent",
            agent=agent,
            grace_sec=grace_sec,
            force=force,
            key=key)

    async def stop_job(
        self,
        job: str,
        *,
        signal: Optional[Literal["TERM", "INT", "HUP", "KILL", "QUIT", "USR1", "USR2", "STOP", "CONT"]] = None,
        key: Optional[str] = None,
    ) -> StopJobResult:
        """Ends a background job and all its processes.

        job: Its id or name.
        signal: TERM and INT are followed by KILL for all its processes after 5 s; others are sent
            once, to its process group.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("stop_job",
            job=job,
            signal=signal,
            key=key)

    async def subscribe(
        self,
        *,
        kinds: Optional[Sequence[str]] = None,
        panes: Optional[Sequence[str]] = None,
        sessions: Optional[Sequence[str]] = None,
        output: Optional[bool] = None,
        after: Optional[int] = None,
    ) -> SubscribeResult:
        """Sends events as they happen, each as a line with the method "event".

        The response comes first, then what is replayed, then what happens. The subscription
        ends with the connection; it goes on after a half-close.

        kinds: Only these kinds, or those that match patterns such as pane_*; left out, all but
            pane_output and line, which no pattern matches. Some kinds cost tmux work, and the
            daemon looks for them only where they are named or matched: those that tmux does not
            announce (command_changed, mode_changed, pane_exited of kept panes, path_changed,
            title_changed) and those that come from output (bell, pane_quiet, command_started,
            command_finished, program_notified, progress_changed, line). Else they come when the
            daemon learns of them, if it does.
        panes: Only events about these panes (ids or targets), and server_lost and server_found.
        sessions: Only events about what is in these sessions (ids or names).
        output: pane_output too: the text that programs write, as it comes.
        after: Begin behind this number with what is remembered; a gap event says what is not.
        """
        return await self.request("subscribe",
            kinds=kinds,
            panes=panes,
            sessions=sessions,
            output=output,
            after=after)

    async def take_notifications(
        self,
        way: Literal["follow", "hook"],
        *,
        limit: Optional[int] = None,
        pane: Optional[str] = None,
        timeout_sec: Optional[float] = None,
        key: Optional[str] = None,
    ) -> TakeNotificationsResult:
        """Takes the notifications of a pane, to hand them to its agent without typing.

        For followers and hooks. While a follower waits, nothing is typed into the pane.
        Acknowledge each with ack_notification when the agent has it.

        limit: How many at most.
        pane: The pane whose agent gets them; left out, the caller's own.
        timeout_sec: Wait so long for one, then answer with an empty list. Unit: s.
        way: How the agent gets them: by a stream that it follows, or by its hook.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("take_notifications",
            limit=limit,
            pane=pane,
            timeout_sec=timeout_sec,
            way=way,
            key=key)

    async def unsubscribe(
        self,
        subscription: str,
    ) -> UnsubscribeResult:
        """Ends a subscription of this connection.

        subscription: Its name, as subscribe gave it.
        """
        return await self.request("unsubscribe",
            subscription=subscription)

    async def wait_for(
        self,
        *,
        any: Optional[Sequence[Union[WaitForAnyAgentState, WaitForAnyCommandFinished, WaitForAnyCpuBelow, WaitForAnyEvent, WaitForAnyExited, WaitForAnyFile, WaitForAnyJob, WaitForAnyNotification, WaitForAnyOutput, WaitForAnyPrompt, WaitForAnyQuietSec, WaitForAnyReady, WaitForAnyScreen, WaitForAnySec]]] = None,
        all: Optional[Sequence[Union[WaitForAllAgentState, WaitForAllCommandFinished, WaitForAllCpuBelow, WaitForAllEvent, WaitForAllExited, WaitForAllFile, WaitForAllJob, WaitForAllNotification, WaitForAllOutput, WaitForAllPrompt, WaitForAllQuietSec, WaitForAllReady, WaitForAllScreen, WaitForAllSec]]] = None,
        timeout_sec: Optional[float] = None,
        wait: Optional[str] = None,
        key: Optional[str] = None,
    ) -> WaitForResult:
        """Waits until one, or all, of several conditions have come true.

        Conditions that are true already match at once. When a pane closes, its conditions end
        as gone. A job or notification that was waited for is not reported again.

        any: Conditions of which one is enough, such as {"output": regex, "pane": "%3"}.
        all: The same, of which all must come true.
        timeout_sec: Answer after this long in any case. Unit: s.
        wait: A name: the wait then outlives its connection, and the daemon; ask for the same name
            again to resume.
        key: With wait: asked again with this key within 24 hours, a wait that is over is
            answered as the first time, also if that answer was lost.
        """
        return await self.request("wait_for",
            any=any,
            all=all,
            timeout_sec=timeout_sec,
            wait=wait,
            key=key)

    async def wait_for_idle(
        self,
        cpu_threshold: float,
        duration_seconds: float,
        *,
        pane: Optional[str] = None,
        timeout_sec: Optional[float] = None,
        key: Optional[str] = None,
    ) -> WaitForIdleResult:
        """Notifies when little processor time has been used for a while; returns at once.

        cpu_threshold: Percent of the machine; with pane: of one processor, by the pane's processes. Unit:
            %.
        duration_seconds: How long it must stay below that. Unit: s.
        pane: Only the processes of this pane; left out: the machine.
        timeout_sec: Notify after this long in any case; 0: never. Unit: s.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("wait_for_idle",
            cpu_threshold=cpu_threshold,
            duration_seconds=duration_seconds,
            pane=pane,
            timeout_sec=timeout_sec,
            key=key)

    async def watch_log(
        self,
        file_path: str,
        *,
        regex: Optional[str] = None,
        wake_on_change: Optional[bool] = None,
        once: Optional[bool] = None,
        timeout_sec: Optional[float] = None,
        pane: Optional[str] = None,
        key: Optional[str] = None,
    ) -> WatchLogResult:
        """Wakes the caller's pane when new content of a file matches; returns at once.

        New is what is written after the watch was accepted; a file that is not there yet is new
        from its first byte. Rotation, truncation, replacement and symbolic links are followed.
        Lines are matched one by one, without their ends; a last line without an end once it has
        not grown for a second. Ends with one notification: data.reason is match, change,
        timeout, cancelled or error.

        file_path: The absolute path of one file, not of a directory; it need not exist yet.
        regex: Wake when a line that is new matches it; left out: at any change.
        wake_on_change: Wake at any change, also when there is a regex.
        once: End with the first wake-up; false: go on until the time is up.
        timeout_sec: When to give up, with a notification. Unit: s.
        pane: The pane to wake; left out: the caller's own.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("watch_log",
            file_path=file_path,
            regex=regex,
            wake_on_change=wake_on_change,
            once=once,
            timeout_sec=timeout_sec,
            pane=pane,
            key=key)

    async def watch_pane(
        self,
        pane: str,
        *,
        regex: Optional[str] = None,
        event: Optional[str] = None,
        where: Optional[Any] = None,
        once: Optional[bool] = None,
        timeout_sec: Optional[float] = None,
        key: Optional[str] = None,
    ) -> WatchPaneResult:
        """Notifies when a pane prints a line that matches, or an event of it comes; returns at
        once.

        pane: The pane to watch.
        regex: A regular expression that a line of its output, without escape sequences, matches.
        event: In place of regex: a kind of events of the pane, or a pattern, as in wait_for.
        where: With event: an object of members that the event must have.
        once: End with the first match; false: notify of each.
        timeout_sec: Notify after this long in any case; 0: never. Unit: s.
        key: Done once: asked again with this key within 24 hours, the answer is that of the
            first request.
        """
        return await self.request("watch_pane",
            pane=pane,
            regex=regex,
            event=event,
            where=where,
            once=once,
            timeout_sec=timeout_sec,
            key=key)

    async def yield_turn(
        self,
    ) -> YieldTurnResult:
        """Ends the caller's turn: says what is pending that will wake its pane."""
        return await self.request("yield_turn")
