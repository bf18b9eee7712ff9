/** The session of the OpenAI Agents SDK and the middleware of the AI SDK, called as those packages call them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryMiddleware } from '../src/ai-sdk.js'
import { RemembrancerSession } from '../src/openai-agents.js'
import { alone } from './service.js'

const ITEMS = [
  { role: 'user', content: [{ type: 'input_text', text: 'look' }, { type: 'input_image', image: 'data:image/png;base64,AA' }] },
  { type: 'reasoning', id: 'r1', content: [] },
  { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', providerData: { aB_c: [1, null] } },
  { type: 'function_call_result', callId: 'c1', name: 'weather', status: 'completed', output: { type: 'text', text: 'rain' } },
  { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'It rains.' }] },
]

test('items of a session come back whole, in order and within a limit', async () => {
  const memory = alone()
  const session = new RemembrancerSession('talk', memory)
  assert.equal(await session.getSessionId(), 'talk')
  await session.addItems(ITEMS.slice(0, 2))
  await session.addItems(ITEMS.slice(2))
  await session.addItems([])
  assert.deepEqual(await session.getItems(), ITEMS)
  assert.deepEqual(await new RemembrancerSession('talk', memory, { bounded: false }).getItems(), ITEMS)
  assert.deepEqual(await session.getItems(2), ITEMS.slice(-2))
  assert.deepEqual(await session.getItems(0), [])
  const { records } = await memory.list({ sessions: ['talk'] })
  assert.deepEqual(records.reverse().map(({ role, text }) => [role, text]), [
    ['user', 'look\n[input_image]'],
    ['assistant', ''],
    ['assistant', '[calls weather({"city":"Oslo"})]'],
    ['tool', 'rain'],
    ['assistant', 'It rains.'],
  ])
  assert.deepEqual(await session.popItem(), ITEMS.at(-1))
  assert.deepEqual(await session.getItems(), ITEMS.slice(0, -1))
  await session.clearSession()
  assert.deepEqual([await session.getItems(), await session.popItem()], [[], undefined])
})

test('a session reads what other programs recorded in it', async () => {
  const memory = alone()
  await memory.addMessage('hi', { session: 'talk' })
  await memory.addMessage('hello', { session: 'talk', role: 'assistant' })
  assert.deepEqual(await new RemembrancerSession('talk', memory).getItems(), [
    { role: 'user', content: 'hi' },
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'hello' }] },
  ])
})

const asked = (text) => ({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }] })

test('the middleware adds what is known, and records each turn once', async () => {
  const memory = alone()
  await memory.save('Ana cannot stand early flights', { type: 'preference' })
  const middleware = memoryMiddleware({ memory, session: 'talk' })
  const params = await middleware.transformParams({ type: 'generate', params: asked('Which flight does Ana like?') })
  assert.equal(params.prompt[0].role, 'system')
  assert.match(params.prompt[0].content, /Ana cannot stand early flights/)
  const doGenerate = async () => ({ content: [{ type: 'text', text: 'The one ' }, { type: 'text', text: 'at noon.' }] })
  // Each step of a tool loop calls the model, and a retry calls it again.
  const failing = async () => { throw new Error('overloaded') }
  await assert.rejects(middleware.wrapGenerate({ doGenerate: failing, params }))
  await middleware.wrapGenerate({ doGenerate, params })
  const loop = [...params.prompt, { role: 'assistant', content: [] }, { role: 'tool', content: [] }]
  await middleware.wrapGenerate({ doGenerate, params: { ...params, prompt: loop } })
  const { records } = await memory.list({ sessions: ['talk'] })
  assert.deepEqual(records.reverse().map(({ role, text }) => [role, text]), [
    ['user', 'Which flight does Ana like?'],
    ['assistant', 'The one at noon.'],
  ])
})

test('the middleware records a stream when it ends', async () => {
  const memory = alone()
  const middleware = memoryMiddleware({ memory, session: 'talk', specificationVersion: 'v3' })
  assert.equal(middleware.specificationVersion, 'v3')
  const parts = [{ type: 'text-delta', delta: 'At ' }, { type: 'text-delta', delta: 'noon.' }, { type: 'finish' }]
  const doStream = async () => ({ stream: ReadableStream.from(parts) })
  const { stream } = await middleware.wrapStream({ doStream, params: asked('When?') })
  const seen = []
  for await (const part of stream) seen.push(part)
  assert.deepEqual(seen, parts)
  const { records } = await memory.list({ sessions: ['talk'] })
  assert.deepEqual(records.map(({ text }) => text), ['At noon.', 'When?'])
  const cancelled = await middleware.wrapStream({ doStream, params: asked('When?') })
  const reader = cancelled.stream.getReader()
  await reader.read()
  await reader.cancel('enough')
  const after = (await memory.list({ sessions: ['talk'] })).records.map(({ text }) => text)
  assert.deepEqual(after, ['At ', 'When?', 'At noon.', 'When?'])
  const silent = memoryMiddleware({ memory, session: 'other', record: false })
  await silent.wrapGenerate({ doGenerate: async () => ({ content: [] }), params: asked('Nothing?') })
  assert.deepEqual((await memory.list({ sessions: ['other'] })).records, [])
})
