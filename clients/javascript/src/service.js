/** The service as it is reached over HTTP: its address, the access key, how long it is waited for, how often it is asked. */

import { errorOf, InvalidInput, RemembrancerError, Unavailable } from './errors.js'

const FIRST_PAUSE = 250
const LONGEST_PAUSE = 8_000
const LONGEST_WAIT = 60_000
const LONGEST_TIMER = 2 ** 31 - 1
// The service has asked the model again already, and each time costs.
const COSTLY = new Set(['bad-model-output'])
const NARROWING = ['project', 'agent', 'user', 'clearance', 'reveal']

export class Service {
  #base
  #headers
  #narrowing
  #retries
  #fetch

  constructor({ url = 'http://127.0.0.1:8077', key, tenant, timeout = 60_000, retries = 3, fetch, ...scope } = {}) {
    const unknown = Object.keys(scope).find((name) => !NARROWING.includes(name))
    if (unknown) throw new InvalidInput(`a client takes no ${unknown}`)
    this.#base = baseOf(url)
    this.#headers = headersOf({
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(tenant && { 'X-Tenant-ID': tenant }),
    })
    this.#narrowing = Object.entries(scope).filter(([, name]) => name !== undefined && name !== null)
    this.#retries = retries
    this.#fetch = fetch
    this.timeout = timeout
  }

  /** What a request is answered, as the text of a body. */
  answer(request) {
    return this.#tried(request, async (patience) => {
      try {
        return await patience.with(async () => (await this.#sent(request, patience.signal)).text())
      } finally {
        patience.end()
      }
    })
  }

  /** The lines of an answer that comes piece by piece, once it has begun. */
  open(request) {
    return this.#tried(request, async (patience) => {
      try {
        return lines(await patience.with(() => this.#sent(request, patience.signal)), patience)
      } catch (error) {
        patience.end()
        throw error
      }
    })
  }

  /** What comes of some work, done again where that may help; each try has its own time. */
  async #tried(request, work) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work(new Patience(request.signal, request.timeout ?? this.timeout))
      } catch (error) {
        const wait = (error?.retryAfter ?? 0) * 1000
        const isLast = request.once || tries >= this.#retries || wait > LONGEST_WAIT
        if (isLast || !error?.retryable || COSTLY.has(error.code)) throw error
        await pause(tries, request.signal, wait)
      }
    }
  }

  async #sent({ verb, path, query = [], body, headers }, signal) {
    const url = new URL(this.#base + path)
    for (const [name, value] of [...query, ...this.#narrowing]) url.searchParams.append(name, value)
    // By a name of its own: a browser's fetch does not let itself be called as a method.
    const fetched = this.#fetch ?? globalThis.fetch
    const all = headersOf({ ...this.#headers, ...headers })
    const response = await fetched(url.href, { method: verb, headers: all, body, signal })
    if (response.ok) return response
    throw errorOf(problemIn(await response.text()), response.status, response.headers)
  }
}

/** How long one try is waited for: until its time is over, or its caller wants its end. */
class Patience {
  #controller = new AbortController()
  #caller
  #timeout
  #leave = () => this.#controller.abort(this.#caller.reason)

  constructor(caller, timeout) {
    caller?.throwIfAborted()
    this.#caller = caller
    this.#timeout = timeout
    caller?.addEventListener('abort', this.#leave, { once: true })
  }

  get signal() {
    return this.#controller.signal
  }

  /** What becomes of work on the line; its errors are told as ours. */
  async with(work) {
    let isLate = false
    const late = () => {
      isLate = true
      this.#controller.abort()
    }
    const timer = this.#timeout > 0 && this.#timeout <= LONGEST_TIMER ? setTimeout(late, this.#timeout) : undefined
    try {
      return await work()
    } catch (error) {
      this.#caller?.throwIfAborted()
      if (error instanceof RemembrancerError) throw error
      const told = { code: isLate ? 'timeout' : 'unreachable', retryable: true, cause: error }
      throw new Unavailable(isLate ? `no answer came in ${this.#timeout} ms` : 'the service cannot be reached', told)
    } finally {
      clearTimeout(timer)
    }
  }

  end() {
    this.#caller?.removeEventListener('abort', this.#leave)
  }
}

/** Waits a little longer with each try, and never less than was asked for; ends at once where the caller wants it. */
export function pause(tries, signal, least = 0) {
  const most = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries)
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      },
      least + most * (0.5 + Math.random() / 2),
    )
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  })
}

async function* lines(response, patience) {
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await patience.with(() => reader.read())
      const found = (rest + decoder.decode(value, { stream: !done })).split('\n')
      rest = done ? '' : found.pop()
      for (const line of found) yield line.endsWith('\r') ? line.slice(0, -1) : line
      if (done) return
    }
  } finally {
    patience.end()
    reader.cancel().catch(() => {})
  }
}

function baseOf(url) {
  const { protocol, origin, pathname } = URL.canParse(url) ? new URL(url) : {}
  if (!['http:', 'https:'].includes(protocol)) {
    throw new InvalidInput('url must be that of a service, such as http://127.0.0.1:8077')
  }
  return origin + pathname.replace(/\/+$/, '')
}

function headersOf(told) {
  try {
    new Headers(told)
    return told
  } catch {
    throw new InvalidInput(`${Object.keys(told).join(', ')} can bear only what a header of HTTP can`)
  }
}

function problemIn(text) {
  try {
    const problem = JSON.parse(text)
    return typeof problem === 'object' && problem ? problem : {}
  } catch {
    return {}
  }
}
