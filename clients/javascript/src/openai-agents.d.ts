import type { Remembrancer } from './index.js'

/** One conversation of the OpenAI Agents SDK, durable across processes. `Item` is the SDK's `AgentInputItem`. */
export class RemembrancerSession<Item = any> {
  constructor(id: string, memory: Remembrancer, options?: { bounded?: boolean })
  getSessionId(): Promise<string>
  /** The last items, oldest first; without a limit the bounded conversation. */
  getItems(limit?: number): Promise<Item[]>
  addItems(items: Item[]): Promise<void>
  popItem(): Promise<Item | undefined>
  clearSession(): Promise<void>
}
