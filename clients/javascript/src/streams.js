/** Answers that come piece by piece. */

/** The server-sent events in some lines: their names, ids and data. */
export async function* events(lines) {
  let event = {}
  for await (const line of lines) {
    if (line === '') {
      if (event.data !== undefined || event.id !== undefined) yield event
      event = {}
    } else if (!line.startsWith(':')) {
      const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)
      event[name] = name === 'data' && event.data !== undefined ? `${event.data}\n${value ?? ''}` : (value ?? '')
    }
  }
}

/** An answer as it is said: pieces of text, and at last the whole. */
export class Pieces {
  #pieces
  #whole

  constructor(pieces) {
    this.#pieces = pieces
  }

  async next() {
    const step = await this.#pieces.next()
    if (step.done) this.#whole ??= step.value
    return step
  }

  /** Leaves the rest unsaid. */
  return(value) {
    return this.#pieces.return(value)
  }

  throw(error) {
    return this.#pieces.throw(error)
  }

  [Symbol.asyncIterator]() {
    return this
  }

  /** The whole answer, when all of it was said; `undefined` of one that was left. */
  async whole() {
    while (!(await this.next()).done);
    return this.#whole
  }
}
