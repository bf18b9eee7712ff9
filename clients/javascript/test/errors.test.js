/** What a caller is told when something is wrong. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  BudgetExceeded,
  InvalidInput,
  NotAllowed,
  NotFound,
  Remembrancer,
  RemembrancerError,
  Unauthenticated,
  Unavailable,
} from '../src/index.js'
import { alone, AT, played, tell } from './service.js'

test('an error is of its class, and tells code, status and request', async () => {
  const error = await alone().get('nothing').catch((reason) => reason)
  assert.ok(error instanceof NotFound && error instanceof RemembrancerError && error instanceof Error)
  assert.deepEqual([error.name, error.code, error.status, error.retryable], ['NotFound', 'not-found', 404, false])
  assert.match(error.requestId, /^[0-9a-f]{16}$/)
  assert.equal(error.problem.id, 'nothing')
  assert.match(String(error), /^NotFound: no memory 'nothing' here$/)
})

test('what is not allowed as it is says what to change', async () => {
  const client = alone()
  await assert.rejects(client.list({ limit: 0 }), { name: 'InvalidInput', code: 'invalid-input', status: 422 })
  const unknown = await client.recall('Where?', { nonsense: 1 }).catch((reason) => reason)
  assert.ok(unknown instanceof InvalidInput)
  assert.equal(unknown.problem.faults[0].where, 'nonsense')
  await assert.rejects(client.addMessage('half \ud800'), InvalidInput)
  await assert.rejects(client.admin.keys.rotate('nothing'), NotFound)
  await assert.rejects(client.within({ clearance: 'nonsense' }).list(), InvalidInput)
})

test('what cannot be asked is not asked', async () => {
  const client = alone({ fetch: () => assert.fail('it was asked') })
  const wrong = [
    () => client.addMessage(),
    () => client.addMessage('Hello', 'session'),
    () => client.addMessage('Hello', {}, {}),
    () => client.facts.get(''),
    () => client.facts.get('..'),
    () => client.facts.get('\ud800'),
    () => client.getTimeline({ since: new Date(NaN) }),
    () => client.addMessage('Hello', { idempotencyKey: 'zwölf 仁' }),
  ]
  for (const call of wrong) await assert.rejects(call, InvalidInput, String(call))
  assert.throws(() => new Remembrancer({ url: 'nowhere' }), InvalidInput)
  assert.throws(() => new Remembrancer({ url: 'file:///m.db' }), InvalidInput)
  assert.throws(() => new Remembrancer({ key: 'rmb_\n1' }), InvalidInput)
  assert.throws(() => new Remembrancer({ apiKey: 'rmb_1' }), InvalidInput)
})

test('a key that opens nothing is refused, and stands in no text of the client', async () => {
  const client = alone({ key: 'rmb_nothing', retries: 0 })
  const error = await client.list().catch((reason) => reason)
  assert.ok(error instanceof Unauthenticated && error instanceof NotAllowed)
  assert.doesNotMatch(JSON.stringify(client) + String(error.stack) + JSON.stringify(error), /rmb_nothing/)
})

test('a service that is not there is unavailable', async () => {
  const client = new Remembrancer({ url: 'http://127.0.0.1:1', retries: 0 })
  await assert.rejects(client.list(), (error) => {
    assert.ok(error instanceof Unavailable)
    assert.deepEqual([error.code, error.status, error.retryable], ['unreachable', 0, true])
    return error.cause instanceof Error
  })
})

test('what stands before the service may answer anything', async (t) => {
  const answers = [
    [401, '<html>', Unauthenticated],
    [403, '', NotAllowed],
    [404, '<html>', InvalidInput],
    [402, { code: 'budget-exceeded', detail: 'spent' }, BudgetExceeded],
    [500, 'Internal Server Error', Unavailable],
    [502, '[]', Unavailable],
    [200, '<html>', RemembrancerError],
    [418, { code: 'a-new-code', status: 418, detail: 'tea' }, InvalidInput],
  ]
  const { url } = await played(t, (response, place) => tell(response, ...answers[place - 1].slice(0, 2)))
  for (const [, , kind] of answers) {
    const error = await new Remembrancer({ url, retries: 0 }).list().catch((reason) => reason)
    assert.equal(error.constructor, kind)
  }
})

test('a service may stand below a path', async (t) => {
  const { url, asked } = await played(t, (response) => tell(response, 200, { records: [], cursor: null }))
  await new Remembrancer({ url: `${url}/memory/?x=1`, key: 'k', tenant: 'acme', agent: 'a b' }).list({ tags: ['x', 'y'] })
  assert.equal(asked[0].url, '/memory/v1/memories?tags=x&tags=y&agent=a+b')
  assert.equal(asked[0].headers.authorization, 'Bearer k')
  assert.equal(asked[0].headers['x-tenant-id'], 'acme')
})

test('without an address it is the one of this machine', async () => {
  const addresses = []
  const fetch = async (url) => {
    addresses.push(url)
    return Response.json([])
  }
  await new Remembrancer({ fetch }).facts.list()
  await new Remembrancer({ ...AT, fetch }).facts.list()
  assert.deepEqual(addresses, ['http://127.0.0.1:8077/v1/facts', `${AT.url}/v1/facts`])
})
