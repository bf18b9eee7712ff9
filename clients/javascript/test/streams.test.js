/** What comes piece by piece: answers, what happens, files in and memories out. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Context, InvalidInput, Remembrancer, Unavailable } from '../src/index.js'
import { alone, played, taken, until } from './service.js'

const SAID = 'The wetsuits of order TW-118 go to Oban.'
const QUESTION = 'Where do the wetsuits of order TW-118 go?'

test('an answer comes in pieces of text, and last the whole', async () => {
  const client = alone()
  await client.addMessage(SAID)
  const pieces = client.askStream(QUESTION)
  const said = await taken(pieces)
  const answer = await pieces.whole()
  assert.ok(said.length > 1)
  assert.deepEqual([said.join(''), answer.known], [answer.text, true])
  assert.deepEqual(await pieces.next(), { value: undefined, done: true })
  assert.equal((await client.askStream('Who is Zaphod?').whole()).known, false)

  const steps = client.sessions.replyStream('s', QUESTION)
  let step = await steps.next()
  while (!step.done) step = await steps.next()
  assert.ok(step.value.context instanceof Context)
  const done = await client.sessions.executeStream('Tell the carrier of order TW-118.', { session: 's' }).whole()
  assert.ok(done.context instanceof Context)
  assert.equal((await client.list({ sessions: ['s'] })).records.length, 4)
})

test('a stream can be left, and aborted', async () => {
  const client = alone()
  await client.addMessage(SAID)
  const left = client.askStream(`Say slowly: ${QUESTION}`)
  assert.equal((await taken(left, 2)).length, 2)
  assert.equal(await left.whole(), undefined)
  const controller = new AbortController()
  const aborted = client.askStream(`Say slowly: ${QUESTION}`, { signal: controller.signal })
  await aborted.next()
  controller.abort()
  await assert.rejects(aborted.whole(), { name: 'AbortError' })
})

test('a model that breaks off is told as it would be without a stream', async () => {
  const client = alone({ retries: 0 })
  await client.addMessage(SAID)
  const pieces = client.askStream(`Say it broken: ${QUESTION}`)
  await assert.rejects(taken(pieces), { name: 'Unavailable', code: 'provider-unavailable', retryable: true })
  await assert.rejects(client.askStream(QUESTION, { limit: 0 }).next(), InvalidInput)
  await assert.rejects(client.askStream().next(), InvalidInput)
})

test('events are read however they are cut', async (t) => {
  const whole = Buffer.from(
    ': still here\r\n\r\nevent: piece\r\ndata: {"text":\r\ndata: "größer 🐝"}\r\n\r\nevent: done\ndata: {"text": "größer 🐝"}\n\n',
  )
  const { url } = await played(t, async (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (const byte of whole) {
      response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  const pieces = new Remembrancer({ url }).askStream('Where?')
  assert.deepEqual(await taken(pieces), ['größer 🐝'])
  assert.deepEqual(await pieces.whole(), { text: 'größer 🐝' })
})

test('a stream that ends before its end, or falls silent, says so', async (t) => {
  const { url } = await played(t, (response, place) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('event: piece\ndata: {"text": "To "}\n\n')
    if (place === 1) response.end()
    if (place === 2) setImmediate(() => response.destroy())
  })
  const client = new Remembrancer({ url, timeout: 50 })
  for (const code of ['broken-off', 'unreachable', 'timeout']) {
    const pieces = client.askStream('Where?')
    assert.equal((await pieces.next()).value, 'To ')
    await assert.rejects(pieces.next(), (error) => error instanceof Unavailable && error.code === code, code)
  }
})

test('what happens in a scope is told, and what happens elsewhere is not', async () => {
  const { promise: open, fetch } = opening()
  const client = alone({ fetch })
  const events = client.events()
  const first = events.next()
  await open
  await alone().save('Elsewhere it rains.')
  const { record } = await client.save('Mira likes tea.', { session: 's' })
  const { value } = await first
  assert.deepEqual(
    { ...value, at: '', lastEventId: '' },
    { event: 'learnt', id: record.id, kind: 'observation', session: 's', at: '', lastEventId: '' },
  )
  await events.return()
})

test('events go on where they were when a connection ends', async () => {
  const asked = []
  const { promise: open, fetch } = opening((init) => asked.push(init.headers['Last-Event-ID']))
  const client = alone({ fetch: async (url, init) => cut(await fetch(url, init)) })
  const writer = client.within({})
  const events = client.events()
  const first = events.next()
  await open
  const one = await writer.save('Mira likes tea.')
  const { value } = await first
  assert.equal(value.id, one.record.id)
  const two = await writer.save('Jon likes coffee.')
  assert.equal((await events.next()).value.id, two.record.id)
  // What was told already may be told again first, and that connection ended too.
  assert.deepEqual(asked.slice(0, 2), [undefined, value.lastEventId])
  await events.return()
})

test('events end when the caller wants it, and where they may not be read', async () => {
  const { promise: open, fetch } = opening()
  const controller = new AbortController()
  const waiting = alone({ fetch }).events({ signal: controller.signal }).next()
  await open
  controller.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  await assert.rejects(alone().events({ lastEventId: 'nonsense' }).next(), InvalidInput)
  await assert.rejects(new Remembrancer({ url: 'http://127.0.0.1:1', retries: 0 }).events().next(), Unavailable)
})

test('everything is exported, one memory after the other, over all pages', async () => {
  const client = alone()
  const messages = Array.from({ length: 250 }, (_, place) => ({ text: `Point ${place}`, session: 's' }))
  await client.messages.recordMany(messages)
  await client.facts.set('city', 'Oban')
  const memories = await taken(client.exportMemory())
  assert.equal(memories.length, 251)
  assert.equal(new Set(memories.map((memory) => memory.id)).size, 251)
  assert.deepEqual(memories.find((memory) => memory.kind === 'fact').details.value, 'Oban')
  assert.equal((await taken(client.exportMemory(), 3)).length, 3)
})

test('a file of chats is imported once, as a text, as bytes or as a file', async () => {
  const client = alone()
  const file = '{"role": "user", "content": "I moved to Lisbon"}\n{"role": "assistant", "content": "Schön! 🐝"}\n'
  assert.equal((await client.messages.importFile(file)).created, 2)
  assert.equal((await client.messages.importFile(new TextEncoder().encode(file))).deduped, 2)
  assert.equal((await client.messages.importFile(new Blob([file]), { name: 'chat.jsonl' })).deduped, 2)
  assert.equal((await client.list()).records[0].text, 'Schön! 🐝')
  const bad = `${file}{"role": "user"}\n`
  await assert.rejects(client.messages.importFile(bad), InvalidInput)
  await client.messages.importFile(bad, { skipBad: true })
  let job = await client.admin.jobs.import('{"role": "user", "content": "I moved to Porto"}\n')
  await until(async () => (job = await client.admin.jobs.get(job.id)).state !== 'running')
  assert.deepEqual([job.state, job.counts.created], ['done', 1])
})

/** A fetch, and a promise that the first request for events was let in. */
function opening(told = () => {}) {
  let opened
  const promise = new Promise((resolve) => (opened = resolve))
  const fetching = async (url, init) => {
    const response = await fetch(url, init)
    if (!url.includes('/v1/events')) return response
    told(init)
    opened()
    return response
  }
  return { promise, fetch: fetching }
}

/** A response whose connection ends behind its first event. */
function cut(response) {
  if (!response.headers.get('content-type').includes('event-stream')) return response
  const ending = new TransformStream({
    transform(part, controller) {
      controller.enqueue(part)
      if (new TextDecoder().decode(part).includes('data:')) controller.error(new TypeError('terminated'))
    },
  })
  return new Response(response.body.pipeThrough(ending), response)
}
