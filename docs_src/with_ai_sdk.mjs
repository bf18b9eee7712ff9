// A model of the AI SDK that reads what memory knows of its user, and records the conversation.

import { openai } from '@ai-sdk/openai'
import { generateText, wrapLanguageModel } from 'ai'
import { Remembrancer } from 'remembrancer'
import { memoryMiddleware } from 'remembrancer/ai-sdk'

const memory = new Remembrancer({ url: process.env.REMEMBRANCER_URL, key: process.env.REMEMBRANCER_KEY })
const middleware = memoryMiddleware({ memory: memory.within({ user: 'ana' }), session: 'oslo' })
const model = wrapLanguageModel({ model: openai('gpt-5-nano'), middleware })

const { text } = await generateText({ model, prompt: process.argv.slice(2).join(' ') || 'Which flight to Oslo suits me?' })
console.log(text)
