"""The plugin for OpenCode, run by Node as OpenCode runs it: hooks change what they are given."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from remembrancer import Filter, Message, Scope, SyncMemory
from remembrancer.cli.app import app
from remembrancer.cli.project import project_of
from remembrancer.client.hook_spool import spool_of, spooled
from tests.coding_agents_help import help_now
from tests.node import node_here, ran

PROGRAM = """
import { Remembrancer } from %(plugin)s
const messages = [
  { info: { id: 'm1', role: 'user', time: { created: 1760000000000 } }, parts: [
    { type: 'text', text: 'Add a retry' }, { type: 'text', text: 'a file', synthetic: true } ] },
  { info: { id: 'm2', role: 'assistant', time: { created: 1760000005000 } }, parts: [
    { type: 'reasoning', text: 'hm' }, { type: 'text', text: 'Added' } ] },
  { info: { id: 'm3', role: 'assistant', summary: true, time: { created: 1760000006000 } }, parts: [
    { type: 'text', text: 'A summary' } ] },
]
const client = { session: { messages: async () => ({ data: messages }) } }
const hooks = await Remembrancer({ client, directory: %(folder)s, worktree: '/' })
const system = ['You are a coding agent.']
await hooks['chat.message']({ sessionID: 's1' }, { parts: [{ type: 'text', text: 'Which packages do I prefer?' }] })
await hooks['experimental.chat.system.transform']({ sessionID: 's1' }, { system })
for (const _ of [1, 2]) {
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's1' } } })
}
await hooks.event({ event: { type: 'message.updated', properties: {} } })
console.log(JSON.stringify(system))
"""


def test_the_plugin_records_a_session_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    db, folder = tmp_path / "m.db", tmp_path / "apollo"
    folder.mkdir()
    assert CliRunner().invoke(app, ["install", "opencode", "--yes", "--db", str(db)]).exit_code == 0
    spool_of(str(db)).mkdir()
    # A helper was started just now, so that none is started here.
    (spool_of(str(db)) / "helper.log").touch()
    plugin = tmp_path / ".config" / "opencode" / "plugin" / "remembrancer.js"
    program = tmp_path / "run.mjs"
    program.write_text(PROGRAM % {"plugin": json.dumps(str(plugin)), "folder": json.dumps(str(folder))})
    printed = ran([*node_here().node, str(program)])
    # Without a helper nothing is known yet, and the agent goes on.
    assert json.loads(printed) == ["You are a coding agent."]
    assert len(list(spooled(spool_of(str(db))))) == 1
    help_now(db)
    with SyncMemory(db, embedder="none", background=False) as memory:
        page = memory.within(Scope(project=project_of(folder))).list(Filter())
    found = [one for one in reversed(page.records) if isinstance(one, Message)]
    assert [(one.role, one.text, one.session) for one in found] == [
        ("user", "Add a retry", "chat/s1"),
        ("assistant", "Added", "chat/s1"),
    ]
