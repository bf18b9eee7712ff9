/** The client of Remembrancer, the memory of AI agents. Start reading at `Remembrancer`. */

export { Remembrancer } from './client.js'
export { Context } from './context.js'
export {
  BudgetExceeded,
  Conflict,
  InvalidInput,
  NotAllowed,
  NotFound,
  RevisionConflict,
  RemembrancerError,
  Unauthenticated,
  Unavailable,
} from './errors.js'
