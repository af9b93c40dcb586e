# SPDX-License-Identifier: ISC
"""
Writes files whole or not at all: whatever ends the tool, the old or the new file is there. Only a
file with other names (hard links) is written in place, so that they all get the new text, and one
that no other file can replace, such as a file that is mounted alone.
"""

import contextlib
import errno
import fcntl
import os
import stat

from tool import check_regular, fail, open_regular, shown

IRREPLACEABLE = (errno.EBUSY, errno.EACCES, errno.EPERM)  # errors of a folder that takes no other file


def open_locked(path):
    """Opens a file for reading and then write_whole(): other tools that do so wait until it is closed."""
    while True:
        file = open_regular(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            return file
        file.close()  # it was replaced while we waited


def version(status):
    """Another one is another text."""
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]


def write_whole(path, data, only_new=False, read=None):
    """
    Writes a new file in the same folder, which takes the name when it is on disk. A link is
    followed; mode, owner, attributes and hard links of the old file stay. read: the status of the file that was
    read for it; another one is not replaced. Returns the real path, and the os.stat_result of the
    old file, or None, and of the new one.
    """
    target = os.path.realpath(path)
    old = status_of(target)
    if old is not None:
        check_replaceable(target, old, only_new)
    try:
        new = put(target, data, old, read) if old is None else replace(target, data, old, read or old)
    except FileExistsError:
        fail(f"{shown(target)} is already there")
    except OSError as error:
        what = "the old file is as it was" if old is not None else "no file was made"
        fail(f"{shown(target)}: {error.strerror}: {what}")
    return target, old, new


def replace(target, data, old, read):
    if old.st_nlink == 1:
        try:
            return put(target, data, old, read)
        except OSError as error:
            if error.errno not in IRREPLACEABLE:
                raise
    return put_in_place(target, data, old, read)


def status_of(path):
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def check_replaceable(target, old, only_new):
    if only_new:
        fail(f"{shown(target)} is already there")
    check_regular(target, old)
    if not os.access(target, os.W_OK):
        fail(f"{shown(target)} is read-only (mode {stat.S_IMODE(old.st_mode):o}): chmod u+w it first")


def check_same(target, read):
    """Refuses to replace what another program has written meanwhile."""
    now = status_of(target)
    if now is None or version(now) != version(read):
        fail(f"{shown(target)} was changed by another program just now, and is as that has left it: read it again")


def put(target, data, old, read):
    folder = os.path.dirname(target)
    fd, name = open_temporary(folder, 0o666 if old is None else 0o600)
    try:
        write_all(fd, data)
        if old is not None:
            keep_attributes(fd, target, old)
        os.fsync(fd)
        new = os.fstat(fd)
        name = name or link_temporary(fd, folder)
        if old is None:
            link_new(name, target)
        else:
            check_same(target, read)
            os.rename(name, target)
            name = None
    finally:
        os.close(fd)
        if name is not None:
            with contextlib.suppress(FileNotFoundError):  # link_new() may have moved it
                os.unlink(name)
    sync_folder(folder)
    return new


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def put_in_place(target, data, old, read):
    """The room on disk is there before the old text is touched; kill -9 or a power cut can leave a part of the new one."""
    fd = os.open(target, os.O_WRONLY | os.O_CLOEXEC)
    try:
        check_same(target, read)
        try:
            if data:
                os.posix_fallocate(fd, 0, len(data))
        except OSError:
            os.ftruncate(fd, old.st_size)
            raise
        write_all(fd, data)
        os.ftruncate(fd, len(data))
        os.fsync(fd)
        return os.fstat(fd)
    finally:
        os.close(fd)


def place_note(old, new):
    """What an answer says of a file that was written in place."""
    if old is None or not os.path.samestat(old, new):
        return ""
    if old.st_nlink > 1:
        return f"It was written in place: its other names (hard links: {old.st_nlink - 1}) have the new text too.\n"
    return "It was written in place, since no other file can take its name.\n"


def link_new(name, target):
    """Unlike rename, never replaces a file that came meanwhile. Some disks have no links: there an empty file holds the name."""
    try:
        os.link(name, target)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        os.rename(name, target)


def temporary_name(folder):
    return os.path.join(folder, f".muxbus-{os.getpid()}-{os.urandom(4).hex()}")


def open_temporary(folder, mode):
    """A file without a name, of which kill -9 leaves nothing, where the disk has such files."""
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode), None
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            raise
    name = temporary_name(folder)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode), name


def link_temporary(fd, folder):
    """Names the file of a descriptor. Only with dst_dir_fd does Python follow the link in /proc."""
    name = temporary_name(folder)
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.link(f"/proc/self/fd/{fd}", os.path.basename(name), dst_dir_fd=at)
    finally:
        os.close(at)
    return name


def keep_attributes(fd, target, old):
    """The owner comes first, since a change of owner clears bits of the mode."""
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))
    kept = os.listxattr(target)
    for name in os.listxattr(fd):
        if name not in kept:
            with contextlib.suppress(OSError):
                os.removexattr(fd, name)  # such as an ACL that the folder gives to new files
    for name in kept:
        try:
            os.setxattr(fd, name, os.getxattr(target, name))
        except OSError:
            pass  # attributes that only the system sets


def sync_folder(folder):
    """As far as it can be done: the file has its name already."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
