// The session and the middleware in the real packages, with models that answer what they were shown.
// bench.javascript runs it in two processes; the second one reads what the first one recorded.

import { Agent, run, setTracingDisabled, Usage } from '@openai/agents-core'
import { generateText, wrapLanguageModel } from 'ai'
import * as fakes from 'ai/test'
import { Remembrancer } from 'remembrancer'
import { memoryMiddleware } from 'remembrancer/ai-sdk'
import { RemembrancerSession } from 'remembrancer/openai-agents'

setTracingDisabled(true)
const memory = new Remembrancer({ url: process.env.REMEMBRANCER_URL })
const { agents, ai } = JSON.parse(process.env.VERSIONS)

const counting = {
  async getResponse({ input }) {
    const content = [{ type: 'output_text', text: `I was shown ${input.length}.` }]
    const usage = new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 })
    return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
  },
}
const session = new RemembrancerSession('oslo', memory.within({ user: 'ana' }))
const agent = new Agent({ name: 'travel', instructions: 'Book flights.', model: counting })
console.log(`@openai/agents-core ${agents}: ${(await run(agent, 'Which flight?', { session })).finalOutput}`)

const is7 = ai.startsWith('7.')
const model = new (is7 ? fakes.MockLanguageModelV4 : fakes.MockLanguageModelV3)({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: 'text', text: JSON.stringify(prompt).includes('early flights') ? 'I know.' : 'I know nothing.' }],
    finishReason: { unified: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
})
const bo = memory.within({ user: 'bo' })
const middleware = memoryMiddleware({ memory: bo, session: 'oslo', ...(is7 ? {} : { specificationVersion: 'v3' }) })
const { text } = await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: 'Which flight suits me?' })
console.log(`ai ${ai}: ${text}`)
await bo.save('Bo cannot stand early flights', { type: 'preference', topicKey: 'flights' })
