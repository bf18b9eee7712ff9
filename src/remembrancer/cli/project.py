"""The project of a folder: the repository around it."""

from pathlib import Path
from zlib import crc32

HERE = "."
"""The name that stands for the project of the working folder."""
_GIT = ".git"
_GITDIR = "gitdir:"


def project_of(folder: Path) -> str:
    """Return the project of a folder: the name of its repository's root, and a checksum of the path.

    Worktrees of a repository are one project; two repositories of one name are two. Without a repository it is the
    folder itself.
    """
    root = repository_root(folder)
    return f"{root.name or 'root'}-{crc32(str(root).encode('utf-8', 'surrogateescape')):08x}"


def repository_root(folder: Path) -> Path:
    """Return the root of the repository around a folder, that of the main worktree; without one the folder."""
    folder = folder.resolve()
    for one in (folder, *folder.parents):
        git = one / _GIT
        if git.is_dir():
            return one
        if git.is_file():
            return _main_worktree(git) or one
    return folder


def _main_worktree(git: Path) -> Path | None:
    """Return the root of the repository whose worktree has a `.git` file; `None` for a submodule."""
    try:
        named = git.read_text("utf-8").strip()
        if not named.startswith(_GITDIR):
            return None
        own = (git.parent / named.removeprefix(_GITDIR).strip()).resolve()
        common = (own / (own / "commondir").read_text("utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError):
        return None
    return common.parent if common.name == _GIT else None
