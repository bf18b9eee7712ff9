/** How users meet the types; only type-checked: `npm run types`. */

import { Context, NotFound, RevisionConflict, Remembrancer, RemembrancerError } from 'remembrancer'
import type { Answer, Happening, Memory, Message, NewMessage, Recalled, SavedFact } from 'remembrancer'

const client = new Remembrancer({ url: new URL('http://127.0.0.1:8077'), key: 'rmb_1', timeout: 5_000, fetch })
const ana: Remembrancer = client.within({ user: 'ana', clearance: 'internal' })

const said: Message = (await ana.addMessage('I moved to Lisbon', { session: 's', occurredAt: new Date() })).record
const many: NewMessage[] = [{ text: 'Hello', occurredAt: '2026-01-01T00:00Z', metadata: { seenBy: 1 } }]
await client.messages.recordMany(many, { idempotencyKey: 'k' })
await client.messages.importFile('{}', { name: 'chat.jsonl', skipBad: true })

const context: Context = await ana.getContext({ session: 's', question: 'Where?', budget: { slots: { recalled: 500 } } })
const [text, prefix, tokens]: [string, string, number] = [context.text, context.prefix, context.report.tokens]
const roles: string[] = context.messages.map((message) => `${message.role}: ${message.content}`)

const found: Recalled = await ana.searchMemory('Where?', { maxTokens: 500, filter: { tags: ['home'] }, asOf: new Date(), signal: AbortSignal.timeout(9) })
const block: string = (await ana.context({ mode: 'search', question: 'Where?' })).text
for (const { record, score } of found.hits) {
  if (record.kind === 'observation') console.log(record.topic_key, score)
  // @ts-expect-error: only some kinds have a title
  else console.log(record.title)
}

const page = await ana.getTimeline({ since: new Date(0), limit: 10, asOf: new Date() })
const memory: Memory | undefined = page.records[0]
const named: Memory = await ana.get({ topicKey: 'home' })
const fact: SavedFact = await client.facts.set('city', { name: 'Lisbon' }, { category: 'profile', validFrom: new Date() })
await client.governance.erasure.erase('asked for', { memories: ['id'] })

const pieces = client.askStream('Where?')
for await (const piece of pieces) console.log(piece.toUpperCase())
const answer: Answer = await pieces.whole()

for await (const one of client.exportMemory()) console.log(one.kind)
for await (const happening of client.events({ lastEventId: '' })) {
  const { event, kind, lastEventId }: Happening = happening
  console.log(event, kind, lastEventId)
}

try {
  await client.edit('id', { text: 'New', revision: 2 })
} catch (error) {
  if (error instanceof RevisionConflict || error instanceof NotFound) console.log(error.status, error.problem['id'])
  if (error instanceof RemembrancerError && error.code === 'too-many-requests') console.log(error.retryAfter)
}

// @ts-expect-error: a message has a text
await client.record()
// @ts-expect-error: options are in camelCase
await client.recall('Where?', { max_tokens: 5 })
// @ts-expect-error: a topic key or an id is needed
await client.get({ asOf: new Date() })

export { answer, block, fact, memory, named, prefix, roles, said, text, tokens }
