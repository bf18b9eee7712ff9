/** What is tried again, for how long, and that nothing is done twice by it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Conflict, Remembrancer, Unavailable } from '../src/index.js'
import { alone, played, tell, until } from './service.js'

/** A fetch that loses the answers to the first requests, after the service has done what they asked. */
function losing(most = 1) {
  const keys = []
  const fetching = async (url, init) => {
    const response = await fetch(url, init)
    keys.push(init.headers['Idempotency-Key'])
    if (keys.length > most) return response
    await response.text()
    throw new TypeError('fetch failed')
  }
  return { fetch: fetching, keys }
}

test('a write whose answer was lost is done once', async () => {
  const project = `p-${crypto.randomUUID()}`
  const client = alone({ project })
  const writes = {
    message: (own) => own.addMessage('Hello', { session: 's' }),
    observation: (own) => own.save('Mira likes tea.'),
    many: (own) => own.messages.recordMany([{ text: 'One', session: 's' }, { text: 'Two', session: 's' }]),
    episode: (own) => own.episodes.record('Sent order TW-118.'),
    fact: (own) => own.facts.set('city', 'Oban'),
    rule: (own) => own.rules.add('Be brief.'),
    session: (own) => own.sessions.start(),
    summary: (own) => own.sessions.summarise('s', 'They greeted.'),
  }
  for (const [name, write] of Object.entries(writes)) {
    const { fetch, keys } = losing()
    await write(alone({ project, fetch }))
    assert.equal(keys.length, 2, name)
    assert.match(keys[0], /^[0-9a-f]{32}$/, name)
    assert.equal(keys[0], keys[1], name)
  }
  const count = async (kind) => (await client.list({ kinds: [kind] })).records.length
  assert.equal(await count('message'), 3)
  assert.equal(await count('observation'), 2)
  assert.equal(await count('episode'), 1)
  assert.equal((await client.facts.history('city')).length, 1)
  assert.equal((await client.rules.list()).length, 1)
  assert.equal((await client.sessions.list()).length, 2)
})

test('the same key is done once over several calls too, and another one anew', async () => {
  const client = alone()
  const first = await client.addMessage('Hello', { session: 's', idempotencyKey: 'k1' })
  const again = await client.addMessage('Hello', { session: 's', idempotencyKey: 'k1' })
  const fresh = await client.addMessage('Hello', { session: 's', idempotencyKey: 'k2' })
  assert.equal(again.record.id, first.record.id)
  assert.notEqual(fresh.record.id, first.record.id)
  const together = Array.from({ length: 5 }, () => client.facts.set('city', 'Oban', { idempotencyKey: 'k3' }))
  assert.equal(new Set((await Promise.all(together)).map((one) => one.record.id)).size, 1)
  assert.equal((await client.facts.history('city')).length, 1)
  await assert.rejects(client.facts.set('city', 'Lisbon', { idempotencyKey: 'k3' }), Conflict)
})

test('the secret of an access key is told once', async () => {
  const client = alone({ fetch: losing().fetch, project: undefined })
  await assert.rejects(client.admin.keys.create('lost', { rights: ['read'], days: 1 }), Conflict)
})

test('what failed in passing is asked again, after the time that was asked for', async (t) => {
  const answers = [
    [503, { code: 'store-unavailable', retryable: true }, { 'Retry-After': '0' }],
    [429, { code: 'too-many-requests' }, { 'Retry-After': new Date(0).toUTCString() }],
    [408, ''],
    [200, { outcome: 'created' }],
  ]
  const { url, asked } = await played(t, (response, place) => tell(response, ...answers[place - 1]))
  assert.equal((await new Remembrancer({ url }).addMessage('Hello')).outcome, 'created')
  assert.equal(asked.length, 4)
  assert.equal(new Set(asked.map((one) => one.headers['idempotency-key'])).size, 1)
  assert.deepEqual(asked.map((one) => JSON.parse(one.body)), Array(4).fill({ text: 'Hello' }))
})

test('what will not go better is not asked again', async (t) => {
  const answers = [
    [409, { code: 'conflict', retryable: false }],
    [500, { code: 'unexpected' }],
    [502, { code: 'bad-model-output', retryable: true }],
    [503, { code: 'stopping' }, { 'Retry-After': '3600' }],
  ]
  const { url, asked } = await played(t, (response, place) => tell(response, ...answers[place - 1]))
  const client = new Remembrancer({ url })
  for (const code of ['conflict', 'unexpected', 'bad-model-output']) await assert.rejects(client.addMessage('Hello'), { code })
  await assert.rejects(client.addMessage('Hello'), { code: 'stopping', retryAfter: 3600 })
  assert.equal(asked.length, 4)
})

test('what begins something each time is asked for once', async (t) => {
  const { url, asked } = await played(t, (response) => tell(response, 503, { code: 'stopping' }))
  const client = new Remembrancer({ url })
  await assert.rejects(client.sessions.replyStream('s', 'Hello').next(), Unavailable)
  await assert.rejects(client.sessions.executeStream('Do it').next(), Unavailable)
  assert.equal(asked.length, 2)
})

test('each try has its time', async (t) => {
  const { url, asked } = await played(t, () => {})
  const client = new Remembrancer({ url, timeout: 30, retries: 1 })
  await assert.rejects(client.list(), { name: 'Unavailable', code: 'timeout' })
  assert.equal(asked.length, 2)
  await assert.rejects(client.list({ timeout: 20 }), /20 ms/)
  await assert.rejects(client.askStream('Where?').next(), { code: 'timeout' })
})

test('an answer that begins and does not end has its time too, or is broken off', async (t) => {
  const { url, asked } = await played(t, (response, place) => {
    response.writeHead(200, { 'Content-Length': 100 })
    response.write('{"records": [')
    if (place > 1) response.destroy()
  })
  await assert.rejects(new Remembrancer({ url, timeout: 30, retries: 0 }).list(), { code: 'timeout' })
  await assert.rejects(new Remembrancer({ url, retries: 0 }).list(), { code: 'unreachable' })
  assert.equal(asked.length, 2)
})

test('who aborts is told so at once, whatever goes on', async (t) => {
  const { url, asked } = await played(t, (response, place) => {
    if (place === 1) tell(response, 503, {}, { 'Retry-After': '30' })
  })
  const client = new Remembrancer({ url })
  const reason = new Error('enough')
  const before = AbortSignal.abort(reason)
  await assert.rejects(client.list({ signal: before }), reason)
  await assert.rejects(client.askStream('Where?', { signal: before }).next(), reason)
  await assert.rejects(client.exportMemory({ signal: before }).next(), reason)
  await assert.rejects(client.events({ signal: before }).next(), reason)
  assert.equal(asked.length, 0)
  // The first waits for its second try, the second for its answer.
  for (const place of [1, 2]) {
    const controller = new AbortController()
    const call = client.list({ signal: controller.signal })
    await until(() => asked.length === place)
    controller.abort(reason)
    await assert.rejects(call, reason)
  }
  await assert.rejects(client.list({ signal: AbortSignal.timeout(5) }), { name: 'TimeoutError' })
})
