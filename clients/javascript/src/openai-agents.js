/** A session of the OpenAI Agents SDK for JavaScript in a memory. */

const KIND = 'openai_agents_js_item'
const ROLES = new Set(['user', 'assistant', 'system'])
// A message that is no longer recalled is still part of its conversation.
const STATUSES = [
  'active', 'paused', 'merged', 'quarantined', 'demoted', 'dismissed', 'contradicted', 'retired', 'archived',
]
const PAGE = 1_000
const SHORT_PAGE = 100

/**
 * One conversation, durable across processes: `run(agent, input, { session })`.
 *
 * Items are kept whole, with the calls of tools, and are messages of the memory: observed, recalled, erased with their
 * user. A long conversation is returned as notes on its older part and its newer items.
 */
export class RemembrancerSession {
  #memory
  #id
  #bounded

  /** `memory`: a `Remembrancer`, whose scope owns the conversation; `bounded: false` returns every item. */
  constructor(id, memory, { bounded = true } = {}) {
    this.#id = id
    this.#memory = memory
    this.#bounded = bounded
  }

  async getSessionId() {
    return this.#id
  }

  /** The last items, oldest first; without a limit the bounded conversation. */
  async getItems(limit) {
    if (limit !== undefined && limit <= 0) return []
    if (limit !== undefined || !this.#bounded) return (await this.#latest(limit)).map(itemOf)
    const context = await this.#memory.getContext({ session: this.#id, recall: false })
    const { covered } = context.report
    const recent = withoutOrphans((await this.#after(covered)).map(itemOf))
    return covered ? [...context.known, ...recent] : recent
  }

  /** Records items in one transaction; when this returns, they are on disk. */
  async addItems(items) {
    if (items.length) await this.#memory.messages.recordMany(items.map((item) => messageOf(item, this.#id)))
  }

  /** Deletes the last item, and returns it. */
  async popItem() {
    const [last] = await this.#latest(1)
    if (!last) return undefined
    await this.#memory.delete(last.id)
    return itemOf(last)
  }

  /** Deletes all items, and the notes on them. */
  async clearSession() {
    // One call deletes a limited number.
    while ((await this.#memory.observations.deleteMany(this.#filter())).count);
  }

  async #latest(limit = Infinity) {
    const found = []
    for await (const page of this.#newestFirst(Math.min(limit, PAGE))) {
      found.push(...page)
      if (found.length >= limit) break
    }
    return ordered(found.slice(0, limit))
  }

  // Reading ends at a page of older items, so that it does not grow with the session.
  async #after(number) {
    const found = []
    for await (const page of this.#newestFirst(SHORT_PAGE)) {
      const newer = page.filter((message) => message.number > number)
      found.push(...newer)
      if (!newer.length) break
    }
    return ordered(found)
  }

  async *#newestFirst(limit) {
    let cursor
    do {
      const page = await this.#memory.list({ ...this.#filter(), limit, cursor })
      yield page.records
      cursor = page.cursor
    } while (cursor)
  }

  #filter() {
    return { kinds: ['message'], sessions: [this.#id], statuses: STATUSES }
  }
}

function messageOf(item, session) {
  const role = ROLES.has(item.role) ? item.role : /_(result|output)$/.test(item.type ?? '') ? 'tool' : 'assistant'
  const text = wordsOf(item)
  const spoken = text.trim() || role === 'assistant' || role === 'tool' ? text : '[no text]'
  return { text: spoken, role, session, metadata: { [KIND]: item } }
}

function itemOf(message) {
  const item = message.metadata[KIND]
  if (item) return item
  // A message that another program recorded in this session.
  const { role, text } = message
  if (role === 'assistant') return { role, status: 'completed', content: [{ type: 'output_text', text }] }
  return { role: role === 'user' ? role : 'system', content: text }
}

/** Without results of tools whose calls the notes replace: a model refuses them. */
function withoutOrphans(items) {
  const isResult = (item) => item.callId !== undefined && /_(result|output)$/.test(item.type ?? '')
  const called = new Set(items.filter((item) => !isResult(item)).map((item) => item.callId))
  return items.filter((item) => !isResult(item) || called.has(item.callId))
}

function ordered(messages) {
  return messages.sort((one, other) => one.number - other.number)
}

function wordsOf(item) {
  if (item.type === 'function_call') return `[calls ${item.name}(${item.arguments})]`
  return textOf(item.content ?? item.output)
}

function textOf(content) {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : content ? [content] : []
  return parts.map((part) => (typeof part === 'string' ? part : part.text ?? `[${part.type ?? 'attachment'}]`)).join('\n')
}
