/** A memory behind a service. */

import { Context } from './context.js'
import { errorOf, InvalidInput, RemembrancerError, Unavailable } from './errors.js'
import { OPERATIONS, VERBATIM } from './operations.js'
import { pause, Service } from './service.js'
import { events, Pieces } from './streams.js'

/** The number of events that are kept to recognise repeated ones. */
const REMEMBERED = 1_000
// The service sends a sign of life every 15 seconds.
const SILENCE = 45_000
const NAMES = { addMessage: 'record', getContext: 'context', searchMemory: 'recall', getTimeline: 'timeline.between' }
// In a path, in place of an id, where a topic key names the memory.
const BY_TOPIC = '-'

/** The memory of one scope. Every operation of the service is a method, grouped by its resource: `client.facts.set(…)`. */
export class Remembrancer {
  #options
  #service

  constructor(options = {}) {
    this.#options = options
    this.#service = new Service(options)
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      const path = name.split('.')
      const verb = path.pop()
      const owner = path.reduce((outer, part) => (outer[part] ??= {}), this)
      owner[verb] = operation.streams
        ? (...given) => new Pieces(this.#pieces(name, given))
        : async (...given) => revived(operation, json(await this.#service.answer(requestOf(name, given))))
    }
    const between = this.timeline.between
    for (const [name, same] of Object.entries(NAMES)) {
      this[name] = same.split('.').reduce((owner, part) => owner[part], this)
    }
    // From and to as two times, or as since and until among the options.
    this.getTimeline = (from, to, options) =>
      isObject(from) && !(from instanceof Date) && to === undefined
        ? between(from)
        : between({ ...options, since: from ?? undefined, until: to ?? undefined })
  }

  /** The memory of a narrower scope, or with a lower clearance, within the access key; what is not named stays. */
  within(narrower) {
    const named = Object.entries(narrower).filter(([, name]) => name !== undefined && name !== null)
    return new Remembrancer({ ...this.#options, ...Object.fromEntries(named) })
  }

  /** Every memory that the caller may see, one after the other, newest first; with `allScopes`, of all scopes. */
  async *exportMemory({ allScopes = false, signal, timeout } = {}) {
    const query = allScopes ? [['all_scopes', 'true']] : []
    const lines = await this.#service.open({ verb: 'GET', path: '/v1/export', query, signal, timeout })
    for await (const line of lines) if (line) yield json(line)
  }

  /** The events of the scope. A connection that ends is opened again, at the last event. */
  async *events({ lastEventId, signal, timeout = Math.max(this.#service.timeout, SILENCE) } = {}) {
    let hasBegun = false
    // Events shortly before the end of a connection are sent again after it.
    const seen = new Set()
    for (let tries = 0; ; tries += 1) {
      try {
        const headers = lastEventId ? { 'Last-Event-ID': lastEventId } : {}
        const lines = await this.#service.open({ verb: 'GET', path: '/v1/events', headers, signal, timeout })
        hasBegun = true
        for await (const { event, id, data } of events(lines)) {
          tries = 0
          lastEventId = id || lastEventId
          if (!data || seen.has(event + data)) continue
          seen.add(event + data)
          if (seen.size > REMEMBERED) seen.delete(seen.values().next().value)
          yield { event, ...json(data), lastEventId }
        }
      } catch (error) {
        if (!hasBegun || !error?.retryable) throw error
      }
      await pause(tries, signal)
    }
  }

  async *#pieces(name, given) {
    const lines = await this.#service.open(requestOf(name, given))
    for await (const { event, data } of events(lines)) {
      const value = json(data)
      if (event === 'piece') yield value.text
      if (event === 'done') return revived(OPERATIONS[name], value)
      if (event === 'problem') throw errorOf(value, value.status)
    }
    throw new Unavailable('the answer was broken off', { code: 'broken-off', retryable: true })
  }
}

/** The request for a call of an operation. */
function requestOf(name, given) {
  const { verb, path, takes = [], byTopic, file, keyed, long, once } = OPERATIONS[name]
  const arguments_ = byTopic && isObject(given[0]) ? [BY_TOPIC, ...given] : given
  const missing = takes.find((_, place) => arguments_[place] === undefined)
  if (missing) throw new InvalidInput(`${name} takes ${takes.join(', ')}; ${missing} is missing`)
  const { [takes.length]: options = {}, length } = arguments_
  if (!isObject(options) || length > takes.length + 1) {
    throw new InvalidInput(`${name} takes ${[...takes, 'options'].join(', ')}, and the options as one object`)
  }
  const { signal, timeout = long ? Infinity : undefined, idempotencyKey, ...more } = options
  const values = wired(more)
  takes.forEach((name, place) => (values[name] = file === name ? arguments_[place] : wired(arguments_[place], name)))
  const filled = path.replace(/\{(\w+)\}/g, (_, part) => segment(values[part], part))
  const rest = Object.fromEntries(Object.entries(values).filter(([part]) => !path.includes(`{${part}}`) && part !== file))
  const hasBody = verb !== 'GET' && verb !== 'DELETE'
  const headers = {
    ...(keyed && { 'Idempotency-Key': idempotencyKey ?? fresh() }),
    ...(hasBody && { 'Content-Type': file ? 'application/x-ndjson' : 'application/json' }),
  }
  const request = { verb, path: filled, headers, signal, timeout, once }
  if (file) return { ...request, query: pairs(rest), body: values[file] }
  return hasBody ? { ...request, body: JSON.stringify(rest) } : { ...request, query: pairs(rest) }
}

/** A value as the service reads it: names with underscores, times in ISO; names of the caller stay as they are. */
function wired(value, name = '') {
  if (VERBATIM.has(name)) return value
  if (value instanceof Date) return timeOf(value, name)
  if (ArrayBuffer.isView(value)) return Array.from(value)
  if (Array.isArray(value)) return value.map((item) => wired(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const part = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return [part, wired(item, part)]
    }),
  )
}

function timeOf(date, name) {
  if (Number.isNaN(date.getTime())) throw new InvalidInput(`${name} must be a time`)
  return date.toISOString()
}

function pairs(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null)
  return given.flatMap(([name, value]) =>
    [value].flat().map((item) => [name, isObject(item) ? JSON.stringify(item) : String(item)]),
  )
}

function segment(value, name) {
  const text = String(value)
  // A dot would be taken for a step in the path, and lead elsewhere.
  if (['', '.', '..'].includes(text)) throw new InvalidInput(`${name} must be more than ${JSON.stringify(text)}`)
  try {
    return encodeURIComponent(text)
  } catch (cause) {
    throw new InvalidInput(`${name} is not valid Unicode; repair it`, { cause })
  }
}

function fresh() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}

function json(text) {
  try {
    return text ? JSON.parse(text) : null
  } catch (cause) {
    throw new RemembrancerError('this is not an answer of a memory; check the url', { code: 'no-json', cause })
  }
}

/** An answer whose context is a `Context`. */
function revived({ context }, answer) {
  if (context === '.') return new Context(answer)
  return context ? { ...answer, [context]: new Context(answer[context]) } : answer
}
