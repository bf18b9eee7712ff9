/** The service that the tests meet, where REMEMBRANCER_URL and REMEMBRANCER_KEY say, and another that a test plays. */

import { createServer } from 'node:http'
import { once } from 'node:events'
import { Remembrancer } from '../src/index.js'

export const AT = { url: process.env.REMEMBRANCER_URL, key: process.env.REMEMBRANCER_KEY }

/** The memory of a project that no other test has. */
export function alone(options = {}) {
  return new Remembrancer({ ...AT, project: `p-${crypto.randomUUID()}`, ...options })
}

/** What an async iterable gives, as far as it is wanted. */
export async function taken(iterable, most = Infinity) {
  const found = []
  for await (const one of iterable) {
    found.push(one)
    if (found.length === most) break
  }
  return found
}

/** Waits for what must become true, for a few seconds at most. */
export async function until(isSo) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`it never became so: ${isSo}`)
}

/** A service that answers each request as it is told; it ends with the test. */
export async function played(test, answer) {
  const asked = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    asked.push({ verb: request.method, url: request.url, headers: request.headers, body })
    answer(response, asked.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${server.address().port}`, asked }
}

/** An answer of a played service. */
export function tell(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
