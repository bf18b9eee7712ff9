/**
 * What goes wrong, as a caller would catch it.
 *
 *     RemembrancerError
 *     ├── InvalidInput            the caller's mistake; the message says what to change
 *     ├── NotFound                nothing by that id in this scope
 *     ├── Conflict                someone else changed it first
 *     │   └── RevisionConflict                it is at another revision than the caller has read
 *     ├── NotAllowed              a policy, a right or a clearance forbids it
 *     │   └── Unauthenticated         there is no access key, or one that opens nothing
 *     ├── BudgetExceeded          the money or the tokens for models are spent
 *     └── Unavailable             the service, its database or a model cannot be reached now
 */

import { PROBLEMS } from './operations.js'

/** Anything that goes wrong between a caller and its memory. */
export class RemembrancerError extends Error {
  constructor(message, { cause, problem = {}, ...told } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.code = told.code ?? 'error'
    this.status = told.status ?? 0
    this.requestId = told.requestId ?? ''
    this.retryable = told.retryable ?? false
    this.retryAfter = told.retryAfter
    this.problem = problem
  }
}

export class InvalidInput extends RemembrancerError {
  constructor(message, told) {
    super(message, { code: 'invalid-input', ...told })
    this.name = new.target.name
  }
}

export class NotFound extends RemembrancerError {}
export class Conflict extends RemembrancerError {}
export class RevisionConflict extends Conflict {}
export class NotAllowed extends RemembrancerError {}
export class Unauthenticated extends NotAllowed {}
export class BudgetExceeded extends RemembrancerError {}
export class Unavailable extends RemembrancerError {}

const CLASSES = {
  RemembrancerError,
  InvalidInput,
  NotFound,
  Conflict,
  RevisionConflict,
  NotAllowed,
  Unauthenticated,
  BudgetExceeded,
  Unavailable,
}
// Of what stands before the service and tells no problem of its own.
const OF_STATUS = { 401: Unauthenticated, 403: NotAllowed, 408: Unavailable, 429: Unavailable }
const PASSING = new Set([408, 429, 502, 503, 504])

/** The error that a problem (RFC 9457) tells; `headers` are those of the answer that it came with. */
export function errorOf(problem, status, headers = new Headers()) {
  const kind = CLASSES[PROBLEMS[problem.code]] ?? OF_STATUS[status] ?? (status >= 500 ? Unavailable : InvalidInput)
  return new kind(problem.detail ?? `the service answered ${status}`, {
    code: problem.code ?? 'error',
    status,
    requestId: problem.request_id ?? headers.get('x-request-id') ?? '',
    retryable: problem.retryable ?? PASSING.has(status),
    retryAfter: seconds(headers.get('retry-after')),
    problem,
  })
}

function seconds(told) {
  if (!told) return undefined
  const wait = /^\d+$/.test(told) ? Number(told) : (Date.parse(told) - Date.now()) / 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
