import type { Remembrancer } from './index.js'

export interface MemoryMiddlewareOptions {
  /** Its scope owns the conversation. */
  memory: Remembrancer
  /** The name of the conversation. */
  session: string
  /** `false` records nothing. */
  record?: boolean
  /** `v4` for AI SDK 7, `v3` for AI SDK 6. */
  specificationVersion?: 'v3' | 'v4'
}

/** The middleware for `wrapLanguageModel({ model, middleware })`. Make one for each conversation. */
export function memoryMiddleware(options: MemoryMiddlewareOptions): any
