import type { Block, Format, JsonValue, Memory, Operations, Page, ProblemCode, Report } from './types.js'
import type { TimelineBetweenOptions } from './types.js'

export type * from './types.js'

/** Whose memory it is within what the access key opens; what is left blank stays as the key has it. */
export interface Narrowing {
  project?: string | null
  agent?: string | null
  user?: string | null
  /** See nothing that is classified higher: `public`, `internal`, `confidential` or `restricted`. */
  clearance?: string | null
  /** Show personal data as it is, in place of marks; the access key needs the right `reveal`. */
  reveal?: boolean
}

export interface Options extends Narrowing {
  /** Where the service is; `http://127.0.0.1:8077`, if not given. */
  url?: string | URL
  /** An access key, `rmb_…`; on the service's own machine none is needed until the first one is made. */
  key?: string
  tenant?: string
  /** Milliseconds for which each try, and each next part of a stream, is waited for; 60,000, if not given; `Infinity` for no end. Not for long work. */
  timeout?: number
  /** How often what failed in passing is tried again; 3, if not given. */
  retries?: number
  /** What sends requests, in place of the global `fetch`. */
  fetch?: typeof fetch
}

/** What every call takes beside its own options. */
export interface Calling {
  /** Ends the call at once; it then rejects with the reason of the signal. */
  signal?: AbortSignal
  /** Milliseconds for which each try of this call is waited for. */
  timeout?: number
  /** Of a write: it is done once for one key within a day; a fresh one, if not given. */
  idempotencyKey?: string
}

/** What has happened in a scope: the id and the kind of a memory, and no text. */
export interface Happening {
  event: 'learnt' | 'changed' | 'retired'
  id: string
  kind: Memory['kind']
  session: string | null
  at: string
  /** From where `events({ lastEventId })` goes on. */
  lastEventId: string
}

/** An answer as it is said: pieces of text; what it returns, and `whole()`, is the answer itself. Asked for when it is first read. */
export interface Pieces<Whole> {
  next(): Promise<IteratorResult<string, Whole>>
  return(value?: Whole): Promise<IteratorResult<string, Whole>>
  throw(error: unknown): Promise<IteratorResult<string, Whole>>
  [Symbol.asyncIterator](): Pieces<Whole>
  /** The whole answer, when all of it was said; `undefined` of one that was left. */
  whole(): Promise<Whole>
}

/** One message of a chat. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** A text with the mark behind which a provider keeps nothing. */
export interface MarkedText {
  type: 'text'
  text: string
  cache_control?: { type: 'ephemeral' }
}

/** What an agent reads before it answers. */
export class Context {
  constructor(told: { block: Block; report: Report; format: Format })
  readonly block: Block
  /** An account of the block: tokens by slot, what was left out, what was not as usual. */
  readonly report: Report
  readonly format: Format
  /** The block as one text. */
  get text(): string
  /** The part of the text that seldom changes: a provider can keep it in its cache. */
  get prefix(): string
  /** The block as the messages of a chat: what is known, what was said as it was said, what is new now. */
  get messages(): ChatMessage[]
  /** The messages before the conversation, for a program that keeps the conversation itself. */
  get known(): ChatMessage[]
  /** The messages after the conversation, for a program that keeps the conversation itself. */
  get new(): ChatMessage[]
  /** The same as Anthropic's interface wants it: `system` apart, and the marks behind which nothing is kept. */
  get marked(): { system: MarkedText[]; messages: { role: 'user' | 'assistant' | 'system'; content: string | MarkedText[] }[] }
}

/**
 * The memory of one scope.
 *
 * Every operation of the service is a method, grouped by its resource: `client.facts.set('city', 'Lisbon')`. Required
 * arguments are given by their place, all others as one object of options in camelCase. Results are as the service
 * returns them, their fields in snake_case.
 */
export class Remembrancer {
  constructor(options?: Options)
  /** The memory of a narrower scope, or with a lower clearance, within the access key; what is not named stays. */
  within(narrower: Narrowing): Remembrancer
  /** Record a message: `record` by another name. */
  addMessage: Operations['record']
  /** Get what an agent reads before it answers: `context` by another name. */
  getContext: Operations['context']
  /** Find the memories that answer a question: `recall` by another name. */
  searchMemory: Operations['recall']
  /** List memories between two times, newest first: `timeline.between` by another name. */
  getTimeline(options?: TimelineBetweenOptions): Promise<Page>
  getTimeline(
    from: Date | string | null,
    to?: Date | string | null,
    options?: Omit<TimelineBetweenOptions, 'since' | 'until'>,
  ): Promise<Page>
  /**
   * Every memory that the caller may see, one after the other, newest first; with `allScopes`, for an operator, also
   * those of the scopes under this one.
   */
  exportMemory(
    options?: Pick<Calling, 'signal' | 'timeout'> & { allScopes?: boolean },
  ): AsyncGenerator<Memory, void, undefined>
  /**
   * The events of the scope, until the signal or the reader ends it. A connection that ends is opened again, at the
   * last event.
   */
  events(
    options?: Pick<Calling, 'signal' | 'timeout'> & { lastEventId?: string },
  ): AsyncGenerator<Happening, never, undefined>
}
export interface Remembrancer extends Operations {}

/** Anything that goes wrong between a caller and its memory. */
export class RemembrancerError extends Error {
  /** Stable, for programs: that of the service, or `timeout`, `unreachable`, `broken-off` or `no-json`. */
  readonly code: ProblemCode | 'timeout' | 'unreachable' | 'broken-off' | 'no-json'
  /** As HTTP numbers it; 0 where there was no answer. */
  readonly status: number
  /** Stands in the log of the service, too; `''` where there was no answer. */
  readonly requestId: string
  /** Whether the same call may go well later. */
  readonly retryable: boolean
  /** Seconds that the service asked to be left alone for. */
  readonly retryAfter?: number
  /** All that the service told (RFC 9457); `{}` where it told nothing. */
  readonly problem: { [name: string]: JsonValue }
}
/** The caller's mistake; the message says what to change. */
export class InvalidInput extends RemembrancerError {}
/** Nothing by that id in this scope; another scope's memory reads the same. */
export class NotFound extends RemembrancerError {}
/** Someone else changed it first, or the same key was used for other work. */
export class Conflict extends RemembrancerError {}
/** It is at another revision than the caller has read; read it again. */
export class RevisionConflict extends Conflict {}
/** A policy, a right or a clearance forbids it. */
export class NotAllowed extends RemembrancerError {}
/** There is no access key, or one that opens nothing. */
export class Unauthenticated extends NotAllowed {}
/** The money or the tokens for models are spent. */
export class BudgetExceeded extends RemembrancerError {}
/** The service, its database or a model cannot be reached now. */
export class Unavailable extends RemembrancerError {}
