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
  async function keep(prompt, answer) {
    if (!record) return
    const users = prompt.filter((message) => message.role === 'user')
    // A tool loop calls the model several times for one message of the user: the key makes it one record.
    const key = `${session}/${users.length}/${await fingerprint(textOf(users.at(-1)))}`
    const messages = [{ text: textOf(users.at(-1)), role: 'user', session, key: `${key}/user` }]
    if (answer.trim()) messages.push({ text: answer, role: 'assistant', session, key: `${key}/${await fingerprint(answer)}` })
    await memory.messages.recordMany(messages.filter((message) => message.text.trim()))
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
      const result = await doGenerate()
      await keep(params.prompt, result.content.filter((part) => part.type === 'text').map((part) => part.text).join(''))
      return result
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream()
      let answer = ''
      const recording = new TransformStream({
        transform(part, controller) {
          if (part.type === 'text-delta') answer += part.delta
          controller.enqueue(part)
        },
        async flush() {
          await keep(params.prompt, answer)
        },
      })
      return { stream: stream.pipeThrough(recording), ...rest }
    },
  }
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
