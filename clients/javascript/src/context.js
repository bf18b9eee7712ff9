/** What an agent reads before it answers, as a model takes it. */

const CACHED = new Set(['facts', 'procedures', 'reflections', 'observations', 'messages'])
const MARK = { cache_control: { type: 'ephemeral' } }

export class Context {
  constructor({ block, report, format }) {
    this.block = block
    this.report = report
    this.format = format
  }

  /** The block as one text. */
  get text() {
    return this.prefix + written(this.block.items.filter((item) => !isCached(item)), this.format)
  }

  /** The part of the text that seldom changes: a provider can keep it in its cache. */
  get prefix() {
    return written(this.block.items.filter(isCached), this.format)
  }

  /** The block as the messages of a chat: what is known, what was said as it was said, what is new now. */
  get messages() {
    const { known, said, rest } = this.#parts()
    const system = (content) => (content ? [{ role: 'system', content }] : [])
    return [...system(known), ...said, ...system(rest)]
  }

  /** The same as Anthropic's interface wants it: `system` apart, and the marks behind which nothing is kept. */
  get marked() {
    const { known, said, rest } = this.#parts()
    const text = (told) => ({ type: 'text', text: told })
    const messages = said.map(({ role, content }, place) => ({
      role,
      content: place === said.length - 1 ? [{ ...text(content), ...MARK }] : content,
    }))
    if (rest && messages.at(-1)?.role === 'user') messages.at(-1).content.push(text(rest))
    else if (rest) messages.push({ role: 'user', content: [text(rest)] })
    return { system: known ? [{ ...text(known), ...MARK }] : [], messages }
  }

  #parts() {
    const { items } = this.block
    const joined = (found) => found.map((item) => item.text).join('')
    return {
      known: joined(items.filter((item) => isCached(item) && item.slot !== 'messages')),
      said: items.filter((item) => item.slot === 'messages').map(said),
      rest: joined(items.filter((item) => !isCached(item))),
    }
  }
}

function isCached(item) {
  return CACHED.has(item.slot)
}

function said(item) {
  // A tool's words have no call beside them that a chat could tie them to.
  const isTool = item.role === 'tool'
  const content = isTool ? `A tool answered: ${item.said}` : item.speaker ? `${item.speaker}: ${item.said}` : item.said
  return { role: isTool ? 'user' : item.role, content: item.untrusted ? `(untrusted) ${content}` : content }
}

/** Items as one text, with what stands around each slot. */
function written(items, format) {
  let text = ''
  items.forEach((item, place) => {
    const [isFirst, isLast] = [-1, 1].map((step) => items[place + step]?.slot !== item.slot)
    const name = item.slot.replaceAll(' ', '_')
    if (isFirst && format === 'tags') text += `<${name}>\n`
    else if (isFirst && item.slot === 'messages') text += '## Messages\n'
    text += item.text
    // What is open stays open: a tag that closes would move with every message.
    if (isLast && format === 'tags' && item.slot !== 'messages') text += `</${name}>\n`
  })
  return text
}
