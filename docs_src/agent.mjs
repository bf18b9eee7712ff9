// An agent that remembers: it recalls what bears on a line, prints that, and records the line.

import { Remembrancer } from 'remembrancer'

const { REMEMBRANCER_URL: url, REMEMBRANCER_KEY: key } = process.env
const line = process.argv.slice(2).join(' ')
const memory = new Remembrancer({ url, key })

// A prompt for a model would begin with this text; here it is printed.
const known = await memory.context({ mode: 'search', question: line, session: 'diary' })
const isCut = Object.keys(known.report.dropped).length > 0
console.log(known.text || (isCut ? 'What is known is too long.' : 'Nothing is known that bears on this.'))
await memory.addMessage(line, { session: 'diary' })
