/** Each resource, and that each operation has a route. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RemembrancerError, Unauthenticated } from '../src/index.js'
import { OPERATIONS } from '../src/operations.js'
import { alone, until } from './service.js'

test('every operation is a method of its resource, and the service has its route', async () => {
  const client = alone({ retries: 0 })
  for (const [name, { takes = [], file, streams }] of Object.entries(OPERATIONS)) {
    const method = name.split('.').reduce((owner, part) => owner[part], client)
    const given = takes.map((taken) => (taken === file ? '' : taken === 'first' ? 1 : 'nothing'))
    const asked = streams ? method(...given).whole() : method(...given)
    const error = await asked.catch((reason) => reason)
    if (!(error instanceof Error)) continue
    assert.ok(error instanceof RemembrancerError, `${name}: ${error}`)
    const told = `${name}: ${error.code} ${error.message}`
    assert.ok(!['no-such-route', 'no-such-method', 'unexpected', 'error', 'unreachable'].includes(error.code), told)
  }
})

test('messages and observations come many at a time', async () => {
  const client = alone()
  const turn = { conversation: 'c', session: 's', position: 0, role: 'user', text: 'Hello', writtenAt: new Date(0) }
  assert.equal((await client.messages.importTurns([turn])).created, 1)
  assert.equal((await client.messages.importTurns([turn])).deduped, 1)
  const [said] = await client.messages.recordMany([{ text: 'Hello again', session: 's', metadata: { aB: 1 } }])
  assert.deepEqual(said.record.metadata, { aB: 1 })
  const [saved] = await client.observations.saveMany([{ text: 'They greet twice.', topicKey: 'greeting' }])
  assert.equal(saved.record.topic_key, 'greeting')
})

test('a session is started, observed, summarised and ended', async () => {
  const client = alone()
  const { session, is_new } = await client.sessions.start({ id: 's', maxTokens: 500 })
  assert.deepEqual([session.id, is_new], ['s', true])
  await client.addMessage('I moved to Lisbon.', { session: 's' })
  assert.equal(typeof (await client.notes.observe('s')), 'number')
  const [chunk] = await client.notes.chunks('s')
  assert.ok(Array.isArray(await client.notes.ofChunk('s', chunk.first)))
  assert.ok(Array.isArray(await client.notes.log('s')))
  await client.sessions.summarise('s', 'They moved.', { title: 'Moving' })
  assert.equal((await client.sessions.end('s')).status, 'completed')
  assert.deepEqual((await client.sessions.list({ limit: 5 })).map((one) => one.id), ['s'])
  assert.deepEqual(await client.notes.failed(), [])
})

test('the timeline shows what stood around, and what changed since', async () => {
  const client = alone()
  const earlier = new Date(Date.now() - 60_000)
  const [, middle] = await client.messages.recordMany(['One', 'Two', 'Three'].map((text) => ({ text, session: 's' })))
  const around = await client.timeline.around(middle.record.id, { before: 1, after: 1 })
  assert.deepEqual([...around.before, ...around.after].map((one) => one.text), ['One', 'Three'])
  const { learnt } = await client.timeline.diff(earlier, new Date(Date.now() + 60_000))
  assert.equal(learnt.length, 3)
})

test('contexts are injected, and it is known which', async () => {
  const client = alone()
  await client.save('Mira keeps bees in Oban.')
  const question = 'What does Mira keep in Oban?'
  const prompt = await client.context({ mode: 'prompt', session: 's', question, budget: { tokens: 300 } })
  assert.equal(typeof prompt.text, 'string')
  assert.equal(typeof (await client.context({ mode: 'brief' })).text, 'string')
  assert.match((await client.context({ mode: 'search', session: 's', question })).text, /bees/)
  assert.ok((await client.sessions.injections('s')).length > 0)
})

test('episodes are recorded one by one, together, and at the end of a run', async () => {
  const client = alone()
  const attributes = { orderNumber: 118 }
  const { record } = await client.episodes.record('Sent order TW-118.', { contact: 'mira', attributes, outcome: 'done' })
  assert.deepEqual(record.details.attributes, attributes)
  await client.episodes.recordMany([{ summary: 'Sent order TW-119.', contact: 'mira', occurredAt: new Date() }])
  await client.episodes.signal('correction', { contact: 'mira', summary: 'Not by post.' })
  const run = { payload: 'Send order TW-120.', entries: [{ part: 'step', text: 'Packed it.' }] }
  await client.episodes.endRun(run, { contact: 'mira' })
  const texts = (await client.episodes.list({ contact: 'mira' })).map((one) => one.text)
  assert.ok(['Sent order TW-118.', 'Sent order TW-119.'].every((text) => texts.includes(text)), texts)
})

test('a fact holds for its time', async () => {
  const client = alone()
  await client.facts.set('city', 'Oban', { category: 'profile', validFrom: new Date('2025-01-01T00:00:00Z') })
  await client.facts.set('city', 'Lisbon', { validFrom: new Date('2026-01-01T00:00:00Z') })
  assert.equal((await client.facts.get('city')).details.value, 'Lisbon')
  assert.equal((await client.facts.get('city', { at: new Date('2025-06-01T00:00:00Z') })).details.value, 'Oban')
  assert.equal((await client.facts.history('city')).length, 2)
  await client.facts.end('city')
  await assert.rejects(client.facts.get('city'), { name: 'NotFound' })
  assert.deepEqual(await client.facts.list(), [])
})

test('a rule is added, changed, paused and retired', async () => {
  const client = alone()
  const rule = await client.rules.add('Wetsuits go by the carrier.', { author: 'Jon' })
  const edited = await client.rules.edit(rule.id, 'Wetsuits never go by post.', { revision: rule.revision })
  assert.equal(edited.text, 'Wetsuits never go by post.')
  assert.equal((await client.rules.pause(rule.id)).status, 'paused')
  assert.equal((await client.rules.resume(rule.id)).status, 'active')
  await client.rules.retire(rule.id)
  assert.deepEqual(await client.rules.list(), [])
  assert.equal((await client.rules.list({ all: true })).length, 1)
  assert.deepEqual(await client.rules.refused(), [])
})

test('people say what is right, and why it is known', async () => {
  const client = alone()
  const { record } = await client.save('Mira likes tea.')
  const { record: other } = await client.save('Mira drinks tea.')
  await client.feedback(record.id, 'right', { person: 'jon' })
  assert.deepEqual((await client.evidence(record.id)).verdicts.map((one) => one.verdict), ['right'])
  await client.feedback(other.id, 'wrong')
  assert.equal((await client.feedback(other.id, 'undo')).status, 'active')
  await client.scores.rate(record.id, 1)
  await client.scores.boost(record.id, 0.5)
  await client.scores.pin(record.id)
  assert.equal((await client.scores.get(record.id)).pinned, true)
  await client.scores.unpin(record.id)
  await client.patterns.merge(record.id, other.id)
  assert.ok(Array.isArray(await client.patterns.list({ all: true })))
  assert.ok(Array.isArray((await client.admin.maintenance.dryRun()).left))
  await client.admin.maintenance.run()
  await client.admin.maintenance.latest()
})

test('upkeep tells numbers and costs', async () => {
  const client = alone()
  await client.addMessage('Hello')
  assert.equal((await client.admin.stats()).records['message/active'], 1)
  assert.ok(Array.isArray((await client.admin.costs({ days: 1 })).days))
  assert.equal(await client.admin.flush(), null)
  await assert.rejects(client.admin.index.missing(), { name: 'InvalidInput', status: 422 })
  assert.ok((await client.admin.index.rebuild()) > 0)
  assert.ok(Array.isArray(await client.admin.doctor({ repair: false })))
})

test('an access key opens what it is for, until it is rotated or revoked', async () => {
  const project = `p-${crypto.randomUUID()}`
  const client = alone({ project: undefined })
  const made = await client.admin.keys.create('reader', { project, user: 'ana', rights: ['read'], days: 1 })
  const reader = alone({ key: made.token, project: undefined })
  assert.deepEqual((await reader.list()).records, [])
  await assert.rejects(reader.addMessage('Hello'), { name: 'NotAllowed', code: 'not-allowed', status: 403 })
  await assert.rejects(reader.within({ user: 'bo' }).list(), { name: 'NotFound' })
  const rotated = await client.admin.keys.rotate(made.key.id)
  await until(() => reader.list().then(() => false, (error) => error instanceof Unauthenticated))
  assert.deepEqual((await alone({ key: rotated.token, project: undefined }).list()).records, [])
  assert.ok((await client.admin.keys.revoke(made.key.id)).revoked_at)
  assert.ok((await client.admin.keys.list()).some((key) => key.id === made.key.id))
})

test('a job goes on beside', async () => {
  const client = alone()
  const job = await client.admin.jobs.start('nightly')
  assert.equal(job.work, 'nightly')
  assert.equal((await client.admin.jobs.get(job.id)).id, job.id)
  assert.ok((await client.admin.jobs.list({ limit: 10 })).some((one) => one.id === job.id))
  await client.admin.jobs.cancel(job.id)
})

test('metadata is a filter of lists and of recall', async () => {
  const client = alone()
  const { record } = await client.save('The pump of the first hall hums.', { metadata: { path: 'a.py', lineNo: 7 } })
  await client.save('The pump of the second hall hums.', { metadata: { path: 'a.py', lineNo: '7' } })
  const asked = { metadata: { path: 'a.py', lineNo: 7 } }
  assert.deepEqual((await client.list(asked)).records.map(({ id }) => id), [record.id])
  assert.deepEqual((await client.recall('Which pump hums?', { filter: asked })).hits.map((hit) => hit.record.id), [record.id])
})
