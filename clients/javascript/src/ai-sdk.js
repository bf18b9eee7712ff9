/** A middleware of the Vercel AI SDK: the model reads what memory knows, and the conversation is recorded. */

/**
 * The middleware for `wrapLanguageModel({ model, middleware })`. Make one for each conversation.
 *
 * - `memory`: a `Remembrancer`, whose scope owns the conversation.
 * - `session`: the name of the conversation.
 * - `record: false` records nothing.
 * - `specificationVersion`: `v4` for AI SDK 7, `v3` for AI SDK 6.
 */
export function memoryMiddleware({ memory, session, record = true, specificationVersion = 'v4' }) {
  let turn = { text: '', answered: true, key: '' }

  async function begin(prompt) {
    const last = prompt.at(-1)
    // A later step of a tool loop ends with the result of a tool.
    if (!record || last?.role !== 'user') return
    const text = textOf(last)
    // A retry calls the model again for the same message.
    if (turn.answered || turn.text !== text) turn = { text, answered: false, key: crypto.randomUUID() }
    await keep('user', text)
  }

  async function end(answer) {
    turn.answered = true
    if (record) await keep('assistant', answer)
  }

  async function keep(role, text) {
    if (!text.trim()) return
    const key = `${session}/${turn.key || crypto.randomUUID()}/${role}/${await fingerprint(text)}`
    await memory.messages.recordMany([{ text, role, session, key }])
  }

  return {
    specificationVersion,

    async transformParams({ params }) {
      const question = textOf(params.prompt.filter((message) => message.role === 'user').at(-1))
      if (!question.trim()) return params
      const context = await memory.getContext({ session, question })
      const known = [...context.known, ...context.new].map(({ content }) => content).join('')
      return known ? { ...params, prompt: [{ role: 'system', content: known }, ...params.prompt] } : params
    },

    async wrapGenerate({ doGenerate, params }) {
      await begin(params.prompt)
      const result = await doGenerate()
      await end(result.content.filter((part) => part.type === 'text').map((part) => part.text).join(''))
      return result
    },

    async wrapStream({ doStream, params }) {
      await begin(params.prompt)
      const { stream, ...rest } = await doStream()
      return { stream: recorded(stream, end), ...rest }
    },
  }
}

/** The stream, whose text is recorded when it ends, fails or is cancelled. */
function recorded(stream, end) {
  const reader = stream.getReader()
  let answer = ''
  return new ReadableStream({
    async pull(controller) {
      let next
      try {
        next = await reader.read()
      } catch (error) {
        await end(answer)
        throw error
      }
      if (next.done) {
        await end(answer)
        controller.close()
        return
      }
      if (next.value.type === 'text-delta') answer += next.value.delta
      controller.enqueue(next.value)
    },
    async cancel(reason) {
      await Promise.all([end(answer), reader.cancel(reason)])
    },
  })
}

function textOf(message) {
  const content = message?.content ?? ''
  if (typeof content === 'string') return content
  return content.filter((part) => part.type === 'text').map((part) => part.text).join('\n')
}

async function fingerprint(text) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
