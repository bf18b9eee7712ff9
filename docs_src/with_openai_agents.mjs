// An agent of the OpenAI Agents SDK whose conversation outlives the process.

import { Agent, run } from '@openai/agents'
import { Remembrancer } from 'remembrancer'
import { RemembrancerSession } from 'remembrancer/openai-agents'

const memory = new Remembrancer({ url: process.env.REMEMBRANCER_URL, key: process.env.REMEMBRANCER_KEY })
const session = new RemembrancerSession('oslo', memory.within({ user: 'ana' }))
const agent = new Agent({ name: 'travel', instructions: 'Book flights.' })

const result = await run(agent, process.argv.slice(2).join(' ') || 'Which flight to Oslo suits me?', { session })
console.log(result.finalOutput)
