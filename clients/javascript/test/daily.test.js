/** What is used every day: what is said and claimed goes in, what is to be read comes out. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Context, NotFound, RevisionConflict, Remembrancer } from '../src/index.js'
import { alone, AT, taken } from './service.js'

const SAID = 'The wetsuits of order TW-118 go to Oban.'
const QUESTION = 'Where do the wetsuits of order TW-118 go?'

test('what was said is found, and stands in the context of its session', async () => {
  const client = alone()
  const occurredAt = new Date('2026-03-01T10:00:00Z')
  const { outcome, record } = await client.addMessage(SAID, { session: 's', speaker: 'Mira', tags: ['order'], occurredAt })
  assert.deepEqual([outcome, record.kind, record.number, record.speaker], ['created', 'message', 1, 'Mira'])
  assert.equal(Date.parse(record.occurred_at), occurredAt.getTime())

  const found = await client.searchMemory(QUESTION, { filter: { tags: ['order'] }, maxTokens: 500 })
  assert.deepEqual(found.hits.map((hit) => hit.record.id), [record.id])
  const block = await client.getContext({ session: 's', question: QUESTION, mode: 'search' })
  assert.match(block.text, /order TW-118 go to Oban/)
  assert.deepEqual((await client.searchMemory(QUESTION, { filter: { tags: ['other'] } })).hits, [])

  const context = await client.getContext({ session: 's', question: 'And then?', workType: null })
  assert.ok(context instanceof Context)
  assert.ok(context.text.startsWith(context.prefix))
  assert.match(context.prefix, /Mira \(user\): The wetsuits/)
  assert.deepEqual(context.messages[0], { role: 'user', content: `Mira: ${SAID}` })
  assert.equal(context.messages.at(-1).role, 'system')
  assert.ok(context.report.tokens > 0)
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(context))), ['block', 'report', 'format'])
})

test('a claim is saved, changed, looked back at, taken away and brought back', async () => {
  const client = alone()
  const { record } = await client.save('Mira lives in Oban.', { topicKey: 'mira/home', type: 'preference' })
  assert.equal((await client.get({ topicKey: 'mira/home' })).id, record.id)
  const edited = await client.edit(record.id, { text: 'Mira lives in Lisbon.', revision: record.revision })
  assert.equal(edited.record.revision, 2)
  await assert.rejects(client.edit(record.id, { text: 'Mira lives in Porto.', revision: 1 }), RevisionConflict)
  const texts = (await client.timeline.history({ topicKey: 'mira/home' })).map((version) => version.record.text)
  assert.deepEqual(texts, ['Mira lives in Oban.', 'Mira lives in Lisbon.'])
  assert.equal((await client.get(record.id, { asOf: record.recorded_at })).text, 'Mira lives in Oban.')
  assert.match((await client.explain('Where does Mira live?', record.id)).stage, /./)

  assert.equal(await client.delete(record.id), null)
  await assert.rejects(client.get(record.id), NotFound)
  await assert.rejects(client.get({ topicKey: 'mira/home' }), NotFound)
  assert.equal((await client.restore(record.id)).text, 'Mira lives in Lisbon.')
  await client.delete({ topicKey: 'mira/home' })
  await client.restore(record.id)
  await client.governance.erasure.erase('she asked for it', { memories: [record.id] })
  await assert.rejects(client.restore(record.id), NotFound)
})

test('lists and the timeline go on where their cursor says', async () => {
  const client = alone()
  const messages = [1, 2, 3].map((n) => ({ text: `Point ${n}`, occurredAt: new Date(Date.UTC(2026, 0, n)) }))
  await client.messages.recordMany(messages)
  const first = await client.getTimeline({ limit: 2, since: new Date(0) })
  const rest = await client.getTimeline({ limit: 2, since: new Date(0), cursor: first.cursor })
  assert.deepEqual([...first.records, ...rest.records].map((one) => one.text), ['Point 3', 'Point 2', 'Point 1'])
  assert.equal(rest.cursor, null)
  const named = await client.getTimeline(new Date(0), new Date(Date.UTC(2100, 0)), { limit: 2 })
  assert.deepEqual(named.records, first.records)
  assert.deepEqual((await client.getTimeline(null, new Date(0))).records, [])
  const within = await client.getTimeline({ until: new Date(Date.UTC(2026, 0, 2)), asOf: new Date() })
  assert.deepEqual(within.records.map((one) => one.text), ['Point 2', 'Point 1'])
  assert.equal((await client.list({ kinds: ['message', 'fact'], limit: 1 })).records.length, 1)
  assert.deepEqual((await client.list({ kinds: ['fact'] })).records, [])
})

test('a question is answered with what it rests on, and a model replies and executes', async () => {
  const client = alone()
  const { record } = await client.addMessage(SAID)
  const answer = await client.ask(QUESTION)
  assert.deepEqual([answer.known, answer.citations[0].id], [true, record.id])
  const reply = await client.sessions.reply('s', QUESTION, { instructions: 'Be brief.' })
  assert.ok(reply.context instanceof Context)
  const done = await client.sessions.execute('Tell the carrier where order TW-118 goes.', { session: 's' })
  assert.match(done.context.text, /memory-block/)
  assert.equal(done.messages.length, 2)
})

test('what nobody has said is not known, and costs no error', async () => {
  const client = alone()
  assert.deepEqual((await client.searchMemory('Who is Zaphod?')).hits, [])
  assert.equal((await client.ask('Who is Zaphod?')).known, false)
  assert.match((await client.getContext()).text, /Today is/)
  assert.deepEqual((await client.getTimeline()).records, [])
  assert.deepEqual(await taken(client.exportMemory()), [])
  await assert.rejects(client.get('nothing'), { name: 'NotFound', code: 'not-found', status: 404 })
})

test('words of all scripts come back as they were, and names of a caller too', async () => {
  const client = alone()
  const text = 'Zoë fährt nach 東京 — مرحبا 👩🏽‍🚀 e\u0301 "\\ \u2028'
  const metadata = { camelCase: { innerName: 1 }, 'mit Leerzeichen': ['ü'] }
  const { record } = await client.addMessage(text, { session: 'Gespräch №1 ?#&%', speaker: 'Zoë', metadata })
  assert.deepEqual([record.text, record.session, record.metadata], [text, 'Gespräch №1 ?#&%', metadata])
  assert.deepEqual((await client.get(record.id)).metadata, metadata)
  assert.equal((await client.sessions.stats('Gespräch №1 ?#&%')).messages, 1)
  await client.facts.set('größe ?#', { innerName: '3 m' })
  assert.deepEqual((await client.facts.get('größe ?#')).details.value, { innerName: '3 m' })
  assert.equal((await client.list({ sessions: ['Gespräch №1 ?#&%'] })).records[0].text, text)
  assert.equal((await client.within({ user: 'Łukasz & 仁' }).addMessage('Hi')).record.scope.user, 'Łukasz & 仁')
  for await (const memory of client.exportMemory()) if (memory.kind === 'message') assert.equal(memory.text, text)
})

test('a client sees its scope and its clearance, and nothing beside', async () => {
  const client = alone()
  const [ana, bo] = [client.within({ user: 'ana' }), client.within({ user: 'bo' })]
  const { record } = await ana.addMessage('Ana likes tea.')
  const shared = await client.save('Everybody likes biscuits.')
  const closed = await client.save('The safe is behind the picture.', { classification: 'restricted' })
  assert.equal(record.scope.user, 'ana')
  await assert.rejects(bo.get(record.id), NotFound)
  await assert.rejects(bo.within({ agent: undefined, user: null }).get(record.id), NotFound)
  assert.equal((await bo.get(shared.record.id)).text, 'Everybody likes biscuits.')
  assert.deepEqual(await taken(bo.exportMemory()).then((all) => all.map((one) => one.id).includes(record.id)), false)
  await assert.rejects(client.within({ clearance: 'internal' }).get(closed.record.id), NotFound)
  assert.equal((await client.within({ user: 'ana' }).within({ clearance: 'public' }).list()).records.length, 0)
  assert.equal((await new Remembrancer({ ...AT }).within({ project: record.scope.project, user: 'ana' }).list()).records.length, 3)
})

test('another client remembers what the first one was told', async () => {
  const project = `p-${crypto.randomUUID()}`
  await alone({ project }).addMessage(SAID)
  assert.equal((await alone({ project }).searchMemory(QUESTION)).hits.length, 1)
})

test('an operator lists and exports the memories of all scopes', async () => {
  const project = alone({ project: `p-${crypto.randomUUID()}` })
  const saved = await Promise.all(['ana', 'bo'].map((user) => project.within({ user }).save(`It is known to ${user}.`)))
  const ids = saved.map((one) => one.record.id).sort()
  const { records } = await project.list({ allScopes: true })
  assert.deepEqual(records.map((one) => one.id).sort(), ids)
  assert.deepEqual(records.map((one) => one.scope.user).sort(), ['ana', 'bo'])
  assert.deepEqual(await taken(project.exportMemory()), [])
  assert.deepEqual((await taken(project.exportMemory({ allScopes: true }))).map((one) => one.id).sort(), ids)
})
