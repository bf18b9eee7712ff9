// Made by generate.py from the document of the service; do not edit.

import type { Calling, Context, Pieces } from './index.js'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
/** A time: a `Date`, or ISO 8601 with its zone. */
export type Time = Date | string
/** A memory of any kind, told apart by `kind`. */
export type Memory = Message | Observation | Reflection | Episode | Signal | Fact | Rule

/** An access key without its secret. */
export interface AccessKey {
  /** the first part of the token. */
  id: string
  /** a label; the audit log names the holder by it. */
  name: string
  /** the scope that the key opens. The holder may narrow unset dimensions. */
  scope: Scope
  clearance: Classification
  /** in the order of Right. */
  rights: Right[]
  /** a hash of the secret; "" in results. */
  digest: string
  created_at: string
  /** null if the key does not expire. */
  expires_at: string | null
  /** null if the key is not revoked. */
  revoked_at: string | null
  /** the time of the last use, or null. */
  last_seen_at: string | null
  /** further tenants that the key opens, with the project, agent and user of its scope. */
  tenants: string[]
}

/** Another name of an entity. */
export interface Alias {
  /** in small letters with single spaces, as names are compared. */
  name: string
  /** a memory declares it, or it is a part of the full name that no other name has, the address, the name without its legal form, with initials, or in another spelling. */
  reason: AliasReason
  /** the id of the memory that declares it; "" for other reasons. */
  evidence: string
}

export type AliasReason = 'declared' | 'part-of-name' | 'address' | 'legal-form' | 'spelling' | 'initials'

/** An answer to a question, from memory. */
export interface Answer {
  /** the answer, with the labels of its citations in brackets; I don't know. if memory has no answer. Without a model, the recalled lines. */
  text: string
  /** whether a model answered the question with valid citations. */
  known: boolean
  /** the cited memories, in the order of the text. */
  citations: Citation[]
  /** the recalled memories, best first. */
  hits: Hit[]
  /** whether no memory is likely to answer the question; no model was called then. */
  abstained: boolean
  /** the nearest misses, if it abstained. */
  nearest: Hit[]
  /** the probability, in [0, 1], that the hits contain an answer. */
  confidence: number
  /** the model that answered, as provider:name; "" for none. */
  model: string
  /** the tokens of all model calls, prompts and answers. */
  tokens: number
  /** the cost of all model calls, in millionths of a US dollar; null if unknown. */
  cost: number | null
  /** deviations from the usual. */
  notes: string[]
}

/** The content of an archive in numbers. */
export interface ArchiveSummary {
  /** the time of its content. */
  created_at: string
  scopes: Scope[]
  /** the number of memories by kind. */
  memories: { [name: string]: number }
  /** the number of sessions. */
  sessions: number
  /** the size of the file. */
  bytes: number
}

/** An entry of the audit log. Names are readable as long as the key of their scope exists. */
export interface AuditRow {
  /** the number of the entry, ascending in time. */
  sequence: number
  at: string
  /** the entry point, such as library, rest or cli. */
  origin: string
  action: string
  kind: string
  count: number
  /** a pseudonym of the scope, unreadable without the scope's key. */
  subject: string
  /** the scope of the memory; null if its key was deleted by an erasure. */
  scope: Scope | null
  /** the caller; "" if unknown, or if the key was deleted. */
  actor: string
  /** ids of the records concerned. */
  record: string | null
  /** ids of the records concerned. */
  records: string[]
  reason: string
}

/** The state of background work. */
export interface BackgroundState {
  /** whether this process does background work; if not, a worker has to. */
  works: boolean
  /** the due work by tenant and purpose; the tenant is "" for work on the whole store. */
  due: DueWork[]
  /** the work in progress in any process; empty for callers who may not operate the store. */
  leases: Lease[]
  /** the models that have failed since their last success. */
  breakers: Breaker[]
  /** the scopes whose last maintenance run in this process failed. */
  failing: Scope[]
  /** the databases that did not answer, whose due work is missing; empty for callers who may not operate the store. */
  away: string[]
}

/** The items of a context, in order, and what was left out. */
export interface Block {
  items: Item[]
  /** ids of what did not fit, by slot; for what has no id, its name. */
  dropped: { [name: string]: string[] }
}

/** The circuit breaker of a model for one purpose; it exists from the first failure to the next success. */
export interface Breaker {
  /** as provider:name. */
  model: string
  purpose: CallPurpose
  /** the number of failures in a row. */
  failures: number
  /** the number of times it opened in a row. */
  opened: number
  /** the kind of the last failure. */
  failing: FailureKind
  /** the time of the first failure. */
  since: string
  /** no calls are made until then; null if it has not opened. */
  until: string | null
  /** the number of writes of the breaker. */
  change: number
}

/** Token limits of a context; unset ones are those of the deployment. */
export interface Budget {
  /** the maximum of the rendered text, in the modes brief, prompt and search. */
  tokens?: number | null
  /** the window of the model, in the mode turn: at least 1,000, or 3,000 for a conversation; by default the setting context_window. */
  window?: number | null
  /** limits of slots by name; they override those of the setting slots. The report lists all of them. */
  slots?: { [name: string]: number } | null
}

/** A budget with the projected spending at the end of its period. */
export interface BudgetForecast {
  /** null for the budget of the whole tenant. */
  project: string | null
  period: string
  unit: string
  /** tokens, or millionths of a US dollar. */
  limit: number
  /** tokens, or millionths of a US dollar. */
  spent: number
  /** tokens, or millionths of a US dollar. */
  projected: number
  /** ok, warning, critical or exceeded, by the amount spent. */
  state: string
  /** the end of the period. */
  until: string
}

export type CallPurpose = 'observe' | 'reflect' | 'detect' | 'summarise' | 'answer' | 'ask' | 'embed' | 'rerank'

/** The sums of the calls of one purpose, model, project and agent. */
export interface CallTotal {
  purpose: CallPurpose
  model: string
  project: string | null
  agent: string | null
  /** the number of calls without refused ones. */
  calls: number
  /** the number of calls that a budget refused. */
  refused: number
  /** the number of calls without a valid answer. */
  failed: number
  prompt_tokens: number
  cached_tokens: number
  answer_tokens: number
  /** the cost, or the maximum cost where only that is known. */
  cost: number
  /** the number of calls with unknown cost, which is not in cost. */
  unpriced: number
  /** the total duration. */
  milliseconds: number
}

export type Category = 'writing-style' | 'rhythm' | 'people' | 'tools' | 'decisions'

/** A conversation that differs from an earlier import of the same place. */
export interface ChangedConversation {
  session: string
  /** number of its messages that were not imported before. */
  new: number
  /** number of imported messages that it no longer contains; they stay stored. */
  missing: number
  /** it was imported as a conversation of its own. */
  apart: boolean
}

/** A record as it read at the earlier and at the later time. */
export interface ChangedRecord {
  before: Memory
  after: Memory
}

/** A signed state of a tenant's audit log. Entries removed from the end later are detected by it. */
export interface Checkpoint {
  tenant: string
  /** the number of the last entry; 0 for none. */
  sequence: number
  /** the hash of that entry, which depends on all earlier ones. */
  hash: string
  /** the number of entries. */
  count: number
  at: string
  /** the public key of the signature, hex. */
  key: string
  /** Ed25519 over the other fields, hex. */
  signature: string
}

/** Consecutive messages of a session that an observer processed. The chunks of a session have no gaps. */
export interface Chunk {
  session: string
  /** numbers of the messages, inclusive. */
  first: number
  /** numbers of the messages, inclusive. */
  last: number
  state: ChunkState
  /** the tokens of the messages. */
  tokens: number
  /** the tokens of the notes. */
  noted: number
  /** the position in the order of activation in the scope, from 1; null while it is shown verbatim. */
  place: number | null
  /** the highest class of the messages. */
  classification: Classification
  /** the task at the end of the chunk, or "". */
  task: string
  /** a hint for the next turn of the agent, or "". */
  suggestion: string
  /** the observer with its version. */
  engine: string
  /** the language model, or "". */
  model: string
  /** the error of the model, or ""; it is kept if the rule-based observer writes the notes. */
  failure: string
  /** the number of attempts. */
  tries: number
  /** the time of the notes. */
  observed_at: string
  /** the time of activation; null while it is shown verbatim. */
  activated_at: string | null
}

export type ChunkState = 'buffered' | 'in-review' | 'active' | 'dead'

/** A memory that an answer cites. */
export interface Citation {
  /** the label in the answer, without its brackets. */
  label: string
  /** the id of the memory. */
  id: string
  /** the line in the prompt. */
  line: string
  occurred_at: string
  /** the speaker of a message, else "". */
  speaker: string
  /** whether the text comes from a web page or a tool, or was derived from such a text. */
  untrusted: boolean
}

export type Classification = 'public' | 'internal' | 'confidential' | 'restricted'

/** A compact memory of about 100 tokens, for lists and searches. `Memory.get` returns all fields. */
export interface Compact {
  id: string
  scope: Scope
  kind: Kind
  /** null if the kind does not have them. */
  type: string | null
  /** null if the kind does not have them. */
  title: string | null
  /** null if the kind does not have them. */
  topic_key: string | null
  /** null if the kind does not have them. */
  speaker: string | null
  session: string | null
  /** the score of a hit; otherwise null. */
  score: number | null
  /** the beginning of the text on one line. */
  snippet: string
  occurred_at: string
  updated_at: string
}

export type ConflictReason = 'differs' | 'renumbered' | 'elsewhere' | 'erased' | 'rejected' | 'legal-hold' | 'redacted'

/** The statistics of a conversation; tokens as counted when recorded. */
export interface ConversationStats {
  /** the number of recorded messages. */
  messages: number
  /** the tokens of all messages. */
  tokens: number
  /** the tokens of the messages that are shown verbatim. */
  raw: number
  /** the raw tokens that are observed already, and wait to be replaced by their notes. */
  buffered: number
  /** the tokens of the messages that are replaced by notes. */
  covered: number
  /** the tokens of the notes. */
  noted: number
  /** covered over noted; 0 while nothing is covered. */
  ratio: number
  /** the number of observed chunks. */
  chunks: number
  /** how often notes replaced messages. */
  activations: number
  /** the number of reflections among the notes. */
  reflections: number
  /** the tokens that are not observed yet. */
  waiting: number
  /** the number of chunks that no model could observe. */
  dead: number
}

/** The cost of a conversation with memory and with its whole history. */
export interface CostComparison {
  /** the prompts with memory. */
  served: PromptCost
  /** the prompts with the whole history. */
  whole: PromptCost
}

/** The cost of models and the state of budgets. */
export interface Costs {
  /** the latest first. */
  days: Day[]
  /** of all those days, by purpose, model, project and agent. */
  totals: CallTotal[]
  budgets: SpendingLimit[]
  /** savings by served blocks on all those days, by project and agent. */
  agents: Savings[]
  /** the same for the sessions of the exact scope, the last served first. */
  sessions: Savings[]
  /** models that have failed since their last good answer, for any caller. */
  breakers: Breaker[]
}

/** The counts of a compact record. */
export interface Counts {
  /** the number of episodes. */
  interactions: number
  /** the number of episodes by outcome, without zeros. */
  outcomes: { [name: string]: number }
  /** the number of episodes that asked a person for approval. */
  asked: number
}

/** A new access key with its token. */
export interface CreatedKey {
  key: AccessKey
  /** the secret of the holder; it is shown only here and is not stored. */
  token: string
}

/** The spending of a day. */
export interface Day {
  /** its beginning in the time zone of the budgets. */
  since: string
  sums: Sums
  /** those of the contexts of the day; null without contexts. */
  savings: Savings | null
}

/** A deleted memory. */
export interface DeletedRecord {
  id: string
  scope: Scope
  kind: string
  deleted_at: string
  /** the end of the time in which it can be restored; then it is removed permanently. */
  until: string
  /** the beginning of its text. */
  text: string
}

/** The memories that one call deletes, or would delete. */
export interface Deletion {
  /** memories that match the filter and are not under a legal hold. */
  count: number
  /** of the 50 newest of these. */
  ids: string[]
  /** further memories that are deleted since they were derived from these only. */
  derived: number
  /** matching memories that a legal hold keeps. */
  on_hold: number
  /** identifies the deletion for restore_many; null if nothing was deleted. */
  deleted_at: string | null
}

/** A fault in one scope, and whether it was repaired. */
export interface Diagnosis {
  /** null for the whole store. */
  scope: Scope | null
  finding: Finding
  repaired: boolean
  /** what a person can do if it was not repaired. */
  advice: string
}

/** Work that is due for a tenant, or for the whole store (tenant `""`); derived from the store. */
export interface DueWork {
  tenant: string
  purpose: Purpose
}

/** The effective redaction of a type of personal data in a scope: the strictest of all that apply. */
export interface EffectiveRedaction {
  data_type: PersonalDataType
  redaction: Redaction
  /** the redaction of the exact scope, or null. */
  here: Redaction | null
}

/** A person or thing that an episode concerns. */
export interface Entity {
  /** in lower case, such as contact, person, organisation, project, file or product. */
  type: string
  /** the name as written. */
  name: string
}

/** The relations and the memories of one entity. */
export interface EntityPage {
  name: string
  type: EntityType
  /** other names for it, each with its reason. */
  aliases: Alias[]
  memories: number
  /** those that are valid first, then the former ones; each the latest first. */
  relations: EntityRelation[]
  /** the newest memories that name it. */
  mentions: Compact[]
}

/** A relation of two entities, or of an entity and a value, with the memories that state it. */
export interface EntityRelation {
  /** the name of its subject, as it was written. */
  subject: string
  /** such as works_at, lives_in, sister_of or depends_on. */
  predicate: string
  /** the name of its object, or a value, as it was written. */
  object: string
  /** whether the object is a value and no entity. */
  is_value: boolean
  /** the time of the first statement. */
  since: string
  /** when a newer statement replaced or ended it; null while it is valid. */
  until: string | null
  /** when the first of the memories was recorded. */
  learnt_at: string
  /** in (0, 1]: 1 if a caller declared it, otherwise 1 - 0.1ⁿ for n memories; of sentences that were marked, nine in ten relations are right. */
  confidence: number
  /** ids of the memories, oldest first. */
  evidence: string[]
}

export type EntityType = 'person' | 'organisation' | 'place' | 'project' | 'product' | 'file' | 'address' | 'ticket' | 'other'

/** An action and its outcome. A compact episode summarises the episodes in its evidence. */
export interface Episode {
  /** the kind of the memory */
  kind: 'episode'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  details: EpisodeDetails
}

/** The fields of an episode. */
export interface EpisodeDetails {
  event: Event
  outcome: EpisodeOutcome
  entities: Entity[]
  attributes: { [name: string]: string | number | boolean }
  tier: Tier
  /** the counts of a compact record; null for a raw episode. */
  counts: Counts | null
  /** the days that a compact record covers, inclusive, in the time zone of its tenant. */
  begins: string | null
  /** the days that a compact record covers, inclusive, in the time zone of its tenant. */
  ends: string | null
  /** whether a person restored it from a compact record; it is not compacted again. */
  kept: boolean
}

export type EpisodeOutcome = 'done' | 'approved' | 'rejected' | 'modified' | 'exception'

/** The plan of an erasure. */
export interface ErasurePlan {
  /** the subject, such as user ana; for memories, their number. */
  subject: Subject
  /** the subject, such as user ana; for memories, their number. */
  name: string
  /** the exact scopes to empty; for a session or memories, the scope that contains them. */
  scopes: Scope[]
  /** the number of rows by table. */
  rows: { [name: string]: number }
  /** the number of memories by kind. */
  kinds: { [name: string]: number }
  /** the start of an unfinished erasure of this subject; the same call continues it. */
  begun_at: string | null
  /** ids of memories that were derived from the session or memories, and are erased too; of those that the caller may see. */
  drawn: string[]
  /** ids of memories of wider scopes that were derived from them. They are erased too; those with other evidence are derived again from it. */
  elsewhere: string[]
  /** names of legal holds that forbid the erasure. */
  legal_holds: string[]
  /** exports, reports, archives and backups that contain the subject, latest first. They are not erased. */
  handed_out: ExternalCopy[]
  /** other copies that are not erased, with the action for each. */
  beyond: string[]
}

/** An erasure without its subject. */
export interface ErasureSummary {
  /** the id of the erasure and of its receipt. */
  id: string
  subject: Subject
  /** the number of deleted rows. */
  rows: number
  begun_at: string
  /** null if it is unfinished; the same call continues it. */
  finished_at: string | null
}

export type Event = 'action_completed' | 'approval_approved' | 'approval_rejected' | 'approval_modified' | 'exception_raised' | 'user_correction' | 'compact'

/** A memory with its evidence, down to messages and episodes. */
export interface Evidence {
  record: Memory
  /** the verdicts of people. */
  verdicts: PersonVerdict[]
  /** the evidence; each memory occurs once in the whole tree. */
  sources: Evidence[]
  /** ids of evidence that was erased or is not visible. */
  missing: string[]
}

/** A memory that is due for deletion by a retention policy. */
export interface ExpiredRecord {
  id: string
  scope: Scope
  kind: string
  classification: Classification
  /** the time of its recording. */
  since: string
  /** the name of the policy with the shortest time. */
  policy: string
  /** the beginning of its text. */
  text: string
}

/** The reason why a memory was or was not recalled for a question. */
export interface Explanation {
  id: string
  /** the stage that it reached: recalled, or the one where it was lost: status, kind, echo, filter, candidates, limit, tokens, abstained, time, rejected. */
  stage: string
  /** the same in words, without any text of the memory. */
  reason: string
  /** its rank, from 1; null if it was not ranked. */
  rank: number | null
  /** its score in [0, 1]; null if it was not ranked. */
  score: number | null
  /** its ranking factors, as in a hit. */
  factors: { [name: string]: number }
  /** the weight of each factor in the sum for this question; at most 1 in all. */
  weights: { [name: string]: number }
  /** its rank in each retriever that found it, from 1. */
  ranks: { [name: string]: number }
}

/** A copy of memories outside the store, from the audit log. */
export interface ExternalCopy {
  /** the time, to the minute. */
  at: string
  /** archive, backup, export or report. */
  what: string
  /** the scope that was copied. */
  scope: Scope
  /** the caller; "" if unknown. */
  actor: string
  /** the entry point, such as cli. */
  origin: string
}

/** A key and a value with a validity. `text` is the fact in words. */
export interface Fact {
  /** the kind of the memory */
  kind: 'fact'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  details: FactDetails
}

export type FactCategory = 'profile' | 'contact' | 'rule' | 'setting'

/** The fields of a fact. */
export interface FactDetails {
  category: FactCategory
  /** a stable name, such as contact/bertelli/tone. */
  key: string
  value: JsonValue
  /** the start of its validity (aware, UTC). */
  valid_from: string
  /** the end of its validity, exclusive, or null. */
  valid_to: string | null
}

export type FailureKind = 'refused the request or the key' | 'did not answer' | 'gave answers that cannot be used'

/**
 * Conditions on memories; all that are set must match. Dates are inclusive.
 *
 * The constructor converts names to enum members, sequences to tuples, and times to UTC.
 */
export interface Filter {
  kinds?: string[]
  types?: string[]
  /** episodic, semantic or reflective: each covers several kinds. */
  layers?: string[]
  /** a record must have all of them. */
  tags?: string[]
  sessions?: string[]
  /** active and, for episodes, raw by default. */
  statuses?: string[]
  /** bounds of occurred_at, inclusive. */
  since?: Time | null
  /** bounds of occurred_at, inclusive. */
  until?: Time | null
  /** by default every class that the caller may see. */
  classifications?: string[]
  /** names of authors, as they are stored. */
  authors?: string[]
  /** tool, auto-capture, user, import, observer or detector. */
  sources?: string[]
  /** top-level names and values of the record's metadata; all of them must match. */
  metadata?: { [name: string]: string | number | boolean }
  minimumTrust?: string
  /** in [0, 1]. */
  minimumImportance?: number
  /** of episodes: raw, weekly or monthly. */
  tiers?: string[]
  /** the first contact of episodes, compared without case; "" for episodes without one. */
  contact?: string | null
}

/** A fault with its places: ids of records, numbers of documents, or names of models; never content. */
export interface Finding {
  fault: StoreFault
  where: string[]
}

export type Format = 'markdown' | 'tags'

export type Gap = 'unreadable-time' | 'unknown-role' | 'missing-time' | 'assumed-zone' | 'missing-content' | 'cut-off' | 'no-message' | 'thinking' | 'not-text' | 'unread-field' | 'harness' | 'missing-evidence' | 'other-scope' | 'raised-class' | 'changed-content' | 'taken-key' | 'taken-number' | 'rejected' | 'lent'

/** A granted transfer. */
export interface GrantedTransfer {
  /** the project that is copied from. */
  lender: string
  /** the project that is copied to. */
  reader: string
  reason: string
  granted_at: string
  /** the number of active copies. */
  observations: number
  /** whether it was revoked, and a legal hold still protects some of its copies. */
  revoked: boolean
}

/** A recalled memory, with its score. */
export interface Hit {
  /** the memory. */
  record: Memory
  /** the score in [0, 1], higher is better; comparable only within a profile. */
  score: number
  /** the score divided by the best score, in [0, 1]. */
  relative: number
  /** the ranking factors, each in [0, 1], and the raw cosine of the embedder. After a reranker, rerank is its raw score and unreranked the hit's score before it. */
  factors: { [name: string]: number }
  /** the hit's ranks with and without feedback, before any reranker. */
  ranks: Ranks
  /** the newer hit that replaced its statement; the memory is still active. */
  replaced: Replacement | null
  /** the hits whose statements it replaced. */
  replaces: Replacement[]
}

/** A memory of an archive that was not imported, or not unchanged. */
export interface ImportConflict {
  id: string
  scope: Scope
  kind: string
  /** differs: changed on both sides; the later text is current, and the other one a version. renumbered: its message number was in use. elsewhere: it exists in another scope. erased: it or its evidence was erased here. rejected: people rejected it or its evidence here. legal-hold: it is deleted in the archive, and a legal hold protects it here. redacted: its scope masks or refuses its personal data. */
  reason: ConflictReason
}

/** The result of an import of an archive. */
export interface ImportResult {
  archive: ArchiveSummary
  /** the number of new memories. */
  created: number
  /** the number of memories that the archive had in a later version. */
  updated: number
  /** the number of unchanged memories. */
  same: number
  /** the number of memories that the store had in a later version; they are unchanged. */
  older: number
  /** the number of new sessions. */
  sessions: number
  /** the first 1,000 conflicts. */
  conflicts: ImportConflict[]
  /** the number of conflicts by reason. */
  conflict_counts: { [name: string]: number }
}

/** Numbers of turns that were created, and that existed already. */
export interface Imported {
  created: number
  deduped: number
}

/** The result of the import of a file. */
export interface ImportedFile {
  /** number of messages that were stored. */
  created: number
  /** number of messages that existed already. */
  deduped: number
  /** number of messages that were skipped, because they were erased here. */
  erased: number
  /** conversations that differ from an earlier import of the same place. */
  differing: ChangedConversation[]
  /** fields that could not be read as they are. */
  unread: UnreadField[]
  /** skipped entries. */
  left_out: SkippedItem[]
  /** for an export of ours, the number of stored memories of each kind. */
  kinds: { [name: string]: number }
}

/** An injection of memories into a prompt. */
export interface Injection {
  id: string
  /** "" for none. */
  session: string
  mode: InjectionMode
  /** false if the mode is switched off; the injection is recorded for comparison. */
  shown: boolean
  at: string
  /** ids of the memories, best first. */
  records: string[]
  /** by id, for memories that a question recalled. */
  ranks: { [name: string]: Ranks }
}

export type InjectionMode = 'brief' | 'prompt' | 'recall' | 'context'

/** A piece of text in a block: a section, or one message. */
export interface Item {
  /** the slot that it belongs to. */
  slot: Slot
  text: string
  tokens: number
  /** ids of the memories in the text. */
  ids: string[]
  /** names in the report, if the text is not of a memory. */
  names: string[]
  /** the role of a message, else "". */
  role: string
  speaker: string
  /** the text of a message in a chat, quoted if it is untrusted. */
  message_text: string
  /** whether it quotes text of tools, pages and others. */
  untrusted: boolean
}

/** A long task that runs after the request that started it. */
export interface Job {
  id: string
  scope: Scope
  work: JobWork
  state: JobState
  /** the progress, in units of the work. */
  done: number
  /** the result in numbers. */
  counts: { [name: string]: number }
  /** the code of the error that ended it, or "". */
  failure: string
  /** the message of that error, without texts of memories. */
  message: string
  /** whether its cancellation was requested. */
  cancelled: boolean
  started_at: string
  /** the last time that its process reported progress. */
  heartbeat_at: string
  ended_at: string | null
}

export type JobState = 'running' | 'done' | 'failed' | 'cancelled' | 'lost'

export type JobWork = 'import' | 'nightly' | 'embed' | 'reembed' | 'reindex'

export type Kind = 'message' | 'observation' | 'reflection' | 'episode' | 'signal' | 'fact' | 'procedure'

export type Layer = 'episodic' | 'semantic' | 'reflective'

/** Work that a process does at present. */
export interface Lease {
  /** a keyed hash of the work. */
  name: string
  /** the process. */
  holder: string
  /** the end of the lease, unless the process renews it. */
  until: string
}

/** A legal hold, which forbids all deletion in a scope and in scopes under it. */
export interface LegalHold {
  /** such as the number of a case. */
  name: string
  /** is shown to refused callers. */
  reason: string
  set_at: string
  /** the scope of the hold; null before it is stored. */
  scope: Scope | null
  /** only this session. */
  session: string | null
  /** only memories that mention this person, in any case of letters. */
  person: string | null
}

/** The result of a dry run of the maintenance. */
export interface MaintenancePreview {
  day: string
  /** the remaining steps. */
  left: MaintenanceStep[]
  /** their results in numbers, by name, as of a run. */
  counts: { [name: string]: number }
  /** notes for a person. */
  notes: string[]
}

/** The maintenance run of a scope for one local day. */
export interface MaintenanceRun {
  day: string
  /** the last finished step, or null. */
  step: MaintenanceStep | null
  /** the results in numbers, by name. */
  counts: { [name: string]: number }
  /** notes for a person, such as rules that do not fit; the first twenty. */
  notes: string[]
  /** the number of attempts. */
  tries: number
  started_at: string
  /** null while it runs or waits for the next attempt. */
  ended_at: string | null
}

export type MaintenanceStep = 'retain' | 'weekly' | 'monthly' | 'consolidate' | 'detect' | 'promote' | 'scores'

/** A memory that mentions a person, for review before an erasure. */
export interface Mention {
  id: string
  scope: Scope
  kind: string
  /** the fields that contain the name, such as text, speaker or details. */
  where: string[]
  /** the text of the memory. */
  text: string
  /** the number of memories derived from it; those without other evidence are erased with it. */
  drawn: number
}

/** A message of a conversation. Its text never changes. */
export interface Message {
  /** the kind of the memory */
  kind: 'message'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  /** the position in its session, from 1, without gaps. */
  number: number
  role: Role
  /** the name of the speaker, or "". */
  speaker: string
  /** the length in tokens. */
  tokens: number
  /** the name of the tokenizer that counted them. */
  tokenizer: string
}

/** A memory with its number of reads. */
export interface MostRead {
  id: string
  scope: Scope
  kind: string
  /** the number of recalls and injections. */
  uses: number
  last_accessed_at: string | null
}

/** An entity that memories name. */
export interface NamedEntity {
  /** in small letters with single spaces, as names are compared. */
  name: string
  /** the number of visible memories that name it. */
  memories: number
}

/** The entities around one, and the relations between them. */
export interface Neighbourhood {
  /** the number of relations from the entity, by name. */
  distances: { [name: string]: number }
  /** the type of each entity, as far as its relations and its name show. */
  types: { [name: string]: EntityType }
  relations: EntityRelation[]
  /** whether more entities were found than the limit. */
  is_cut: boolean
}

/** An episode to record: an action. */
export interface NewEpisode {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue }
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** the action without content, such as removed semicolon from third paragraph; 1 to 100 characters. */
  summary: string
  /** action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or user_correction. */
  event?: string
  /** done, approved, rejected, modified or exception; by default that of the event. */
  outcome?: string | null
  /** the person concerned; a shorthand for a first entity of the type contact. */
  contact?: string
  /** the people and things concerned. */
  entities?: Entity[]
  /** values to count, by name: strings, numbers and booleans. */
  attributes?: { [name: string]: string | number | boolean }
  /** the minimum classification; the detected one is used if it is higher. */
  classification?: string | null
}

/** A message to record. */
export interface NewMessage {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue }
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** the text; it may be empty if the message has content or tool calls. */
  text: string
  /** user, assistant, system or tool. */
  role?: string
  /** the name of the speaker. */
  speaker?: string
  /** further parts as in chat APIs: {"type": "text", "text": "…"}. Of parts without text, the type, the name and the address are stored. */
  content?: { [name: string]: JsonValue }[]
  /** calls of tools: {"name": "…", "arguments": {…}}, also nested under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  /** trusted or untrusted; by default messages of tools are untrusted, and all others trusted. */
  trust?: string | null
  /** the minimum classification; the detected one is used if it is higher. */
  classification?: string | null
}

/**
 * A claim to save as an observation.
 *
 * A session without activity for 24 hours is closed with a summary, and a new one is opened.
 */
export interface NewObservation {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue }
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  text: string
  /** profile, preference, decision, pattern, discovery, or a type of the deployment; by default discovery. */
  type?: string | null
  /** by default the first line of the text. */
  title?: string | null
  /** a stable name. A later save with it replaces the text and keeps the earlier one as a version; unset fields are unchanged. */
  topicKey?: string | null
  /** semantic by default; reflective saves a reflection. */
  layer?: string | null
  /** a type of the caller's own, instead of type. */
  customType?: string | null
  /** ids of the memories that support it; it inherits their lowest trust and highest classification. */
  evidence?: string[]
  /** the end of its validity, exclusive, with a time zone. It is then archived, and only reads of the past return it. Saving it again makes it valid again. */
  validUntil?: Time | null
  /** trusted or untrusted; by default that of the evidence. */
  trust?: string | null
  /** the minimum classification; by default that of the evidence, at least internal. */
  classification?: string | null
}

/** A claim with its evidence. */
export interface Observation {
  /** the kind of the memory */
  kind: 'observation'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  /** an observation type of the deployment, a custom type, or summary. */
  type: string
  title: string
  /** a stable name, under which a later save replaces the text, or null. */
  topic_key: string | null
  /** 1 to 5 from an engine, 5 for claims that must not be forgotten; otherwise 0. */
  priority: number
  /** the day, month or year that the claim is about, as an ISO string, or "". */
  refers_to: string
  /** numbers of the messages of its session that it was derived from, inclusive; otherwise 0. */
  first: number
  /** numbers of the messages of its session that it was derived from, inclusive; otherwise 0. */
  last: number
  /** the position in the log of notes, in the order of activation, or null. */
  place: number | null
  /** the length in tokens; 0 if not counted. */
  tokens: number
  /** the name of the tokenizer that counted them. */
  tokenizer: string
  /** the engine that derived it, with its version; "" if it was saved by a caller. */
  engine: string
  /** the language model of the engine, or "". */
  model: string
  /** the counts of the detector, or null. */
  learned: PatternDetails | null
  /** the end of its validity, exclusive, or null; it is then archived. */
  valid_until: string | null
}

export type Outcome = 'created' | 'updated' | 'deduped'

/** The state of a scope and of the scopes under it. */
export interface Overview {
  at: string
  /** by project. */
  usage: ProjectUsage[]
  /** the most read memories, in descending order. */
  most_read: MostRead[]
  /** budgets with projections; empty for callers without the right govern. */
  budgets: BudgetForecast[]
  /** the number of memories that the next nightly run deletes; 1,000 means 1,000 or more. */
  due: number
  /** the number of deleted memories that can be restored; 1,000 means 1,000 or more. */
  deleted: number
  /** legal holds on the scope or on scopes under it. */
  legal_holds: LegalHold[]
  /** erasures requested in the scope, latest first; null for callers with a lower clearance. */
  erasures: ErasureSummary[] | null
  /** the number of entries in the tenant's audit log; null unless the caller operates the whole tenant with the highest clearance. */
  audit_entries: number | null
  /** whether the audit log passed its verification. */
  audit_is_whole: boolean
}

/** A page of records, newest first. */
export interface Page {
  records: Memory[]
  /** continues with the next page; null at the end. */
  cursor: string | null
}

/** The fields of an observation that the detector made; see `Pattern`. */
export interface PatternDetails {
  /** identifies the behaviour. */
  key: string
  category: Category
  /** the counts in words. */
  evidence: string
  /** the number of distinct supporting episodes since the first detection. */
  occurrences: number
  /** the number of supporting episodes in the last count. */
  supporting: number
  /** the number of contradicting episodes in the last count. */
  against: number
  /** an instruction for an agent; "" if it is no candidate for a rule. */
  rule: string
  /** the day of the last count. */
  counted_on: string
  /** the number of people who confirmed it. */
  boosts: number
  /** the number of episodes in the last count in which the behaviour was possible. */
  cases: number
  /** whether the habit has ended or changed. */
  ended: boolean
}

export type Period = 'day' | 'month'

/** The latest verdict of a person on a memory. */
export interface PersonVerdict {
  record: string
  person: string
  verdict: Verdict
  at: string
}

export type PersonalDataType = 'card' | 'iban' | 'identity' | 'email' | 'phone' | 'ip' | 'person' | 'place'

/** The memories of a project in numbers. */
export interface ProjectUsage {
  /** null for memories without a project. */
  project: string | null
  /** the number of memories by kind. */
  kinds: { [name: string]: number }
  /** the number of memories by classification. */
  classifications: { [name: string]: number }
  /** the number of users with memories. */
  users: number
}

/** The cost of several prompts. */
export interface PromptCost {
  /** the sum of their tokens. */
  tokens: number
  /** the sum of their common prefixes. */
  prefix: number
  /** the cost without a prompt cache, in millionths of a dollar. */
  uncached: number
  /** the cost with cached prefixes, in millionths of a dollar. */
  cached: number
}

export type Purpose = 'embed' | 'stale-sessions' | 'reembed' | 'observe' | 'reflect' | 'nightly'

/** The ranks of a hit, from 1: with and without its feedback weight. */
export interface Ranks {
  weighted: number
  unweighted: number
}

/** The result of a question: its hits, or the nearest misses. */
export interface RecallResult {
  /** best first; empty if nothing is near enough. */
  hits: Hit[]
  /** whether no memory is likely to answer the question. */
  abstained: boolean
  /** the probability, in [0, 1], that the hits contain an answer. */
  confidence: number
  /** the nearest misses, if it abstained. */
  nearest: Hit[]
  /** the number of hits that max_tokens left out. */
  dropped: number
  /** deviations from the usual, such as a retriever that did not answer. */
  notes: string[]
}

/** A signed receipt of an erasure, with the result of the search afterwards. It contains no names and no content. */
export interface Receipt {
  /** the id of the erasure. */
  id: string
  /** the kind of the subject. */
  subject: Subject
  /** the subject, as a keyed hash that only the store can compute. */
  name: string
  /** the store, as a hash. */
  store: string
  /** the number of deleted rows by table. */
  rows: { [name: string]: number }
  /** the number of emptied scopes. */
  scopes: number
  /** the number of rows searched afterwards. */
  looked: number
  /** the number of texts with an id of an erased memory, and of derived rows with eight consecutive words that only erased memories had; 0 if nothing is left. */
  found: number
  started_at: string
  finished_at: string
  /** copies that were not erased. */
  beyond: string[]
  /** SHA-256 over the fields above, hex. */
  hash: string
  /** the public key of the signature, hex. */
  key: string
  /** Ed25519 over the hash, hex. */
  signature: string
}

export type Redaction = 'off' | 'tag' | 'mask' | 'refuse'

/** An insight over several observations, which are its evidence. */
export interface Reflection {
  /** the kind of the memory */
  kind: 'reflection'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  /** an observation type of the deployment, a custom type, or summary. */
  type: string
  title: string
  /** a stable name, under which a later save replaces the text, or null. */
  topic_key: string | null
  /** 1 to 5 from an engine, 5 for claims that must not be forgotten; otherwise 0. */
  priority: number
  /** the day, month or year that the claim is about, as an ISO string, or "". */
  refers_to: string
  /** numbers of the messages of its session that it was derived from, inclusive; otherwise 0. */
  first: number
  /** numbers of the messages of its session that it was derived from, inclusive; otherwise 0. */
  last: number
  /** the position in the log of notes, in the order of activation, or null. */
  place: number | null
  /** the length in tokens; 0 if not counted. */
  tokens: number
  /** the name of the tokenizer that counted them. */
  tokenizer: string
  /** the engine that derived it, with its version; "" if it was saved by a caller. */
  engine: string
  /** the language model of the engine, or "". */
  model: string
  /** the counts of the detector, or null. */
  learned: PatternDetails | null
  /** the end of its validity, exclusive, or null; it is then archived. */
  valid_until: string | null
}

/** An observation that would be a procedure, were there room. */
export interface Refused {
  observation: string
  reason: string
}

/** The replacement of an older statement by a newer one. */
export interface Replacement {
  /** their ids; the newer one is the evidence. */
  older: string
  /** their ids; the newer one is the evidence. */
  newer: string
  /** the value that is no longer valid, as the older one has it: "Bern". */
  value: string
  /** the time of the newer one. */
  until: string
}

/** A model's reply in a conversation. */
export interface Reply {
  text: string
  /** the model, as provider:name. */
  model: string
  /** the context that the model read. */
  context: Context
}

/** The token counts of a block, and what was left out of it. */
export interface Report {
  /** the maximum number of tokens of the block. */
  budget: number
  /** the tokens of the text, as tokenizer counts them; at most the budget. */
  tokens: number
  tokenizer: string
  /** whether the model counts the same; if not, the count was raised by margin. */
  exact: boolean
  margin: number
  /** tokens by slot. */
  slots: { [name: string]: number }
  /** the maximum of each slot, by the names of the setting slots. */
  caps: { [name: string]: number }
  /** ids of what did not fit, by slot; items without an id are named exchange 1 (of the history), task, working or today. */
  dropped: { [name: string]: string[] }
  /** tokens of the prefix that a provider can cache. */
  cacheable: number
  /** tokens of the messages that are shown verbatim. */
  raw: number
  /** tokens of the notes on the conversation. */
  noted: number
  /** the number of messages that are replaced by notes. */
  covered: number
  /** tokens of the whole conversation, which the block represents. */
  whole: number
  /** deviations from the usual. */
  notes: string[]
}

/** The memories of one deletion that were restored. */
export interface Restoration {
  /** number of restored memories. */
  count: number
  /** ids of those that stay deleted, because they were replaced or rejected. */
  refused: string[]
}

/** The result of applying retention policies. */
export interface Retained {
  /** memories that were deleted; they can be restored for 30 days. */
  expired: number
  /** deleted memories that were removed permanently. */
  purged: number
  /** due memories that a legal hold keeps; counted by a dry run only. */
  on_hold: number
}

/** The retention time of memories of a scope and of scopes under it. Of several policies, the shortest applies. */
export interface RetentionPolicy {
  /** unique within its scope. */
  name: string
  /** days after the recording until a memory is deleted; it can then be restored for 30 days. */
  keep_days: number
  set_at: string
  /** only these memories; empty for all. */
  kinds: Kind[]
  /** only these memories; empty for all. */
  classifications: Classification[]
  /** the scope of the policy; null before it is stored. */
  scope: Scope | null
}

export type Right = 'read' | 'write' | 'learn' | 'govern' | 'operate' | 'reveal'

export type Role = 'user' | 'assistant' | 'system' | 'tool'

/** An instruction that an agent reads verbatim. Its evidence is the observation that it was derived from. */
export interface Rule {
  /** the kind of the memory */
  kind: 'procedure'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  details: RuleDetails
}

/** The fields of a rule. */
export interface RuleDetails {
  /** the number of confirmations by people. */
  confirmations: number
  /** the reason of its demotion, or "". */
  reason: string
}

/** An entry of a run. */
export interface RunEntry {
  part: RunEntryKind
  text: string
  /** whether an approval was granted. */
  approved?: boolean
}

export type RunEntryKind = 'step' | 'result' | 'approval'

/** The result of a write: its outcome and the record. */
export interface SavedEpisode {
  outcome: Outcome
  record: Episode
}

/** The result of a write: its outcome and the record. */
export interface SavedFact {
  outcome: Outcome
  record: Fact
}

/** The result of a write: its outcome and the record. */
export interface SavedMessage {
  outcome: Outcome
  record: Message
}

/** The result of a write: its outcome and the record. */
export interface SavedObservation {
  outcome: Outcome
  record: Observation | Reflection
}

/** The result of a write: its outcome and the record. */
export interface SavedSignal {
  outcome: Outcome
  record: Signal
}

/** The savings of contexts compared with whole histories. */
export interface Savings {
  project: string | null
  agent: string | null
  /** null for all sessions of the project and agent. */
  session: string | null
  /** the number of contexts. */
  blocks: number
  /** the number of contexts with unknown cost, which is not in saving. */
  unpriced: number
  saving: CostComparison
}

/**
 * The owner of a memory. `tenant` isolates; a dimension that is `null` is shared.
 *
 * Names of projects, agents and users are normalised to composed Unicode (NFC); the tenant is compared exactly.
 */
export interface Scope {
  tenant: string
  project: string | null
  agent: string | null
  user: string | null
}

/** The score of a memory and its parts. */
export interface ScoreParts {
  id: string
  kind: Kind
  /** in [0, 1]; it decays over time. */
  importance: number
  occurred_at: string
  recorded_at: string
  /** the number of recalls. */
  uses: number
  /** the time of the last recall, or null. */
  accessed: string | null
  /** in [0, 1], or null. */
  rating: number | null
  /** in [0, 1]. */
  boost: number
  /** whether the importance does not decay. */
  pinned: boolean
  /** the relevance to recent questions, in [0, 1]. */
  relevance: number
  /** the local day of the last decay, or null. */
  decayed_on: string | null
  /** the score at the last nightly run, in [0, 1], or null. */
  score: number | null
  /** the feedback weight from outcomes of sessions, in [0, 1]; not part of the score. */
  weight: number
  /** the changes of the weight, earliest first. */
  changes: WeightChange[]
}

/** A search with all its candidates. */
export interface SearchTrace {
  /** the result of the question. */
  result: RecallResult
  /** by rank; the first 100. */
  candidates: TracedCandidate[]
  /** the number of all candidates. */
  considered: number
  /** the number of candidates by retriever. */
  found: { [name: string]: number }
  /** the weight of each factor in the sum for this question; at most 1 in all. */
  weights: { [name: string]: number }
  /** the kind of question: question, request or remark. */
  intent: string
  /** the confidence below which recall abstains. */
  abstain_below: number
  /** the duration of each stage: embed the question, search and rank the candidates, rerank. */
  seconds: { [name: string]: number }
}

/** A conversation or run in one scope. */
export interface Session {
  /** chosen by the caller or the engine; unique within its scope. */
  id: string
  scope: Scope
  status: SessionStatus
  /** whether the caller chose the id; a scope has at most one active session without a chosen id. */
  named: boolean
  /** whether messages are stored. */
  record: boolean
  /** the number of messages ever recorded; the numbers of deleted messages are not reused. */
  messages: number
  /** the tokens of all recorded messages. */
  tokens: number
  /** the number of the last message that was observed without a gap; 0 for none. */
  observed: number
  /** the tokens of the messages up to that one. */
  observed_tokens: number
  started_at: string
  last_activity_at: string
  ended_at: string | null
}

export type SessionOutcome = 'accepted' | 'rejected' | 'rework'

export type SessionStatus = 'active' | 'completed'

/** Feedback or behaviour for the detector. */
export interface Signal {
  /** the kind of the memory */
  kind: 'signal'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the session, or null. */
  session: string | null
  /** the stored text, without private regions, and with masked secrets. */
  text: string
  /** the agent, tool or engine that wrote the current text. */
  author: string
  /** the source of the current text. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** the time of the message or action (aware, UTC). */
  occurred_at: string
  /** the time of the first recording (aware, UTC). */
  recorded_at: string
  /** the time of the last change of text or status (aware, UTC). */
  updated_at: string
  /** 1 at first, and one more after each change of the text. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats recalled memories; it is stored but not indexed. */
  echo: boolean
  /** the number of recalls. */
  usage_count: number
  /** the time of the last recall, or null. */
  last_accessed_at: string | null
  /** the feedback weight in the reading scope, in [0, 1]; 1 at first. */
  weight: number
  /** ids of the memories that it was derived from. */
  evidence: string[]
  details: SignalDetails
}

/** The fields of a signal. */
export interface SignalDetails {
  signal: SignalType
  entities: Entity[]
  attributes: { [name: string]: string | number | boolean }
}

export type SignalType = 'draft_modified' | 'approval_rejected' | 'routed_differently' | 'exception_surfaced' | 'correction' | 'observation_rejected'

/**
 * An entry of a file that was not imported, with the reason.
 *
 * The place is such as `line 3`.
 */
export interface SkippedItem {
  where: string
  reason: string
}

export type Slot = 'facts' | 'procedures' | 'reflections' | 'observations' | 'messages' | 'episodes' | 'history' | 'working memory' | 'recalled' | 'today'

export type Source = 'tool' | 'auto-capture' | 'user' | 'import' | 'observer' | 'detector'

/** The vector space of one embedding model. Vectors of two spaces are never compared. */
export interface Space {
  name: string
  version: string
  dimension: number
  /** mean cosine of two unrelated texts, in (-1, 1); calibrated nearness counts it as 0. */
  randomCosine: number
  /** standard deviation of that cosine; above 0. */
  randomSpread: number
}

/** A limit and what of it is spent. */
export interface SpendingLimit {
  /** whose it is; null for the whole tenant's. */
  project: string | null
  period: Period
  unit: Unit
  /** tokens, or millionths of a US dollar. */
  limit: number
  /** tokens, or millionths of a US dollar. */
  spent: number
  /** calls of unknown cost, which are not among the money spent. */
  unpriced: number
  since: string
}

/** A session that was opened or resumed, with what is worth knowing at its start. */
export interface Started {
  session: Session
  /** whether it was opened just now. */
  is_new: boolean
  /** of earlier sessions, latest first, 5 at most. */
  summaries: (Observation | Reflection)[]
  /** the memories that rank highest by ContextScore, 10 at most. */
  memories: Memory[]
  /** both as a sealed block for a prompt. */
  text: string
  /** of the very text, start_tokens at most. */
  tokens: number
  /** ids of those for which it has no room; they are in neither list. */
  dropped: string[]
}

/** Statistics of the memories that a scope sees. */
export interface Stats {
  /** the number of records by kind/status. */
  records: { [name: string]: number }
  /** the number of sessions. */
  sessions: number
  /** the number of texts in the store without a vector; 0 without an embedder, or for callers who may not operate the store. */
  unembedded: number
  /** the name and version of the vectors in use, or "". */
  embedder: string
  /** the reranker as provider:name, or "". */
  reranker: string
  /** the size of the store on disk; 0 for callers who may not operate it. */
  bytes: number
  /** the number of audit entries of this exact scope; null for callers with a lower clearance. */
  audit_entries: number | null
  /** the databases that did not answer, so that nothing of theirs is counted; empty for callers who may not operate the store. */
  away: string[]
}

export type Status = 'buffered' | 'raw' | 'active' | 'paused' | 'merged' | 'quarantined' | 'rejected' | 'demoted' | 'dismissed' | 'contradicted' | 'superseded_raw' | 'superseded_tier1' | 'retired' | 'archived' | 'soft-deleted'

export type StoreFault = 'orphan-vector' | 'missing-index-row' | 'orphan-index-row' | 'wrong-hash' | 'broken-evidence' | 'number-gap' | 'half-built-generation' | 'missing-vector' | 'damaged-postings' | 'damaged-file' | 'lagging-vector-index' | 'foreign-analyser' | 'failing-nights' | 'future-night' | 'future-time' | 'model-left-alone' | 'replica-not-used' | 'database-away' | 'unfinished-move' | 'damaged-text' | 'lost-rows' | 'foreign-rows' | 'orphan-rows' | 'broken-chain' | 'unfinished-erasure'

export type Subject = 'user' | 'agent' | 'project' | 'tenant' | 'session' | 'memories'

/** Calls of any kind added up; the fields are those of `CallTotal`. */
export interface Sums {
  calls: number
  refused: number
  failed: number
  prompt_tokens: number
  cached_tokens: number
  answer_tokens: number
  cost: number
  unpriced: number
  milliseconds: number
}

/** The result of a task that a model executed with memory. */
export interface TaskResult {
  text: string
  /** the model, as provider:name. */
  model: string
  /** the context that the model read. */
  context: Context
  /** the session in which the task and the answer are recorded. */
  session: string
  /** ids of the messages of the task and of the answer. */
  messages: string[]
  /** ids of the memories in the context, without the messages of the session. */
  memories: string[]
  /** the tokens of all model calls, prompts and answers. */
  tokens: number
  /** the cost of all model calls, in millionths of a US dollar; null if unknown. */
  cost: number | null
  /** the memory that was written back, if requested and not empty. */
  reflection: Memory | null
  /** deviations from the usual. */
  notes: string[]
}

export type Tier = 'raw' | 'weekly' | 'monthly'

/** The differences between two times, each list in order of id. */
export interface TimelineDiff {
  /** records that were new at the later time. */
  learnt: Memory[]
  /** records that read differently. */
  changed: ChangedRecord[]
  /** records that were no longer active. */
  retired: Memory[]
}

/** A record with its neighbours in the session, oldest first. */
export interface TimelineWindow {
  /** the records before it. */
  before: Memory[]
  /** the record. */
  record: Memory
  /** the records after it. */
  after: Memory[]
}

/** A memory that a search considered, and how far it came. */
export interface TracedCandidate {
  /** the memory. */
  record: Memory
  /** its rank before a reranker, from 1. */
  rank: number
  /** its score before a reranker, in [0, 1]. */
  score: number
  /** recalled, or the stage where it was lost: limit, tokens, abstained, rejected. */
  stage: string
  /** the distance of its score to that of the last memory within the limit; 0 for those within. */
  behind: number
  /** its ranking factors, as in a hit. */
  factors: { [name: string]: number }
  /** its rank in each retriever that found it, from 1; empty for a neighbour of another candidate. */
  ranks: { [name: string]: number }
  /** the estimated tokens of its text. */
  tokens: number
}

export type Trust = 'untrusted' | 'trusted'

/** One message of a conversation, in any format. */
export interface Turn {
  /** the name of the dialogue, the same on every machine. "" for a dialogue without a unique id; it is then recognised by its file and its messages. */
  conversation: string
  /** the name of a session of the dialogue; unique within it. */
  session: string
  /** the number of the turn in the conversation, from 0. */
  position: number
  role: string
  text: string
  speaker?: string
  /** aware, or null if the format does not contain it. */
  occurredAt?: Time | null
  /** the default for occurred_at: the time of the conversation or of the file. */
  writtenAt?: Time | null
  /** the id of the turn in its format, or "". */
  reference?: string
  metadata?: { [name: string]: string }
  /** the place in the file, such as line 3. */
  where?: string
}

export type Unit = 'money' | 'tokens'

/** The gaps of one kind in a chat: their number and the first of them. */
export interface UnreadField {
  gap: Gap
  count: number
  example: string
}

export type Verdict = 'right' | 'wrong' | 'dismissed'

/** The result of a verification of a tenant's audit log. */
export interface Verified {
  /** number of entries. */
  entries: number
  /** numbers of the entries that do not follow from their predecessor: they were changed, or an entry before them was removed. */
  broken: number[]
  /** number of counted entries that are missing. */
  lost: number
  /** difference from a checkpoint, or a fault of the checkpoint; "" for none. */
  against: string
  /** number of the last entry. */
  latest: number
}

/** A version of a record with its period; `until` is `null` for the current one. */
export interface Version {
  record: Memory
  since: string
  until: string | null
}

/** A change of a memory's feedback weight by the outcome of a session that used it. */
export interface WeightChange {
  session: string
  record: string
  outcome: SessionOutcome
  /** the step towards the signal, in (0, 1). */
  alpha: number
  /** the weight, in [0, 1]. */
  before: number
  /** the weight, in [0, 1]. */
  after: number
  at: string
}

/** The state of one run. */
export interface WorkingMemory {
  /** the task of the run */
  payload: string
  /** its steps, results and approvals, in order */
  entries?: RunEntry[]
}

export interface AskOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would exceed this many tokens together; by default there is no limit, and 1,500 for an answer. */
  maxTokens?: number
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal, linked (by names); all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** the embedder that made vector. */
  space?: Space | null
  /** false returns the best hits at any confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, even with a setting reranker. */
  rerank?: boolean
}

export interface AskStreamOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would exceed this many tokens together; by default there is no limit, and 1,500 for an answer. */
  maxTokens?: number
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal, linked (by names); all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** the embedder that made vector. */
  space?: Space | null
  /** false returns the best hits at any confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, even with a setting reranker. */
  rerank?: boolean
}

export interface ContextOptions extends Calling {
  /** the name of the conversation; an unknown one is an empty conversation. */
  session?: string | null
  /** the question at hand, whose hits the context includes; by default the last message of a user. Only the beginning of a very long one is searched for. */
  question?: string
  /** the task at hand; the context includes it, and its hits if there is no question. A task that is longer than its slot is shortened, and stored as a message. */
  task?: string
  /** turn, brief, prompt or search. */
  mode?: string
  /** exchanges with tools, oldest first; those that do not fit are shortened, and stored as a message. */
  history?: string[]
  /** the state of the run, such as WorkingMemory.render(). */
  working?: string
  /** Token limits of a context; unset ones are those of the deployment. */
  budget?: Budget | null
  /** for coding: bug_fix, refactor, feature, chore or unknown, which bounds the memory. */
  workType?: string | null
  /** the person concerned: only episodes with this contact are included. */
  contact?: string | null
  /** markdown or tags, in the mode turn. */
  format?: string
  /** false leaves out what the question recalls. */
  recall?: boolean
  /** the maximum number of memories in the mode search, 1 to 1,000. */
  limit?: number
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** the context at an earlier time, from the memories known then, as they then read. Nothing is observed for it, and deleted memories are left out. */
  asOf?: Time | null
}

export interface DeleteOptions extends Calling {
  topicKey?: string | null
  revision?: number | null
}

export interface EditOptions extends Calling {
  /** the new text, or all changes; the other arguments are fields of Changes. */
  text?: string | null
  /** "" resets it to the first line of the text. */
  title?: string | null
  type?: string | null
  /** replaces all tags; an empty list removes them. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue } | null
  /** from 0 to 1. */
  importance?: number | null
  /** a higher classification; it cannot be lowered. */
  classification?: string | null
  /** the author of the change; by default the caller. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** by default the current time if the text changes. */
  occurredAt?: Time | null
  /** the end of its validity, exclusive, with a time zone. */
  validUntil?: Time | null
  /** the revision that it must have; any by default. */
  revision?: number | null
}

export interface ExplainOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would exceed this many tokens together; by default there is no limit, and 1,500 for an answer. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal, linked (by names); all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** the embedder that made vector. */
  space?: Space | null
  /** false returns the best hits at any confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, even with a setting reranker. */
  rerank?: boolean
}

export interface FeedbackOptions extends Calling {
  /** each counts once; by default the caller's actor or the scope's user. */
  person?: string
}

export interface GetOptions extends Calling {
  /** of several memories under one key, that of the nearest scope is returned. */
  topicKey?: string | null
  /** deleted memories are absent from the past, too, until they are restored. */
  asOf?: Time | null
}

export interface ListOptions extends Calling {
  kinds?: string[]
  types?: string[]
  /** episodic, semantic or reflective: each covers several kinds. */
  layers?: string[]
  /** a record must have all of them. */
  tags?: string[]
  sessions?: string[]
  /** active and, for episodes, raw by default. */
  statuses?: string[]
  /** bounds of occurred_at, inclusive. */
  since?: Time | null
  /** bounds of occurred_at, inclusive. */
  until?: Time | null
  /** by default every class that the caller may see. */
  classifications?: string[]
  /** names of authors, as they are stored. */
  authors?: string[]
  /** tool, auto-capture, user, import, observer or detector. */
  sources?: string[]
  /** top-level names and values of the record's metadata; all of them must match. */
  metadata?: { [name: string]: string | number | boolean }
  minimumTrust?: string
  /** in [0, 1]. */
  minimumImportance?: number
  /** of episodes: raw, weekly or monthly. */
  tiers?: string[]
  /** the first contact of episodes, compared without case; "" for episodes without one. */
  contact?: string | null
  /** 1 to 1,000. */
  limit?: number
  cursor?: string | null
  /** the memories of that time, as they then read; the filter applies to these. */
  asOf?: Time | null
  /** with the scopes under this one: from the tenant's own scope, the whole tenant. */
  allScopes?: boolean
}

export interface RecallOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would exceed this many tokens together; by default there is no limit, and 1,500 for an answer. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal, linked (by names); all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** the embedder that made vector. */
  space?: Space | null
  /** false returns the best hits at any confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, even with a setting reranker. */
  rerank?: boolean
}

export interface RecordOptions extends Calling {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue } | null
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** user, assistant, system or tool. */
  role?: string
  /** the name of the speaker. */
  speaker?: string
  /** further parts as in chat APIs: {"type": "text", "text": "…"}. Of parts without text, the type, the name and the address are stored. */
  content?: { [name: string]: JsonValue }[]
  /** calls of tools: {"name": "…", "arguments": {…}}, also nested under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  /** trusted or untrusted; by default messages of tools are untrusted, and all others trusted. */
  trust?: string | null
  /** the minimum classification; the detected one is used if it is higher. */
  classification?: string | null
}

export interface SaveOptions extends Calling {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue }
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** profile, preference, decision, pattern, discovery, or a type of the deployment; by default discovery. */
  type?: string | null
  /** by default the first line of the text. */
  title?: string | null
  /** a stable name. A later save with it replaces the text and keeps the earlier one as a version; unset fields are unchanged. */
  topicKey?: string | null
  /** semantic by default; reflective saves a reflection. */
  layer?: string | null
  /** a type of the caller's own, instead of type. */
  customType?: string | null
  /** ids of the memories that support it; it inherits their lowest trust and highest classification. */
  evidence?: string[]
  /** the end of its validity, exclusive, with a time zone. It is then archived, and only reads of the past return it. Saving it again makes it valid again. */
  validUntil?: Time | null
  /** trusted or untrusted; by default that of the evidence. */
  trust?: string | null
  /** the minimum classification; by default that of the evidence, at least internal. */
  classification?: string | null
}

export interface TraceOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would exceed this many tokens together; by default there is no limit, and 1,500 for an answer. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal, linked (by names); all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** the embedder that made vector. */
  space?: Space | null
  /** false returns the best hits at any confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, even with a setting reranker. */
  rerank?: boolean
}

export interface AdminCostsOptions extends Calling {
  /** 1 to 366, with today. */
  days?: number
}

export interface AdminDoctorOptions extends Calling {
  /** repair faults that can be repaired automatically. */
  repair?: boolean
  /** accept rows that another program removed or added, so that they are not reported again. */
  acceptLosses?: boolean
}

export interface AdminIndexRebuildOptions extends Calling {
  /** also rebuild an external vector index from the vectors of the store. */
  vectors?: boolean
}

export interface AdminJobsImportOptions extends Calling {
  /** the name of the file; the import of a file that has grown continues where the last one ended */
  name?: string
  /** skip messages that cannot be imported, instead of refusing the file */
  skipBad?: boolean
  /** the form of the file, recognised by default: `auto`, `chat`, `mem0-history`, `langgraph`, `opencode-db`, `cursor-db`, `codex`, `claude-memories`, `letta`, `engram`, `account`, `engram-index`, `mem0`, `cogx`, `graphiti`, `claude-projects`, `mcp-memory`, `opencode`, `opencode-storage`, `opencode-part`, `telegram`, `discord`, `discord-package`, `slack-index`, `slack`, `pairs`, `whatsapp`, `mbox`, `csv`, `markdown` */
  form?: string
  /** the zone of times without one, such as `Europe/Berlin` */
  timeZone?: string | null
}

export interface AdminJobsListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface AdminKeysCreateOptions extends Calling {
  /** restrict the key to a scope within the caller's. */
  project?: string | null
  /** restrict the key to a scope within the caller's. */
  agent?: string | null
  /** restrict the key to a scope within the caller's. */
  user?: string | null
  /** at most that of the caller, which is the default. */
  clearance?: string | null
  /** some of read, write, learn, govern, operate and reveal; the caller must have them. */
  rights?: string[]
  /** the number of days until it expires; by default it does not expire. */
  days?: number | null
  /** the tenant of the key, for a caller who operates the whole store; by default the caller's. */
  tenant?: string | null
  /** at most 100 further tenants that it opens, for a caller who operates the whole store. */
  tenants?: string[]
}

export interface AdminKeysListOptions extends Calling {
  /** another tenant, for a caller who operates the whole store; by default the caller's. */
  tenant?: string | null
}

export interface AdminKeysRevokeOptions extends Calling {
  /** another tenant, for a caller who operates the whole store; by default the caller's. */
  tenant?: string | null
}

export interface AdminKeysRotateOptions extends Calling {
  /** another tenant, for a caller who operates the whole store; by default the caller's. */
  tenant?: string | null
}

export interface AdminMaintenanceListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface AdminScopesOptions extends Calling {
  /** only scopes whose project, agent or user contains this text, without regard to case. */
  part?: string
  /** 1 to 1,000. */
  limit?: number
}

export interface EpisodesEndRunOptions extends Calling {
  /** done, failed or rolled back. */
  ended?: string
  contact?: string
  session?: string | null
  /** a summary of the run; by default the numbers of its steps, results and approvals. */
  summary?: string
}

export interface EpisodesListOptions extends Calling {
  /** the first contact; "" for episodes without one. */
  contact?: string | null
  /** raw, weekly or monthly. */
  tier?: string | null
  since?: Time | null
  until?: Time | null
  /** include episodes that a compact record summarises. */
  superseded?: boolean
  /** 1 to 1,000. */
  limit?: number
  /** the episodes in their state at that time. */
  asOf?: Time | null
}

export interface EpisodesRecordOptions extends Calling {
  /** the session by name, opened or resumed; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** by default none for a new record, and unchanged for an existing one. */
  tags?: string[] | null
  /** merged into the stored metadata; a name with the value null is removed. */
  metadata?: { [name: string]: JsonValue }
  /** the author: an agent, a tool or a person. */
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or user_correction. */
  event?: string
  /** done, approved, rejected, modified or exception; by default that of the event. */
  outcome?: string | null
  /** the person concerned; a shorthand for a first entity of the type contact. */
  contact?: string
  /** the people and things concerned. */
  entities?: Entity[]
  /** values to count, by name: strings, numbers and booleans. */
  attributes?: { [name: string]: string | number | boolean } | null
  /** the minimum classification; the detected one is used if it is higher. */
  classification?: string | null
}

export interface EpisodesSignalOptions extends Calling {
  summary?: string
  /** the person concerned; a shorthand for a first entity of the type contact. */
  contact?: string
  entities?: Entity[]
  attributes?: { [name: string]: string | number | boolean } | null
  session?: string | null
  occurredAt?: Time | null
  author?: string
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface FactsEndOptions extends Calling {
  at?: Time | null
}

export interface FactsGetOptions extends Calling {
  /** the time of validity. */
  at?: Time | null
  /** the time of knowledge, which is the default of at. */
  asOf?: Time | null
}

export interface FactsListOptions extends Calling {
  category?: string | null
  /** the time of validity. */
  at?: Time | null
  /** the time of knowledge, which is the default of at. */
  asOf?: Time | null
}

export interface FactsSetOptions extends Calling {
  /** profile, contact, rule or setting. */
  category?: string
  /** the start of its validity, with a time zone; by default the current time. */
  validFrom?: Time | null
  /** the end of its validity, exclusive, with a time zone. */
  validTo?: Time | null
  author?: string
  source?: string
  classification?: string | null
}

export interface GovernanceArchivesReportOptions extends Calling {
  /** a name to search for in the memories of all other users */
  person?: string | null
  /** `markdown` or `jsonl` */
  form?: string
}

export interface GovernanceAuditListOptions extends Calling {
  /** bounds of the time of the entry, inclusive. */
  since?: Time | null
  /** bounds of the time of the entry, inclusive. */
  until?: Time | null
  /** such as created, erased or read. */
  action?: string | null
  /** of the object, such as observation; for a read the name of the operation, such as recall. */
  kind?: string | null
  /** the entry point, such as library, rest or cli. */
  origin?: string | null
  actor?: string | null
  /** the id of a memory; also matches entries that disclosed several memories. */
  memory?: string | null
  /** the number of an entry; only earlier ones match. */
  before?: number | null
  /** leave out the entries of reads. */
  withoutReads?: boolean
  /** 1 to 1,000. */
  limit?: number
}

export interface GovernanceAuditVerifyOptions extends Calling {
  /** an earlier result of checkpoint. */
  against?: Checkpoint | null
}

export interface GovernanceErasureEraseOptions extends Calling {
  /** as for plan. */
  user?: string | null
  /** as for plan. */
  agent?: string | null
  /** as for plan. */
  project?: string | null
  /** as for plan. */
  tenant?: string | null
  /** as for plan. */
  session?: string | null
  /** as for plan. */
  memories?: string[]
}

export interface GovernanceErasureFindMentionsOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface GovernanceErasurePlanOptions extends Calling {
  /** all memories of this user within this scope. */
  user?: string | null
  /** all memories of this agent within this scope. */
  agent?: string | null
  /** all memories of this project within this scope. */
  project?: string | null
  /** all memories of the tenant; it must be the tenant of this scope. */
  tenant?: string | null
  /** a session of this exact scope, with memories derived from it alone. */
  session?: string | null
  /** ids of memories of this exact scope. */
  memories?: string[]
}

export interface GovernanceErasureReceiptsOptions extends Calling {
  /** only receipts of this subject, such as user and ana; for memories, their ids separated by spaces. Receipts contain no names; the store compares keyed hashes. */
  subject?: string | null
  /** only receipts of this subject, such as user and ana; for memories, their ids separated by spaces. Receipts contain no names; the store compares keyed hashes. */
  name?: string | null
  /** 1 to 1,000. */
  limit?: number
}

export interface GovernanceHoldsPlaceOptions extends Calling {
  /** only on this session. */
  session?: string | null
  /** only on memories that mention this person, as whole words in any case of letters. */
  person?: string | null
}

export interface GovernanceRetentionFindExpiredOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface GovernanceRetentionListSoftDeletedOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface GovernanceRetentionRunOptions extends Calling {
  /** only count them, as far as they are open to the caller. */
  dryRun?: boolean
}

export interface GovernanceRetentionSetOptions extends Calling {
  /** only these kinds; by default all. */
  kinds?: string[]
  /** only these classifications; by default all. */
  classifications?: string[]
}

export interface GraphChangesOptions extends Calling {
  /** its end, exclusive; by default the current time. */
  until?: Time | null
}

export interface GraphEntitiesOptions extends Calling {
  /** a part of the name; all by default. */
  part?: string
  /** 1 to 1,000. */
  limit?: number
}

export interface GraphEntityOptions extends Calling {
  /** what was known then. */
  asOf?: Time | null
  /** only relations that are valid then; by default also former ones. */
  validAt?: Time | null
}

export interface GraphExportOptions extends Calling {
  /** graphml, json-ld, or mcp-memory for the memory.jsonl of the MCP reference server, which has valid relations only. */
  form?: string
}

export interface GraphMergeOptions extends Calling {
  /** is saved with it. */
  reason?: string
}

export interface GraphNeighboursOptions extends Calling {
  /** the most relations between them, 1 to 5. */
  depth?: number
  /** the maximum of entities, 1 to 1,000. */
  limit?: number
  /** what was known then. */
  asOf?: Time | null
  /** by the relations that are valid then; by default now. */
  validAt?: Time | null
}

export interface GraphRelateOptions extends Calling {
  /** whether the object is a value. */
  isValue?: boolean
  /** whether the relation has ended, at since or now. */
  ended?: boolean
  /** the beginning, or the end; by default the current time. */
  since?: Time | null
  /** the observation; by default the relation in words. */
  text?: string
  /** ids of the memories that support it. */
  evidence?: string[]
}

export interface GraphRelationsOptions extends Calling {
  /** 1 to 10,000. */
  limit?: number
  /** what was known then. */
  asOf?: Time | null
  /** only relations that are valid then; by default also former ones. */
  validAt?: Time | null
}

export interface GraphShortestPathOptions extends Calling {
  /** the most relations of the way, 1 to 5. */
  depth?: number
  /** what was known then. */
  asOf?: Time | null
  /** by the relations that are valid then; by default now. */
  validAt?: Time | null
}

export interface GraphSplitOptions extends Calling {
  /** ids of the memories that mean another entity by the same name; by default none. */
  memories?: string[]
  /** is saved with it. */
  reason?: string
}

export interface MessagesImportFileOptions extends Calling {
  /** the name of the file; the import of a file that has grown continues where the last one ended */
  name?: string
  /** skip messages that cannot be imported, instead of refusing the file */
  skipBad?: boolean
  /** the form of the file, recognised by default: `auto`, `chat`, `mem0-history`, `langgraph`, `opencode-db`, `cursor-db`, `codex`, `claude-memories`, `letta`, `engram`, `account`, `engram-index`, `mem0`, `cogx`, `graphiti`, `claude-projects`, `mcp-memory`, `opencode`, `opencode-storage`, `opencode-part`, `telegram`, `discord`, `discord-package`, `slack-index`, `slack`, `pairs`, `whatsapp`, `mbox`, `csv`, `markdown` */
  form?: string
  /** the zone of times without one, such as `Europe/Berlin` */
  timeZone?: string | null
}

export interface NotesFailedOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface NotesInReviewOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface NotesReflectOptions extends Calling {
  session?: string | null
}

export interface ObservationsDeleteManyOptions extends Calling {
  /** only count and list them. */
  dryRun?: boolean
}

export interface PatternsListOptions extends Calling {
  /** include paused, retired, rejected, dismissed, merged and archived ones. */
  all?: boolean
  /** the patterns in their state at that time. */
  asOf?: Time | null
}

export interface RulesAddOptions extends Calling {
  author?: string
  classification?: string | null
  /** the time of the rule, with a time zone; by default the current time. */
  occurredAt?: Time | null
  metadata?: { [name: string]: JsonValue } | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface RulesEditOptions extends Calling {
  /** the expected revision; by default any. */
  revision?: number | null
}

export interface RulesListOptions extends Calling {
  /** include paused, demoted and retired ones. */
  all?: boolean
  /** the rules in their state at that time. */
  asOf?: Time | null
}

export interface SessionsExecuteOptions extends Calling {
  /** the session; a new one is opened. By default the scope's unnamed active session. */
  session?: string | null
  /** the author of the task. */
  speaker?: string
  /** for the model. */
  instructions?: string
  /** the person concerned; only episodes with this contact are included. */
  contact?: string | null
  /** have the model derive a lesson from the task, and save it as a reflection with its evidence; if it fails, a note has the reason. */
  reflect?: boolean
  /** an idempotency key of the task. */
  key?: string | null
}

export interface SessionsExecuteStreamOptions extends Calling {
  session?: string | null
  speaker?: string
  instructions?: string
  contact?: string | null
  reflect?: boolean
  key?: string | null
}

export interface SessionsInjectionsOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface SessionsListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
  /** only sessions whose last activity is not later; a list continues with that of its last session. */
  until?: Time | null
  /** include the sessions of all scopes under this one. */
  allScopes?: boolean
}

export interface SessionsMessagesOptions extends Calling {
  /** the numbers of the first and the last message, inclusive, at most 1,000; by default 100. */
  first?: number
  /** the numbers of the first and the last message, inclusive, at most 1,000; by default 100. */
  last?: number | null
}

export interface SessionsReplyOptions extends Calling {
  speaker?: string
  /** for the model, the same in each turn. */
  instructions?: string
  /** an idempotency key of the message. */
  key?: string | null
}

export interface SessionsReplyStreamOptions extends Calling {
  speaker?: string
  instructions?: string
  key?: string | null
}

export interface SessionsStartOptions extends Calling {
  /** the name of the session. */
  id?: string | null
  /** false opens a session that stores nothing; recording in it is refused. */
  record?: boolean
  /** the limit of the text about earlier sessions; by default the setting start_tokens. */
  maxTokens?: number | null
  /** false does not record the read. */
  recordAccess?: boolean
}

export interface SessionsSummariseOptions extends Calling {
  title?: string
  /** the time of the summary, with a time zone; by default the current time. */
  occurredAt?: Time | null
  metadata?: { [name: string]: JsonValue } | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface TimelineAroundOptions extends Calling {
  /** the maximum number of records, 0 to 1,000. */
  before?: number
  /** the maximum number of records, 0 to 1,000. */
  after?: number
  asOf?: Time | null
}

export interface TimelineBetweenOptions extends Calling {
  since?: Time | null
  until?: Time | null
  /** 1 to 1,000. */
  limit?: number
  cursor?: string | null
  asOf?: Time | null
  /** with the scopes under this one. */
  allScopes?: boolean
}

export interface TimelineDiffOptions extends Calling {
  /** compare only so many of the latest changes, 1 to 1,000; by default all. */
  limit?: number | null
  /** with the scopes under this one. */
  allScopes?: boolean
}

export interface TimelineHistoryOptions extends Calling {
  topicKey?: string | null
}

export interface Operations {
  admin: AdminOperations
  episodes: EpisodesOperations
  facts: FactsOperations
  governance: GovernanceOperations
  graph: GraphOperations
  messages: MessagesOperations
  notes: NotesOperations
  observations: ObservationsOperations
  patterns: PatternsOperations
  rules: RulesOperations
  scores: ScoresOperations
  sessions: SessionsOperations
  timeline: TimelineOperations
  /**
   * Answer a question from memory, with checked citations.
   *
   * Citations are checked against what the model read.
   *
   * Where recall abstains, or finds nothing, no model is called: the answer is unknown. Without a model the answer
   * is what was recalled. An answer without citations is returned to the model once; then the answer is unknown.
   * The arguments are fields of `RecallRequest`; `max_tokens` bounds the lines that the model reads.
   *
   * Needs the right `read`.
   * @param question the question, in any wording; the search does not rewrite it.
   */
  ask(question: string, options?: AskOptions): Promise<Answer>
  /**
   * Stream an answer in pieces of text as the model writes it.
   *
   * The checked `Answer` comes last.
   *
   * A piece may cite a memory that does not exist: citations are checked at the end, and such an answer is not
   * returned to the model. Errors are raised with the first piece at the latest, and are those of `ask`.
   *
   * Needs the right `read`.
   * @param question the question, in any wording; the search does not rewrite it.
   */
  askStream(question: string, options?: AskStreamOptions): Pieces<Answer>
  /**
   * Return what an agent reads before it answers, within a budget of tokens.
   *
   * The arguments are fields of `ContextRequest`, which describes them and the modes.
   *
   * Needs the right `read`.
   */
  context(options?: ContextOptions): Promise<Context>
  /**
   * Remove a memory from every read at once; `restore` restores it.
   *
   * Needs the right `write`.
   */
  delete(id: string, options?: DeleteOptions): Promise<null>
  delete(named: DeleteOptions & { topicKey: string }): Promise<null>
  /**
   * Return the memories that have a memory as evidence, in any status, by id.
   *
   * Needs the right `read`.
   */
  dependents(id: string, options?: Calling): Promise<Memory[]>
  /**
   * Change an observation of this scope.
   *
   * The earlier wording is kept, with its author and time.
   *
   * Needs the right `write`.
   */
  edit(id: string, options?: EditOptions): Promise<SavedObservation>
  /**
   * Return a memory with the whole chain of its evidence.
   *
   * Needs the right `read`.
   */
  evidence(id: string, options?: Calling): Promise<Evidence>
  /**
   * Explain why a question recalls a memory, or at which stage it is lost.
   *
   * Needs the right `read`.
   * @param question the question, in any wording; the search does not rewrite it.
   */
  explain(question: string, id: string, options?: ExplainOptions): Promise<Explanation>
  /**
   * Record a person's verdict on an observation, and return it.
   *
   * The result is the observation after the verdict; `null` if it was erased since.
   *
   * Needs the right `learn`.
   * @param verdict right raises its confidence by one level, up to high, and may make it a rule. wrong removes it, and what was derived from it, from every recall and context. dismiss is for an observation of the last 48 hours, which then never becomes a rule. undo withdraws wrong or dismiss, with its consequences.
   */
  feedback(id: string, verdict: string, options?: FeedbackOptions): Promise<Observation | Reflection | null>
  /**
   * Return a memory by its id or topic key, in full, or as of a time.
   *
   * Needs the right `read`.
   */
  get(id: string, options?: GetOptions): Promise<Memory>
  get(named: GetOptions & { topicKey: string }): Promise<Memory>
  /**
   * Return a page of memories that match a filter, newest first.
   *
   * They are sorted by the time they occurred.
   *
   * Needs the right `read`. With `all_scopes`, `operate` too.
   */
  list(options?: ListOptions): Promise<Page>
  /**
   * Find the memories that answer a question, best first.
   *
   * If none does, recall abstains, and returns the nearest misses.
   *
   * The arguments are the fields of `RecallRequest`, which describes them.
   *
   * Needs the right `read`.
   * @param question the question, in any wording; the search does not rewrite it.
   */
  recall(question: string, options?: RecallOptions): Promise<RecallResult>
  /**
   * Record a message.
   *
   * When this returns, the message is on disk, and can be found by its words.
   *
   * The arguments are fields of `NewMessage`, which describes them.
   *
   * Needs the right `write`.
   * @param text the text; it may be empty if the message has content or tool calls.
   */
  record(text: string, options?: RecordOptions): Promise<SavedMessage>
  /**
   * Restore a deleted memory as it was, or an archived one.
   *
   * Needs the right `write`.
   */
  restore(id: string, options?: Calling): Promise<Memory>
  /**
   * Save an observation: a claim.
   *
   * The result is `created`, `updated` or `deduped`.
   *
   * The arguments are fields of `NewObservation`, which describes them.
   *
   * Needs the right `write`.
   */
  save(text: string, options?: SaveOptions): Promise<SavedObservation>
  /**
   * Search as `recall` does, and return all candidates with the stage that each reached.
   *
   * The search does not count as a recall. The arguments are fields of `RecallRequest`, which describes them.
   *
   * Needs the right `read`.
   * @param question the question, in any wording; the search does not rewrite it.
   */
  trace(question: string, options?: TraceOptions): Promise<SearchTrace>
}

export interface AdminOperations {
  index: AdminIndexOperations
  jobs: AdminJobsOperations
  keys: AdminKeysOperations
  maintenance: AdminMaintenanceOperations
  /**
   * Return the state of background work: due work, work in progress, failing models and failing maintenance.
   *
   * For a caller who may not operate the store, only what concerns its tenant.
   *
   * Needs the right `operate`.
   */
  background(options?: Calling): Promise<BackgroundState>
  /**
   * Return the daily costs of language models, latest first, with budgets and savings.
   *
   * Savings are the tokens that contexts saved compared with whole histories, by agent and session. Without a
   * project or an agent in the scope, the costs of all of them are included. An access key of a project shows only
   * the budgets of that project.
   *
   * Needs the right `govern`.
   */
  costs(options?: AdminCostsOptions): Promise<Costs>
  /**
   * Check the whole store, and return its faults.
   *
   * Needs the right `operate`.
   */
  doctor(options?: AdminDoctorOptions): Promise<Diagnosis[]>
  /**
   * Write buffered entries of recent reads now, instead of in the background.
   *
   * Needs the right `write`.
   */
  flush(options?: Calling): Promise<null>
  /**
   * Return this scope and the scopes under it that have memories, oldest first.
   *
   * Needs the right `operate`.
   */
  scopes(options?: AdminScopesOptions): Promise<Scope[]>
  /**
   * Return statistics of the scope.
   *
   * Needs the right `read`.
   */
  stats(options?: Calling): Promise<Stats>
  /**
   * Return the tenants of the store that have memories, by name.
   *
   * Of several databases, those of one that does not answer are included if they were placed or moved there.
   *
   * Needs the right `operate`.
   */
  tenants(options?: Calling): Promise<string[]>
}

export interface AdminIndexOperations {
  /**
   * Make all missing vectors, and return their number.
   *
   * Needs the right `operate`.
   */
  embed(options?: Calling): Promise<number>
  /**
   * Make some missing vectors of this scope, for callers that close the memory soon. Errors are ignored.
   *
   * Needs the right `write`.
   */
  embedSoon(options?: Calling): Promise<number>
  /**
   * Return the number of texts in the store without a vector of the embedder.
   *
   * Needs the right `operate`.
   */
  missing(options?: Calling): Promise<number>
  /**
   * Rebuild the text index of the whole store, and return the number of its texts.
   *
   * Needs the right `operate`.
   */
  rebuild(options?: AdminIndexRebuildOptions): Promise<number>
  /**
   * Make new vectors next to the old ones, switch to them, and return their number.
   *
   * Needs the right `operate`.
   */
  reembed(options?: Calling): Promise<number>
}

export interface AdminJobsOperations {
  /**
   * Cancel a job. Its results so far are kept. A finished job is not changed.
   *
   * Needs the right `read`.
   */
  cancel(id: string, options?: Calling): Promise<Job>
  /**
   * Return the state of a job.
   *
   * Needs the right `read`.
   */
  get(id: string, options?: Calling): Promise<Job>
  /**
   * Start a job that imports a file of chats.
   *
   * As `messages.import_file`, without waiting for the end.
   *
   * Needs the right `write`.
   * @param file One message a line: `role`, `content`, and further fields.
   */
  import(file: string | Uint8Array | Blob, options?: AdminJobsImportOptions): Promise<Job>
  /**
   * Return the jobs of this scope, latest first. They are deleted after 30 days.
   *
   * Needs the right `read`.
   */
  list(options?: AdminJobsListOptions): Promise<Job[]>
  /**
   * Start a job without waiting for its end. It ends with the process that opened this memory.
   *
   * Needs the right `read`.
   * @param work import (a file of chats), nightly (the maintenance of this scope) or, for the whole store, embed (make missing vectors), reembed (make all vectors again) or reindex (rebuild the text index).
   */
  start(work: string, options?: Calling): Promise<Job>
}

export interface AdminKeysOperations {
  /**
   * Create an access key for this scope or one within it. Only this result contains its token.
   *
   * Needs the right `operate`.
   * @param name its name, which identifies the holder in the audit log.
   */
  create(name: string, options?: AdminKeysCreateOptions): Promise<CreatedKey>
  /**
   * Return the access keys of this scope and of scopes within it, oldest first, with revoked and expired ones.
   *
   * Needs the right `operate`.
   */
  list(options?: AdminKeysListOptions): Promise<AccessKey[]>
  /**
   * Revoke an access key. It expires within a second.
   *
   * Needs the right `operate`.
   */
  revoke(id: string, options?: AdminKeysRevokeOptions): Promise<AccessKey>
  /**
   * Replace the token of an access key. Only this result contains the new token; the old one expires in a second.
   *
   * Needs the right `operate`.
   */
  rotate(id: string, options?: AdminKeysRotateOptions): Promise<CreatedKey>
}

export interface AdminMaintenanceOperations {
  /**
   * Return the expected result of the maintenance of this scope. Nothing is changed, and no model is called.
   *
   * Needs the right `read`.
   */
  dryRun(options?: Calling): Promise<MaintenancePreview>
  /**
   * Return the latest maintenance run of this scope, or `null`.
   *
   * Needs the right `read`.
   */
  latest(options?: Calling): Promise<MaintenanceRun | null>
  /**
   * Return the maintenance runs of this scope, latest first.
   *
   * Needs the right `read`.
   */
  list(options?: AdminMaintenanceListOptions): Promise<MaintenanceRun[]>
  /**
   * Run the remaining steps of the maintenance of this scope for the latest due day.
   *
   * Needs the right `learn`.
   */
  run(options?: Calling): Promise<MaintenanceRun>
}

export interface EpisodesOperations {
  /**
   * Record the steps, approvals and end of a finished run as episodes.
   *
   * Its task and its results are content, such as a mail, and are not recorded.
   *
   * Needs the right `write`.
   * @param run The state of one run.
   */
  endRun(run: WorkingMemory, options?: EpisodesEndRunOptions): Promise<SavedEpisode[]>
  /**
   * Return the episodes that the scope sees, latest first.
   *
   * Needs the right `read`.
   */
  list(options?: EpisodesListOptions): Promise<Episode[]>
  /**
   * Record an episode. The detector counts it at night; after 30 days it is summarised with its week.
   *
   * Needs the right `write`.
   * @param summary a summary of the action without content, such as removed semicolon from third paragraph, in 1 to 100 characters.
   */
  record(summary: string, options?: EpisodesRecordOptions): Promise<SavedEpisode>
  /**
   * Record several episodes in one transaction.
   *
   * Needs the right `write`.
   */
  recordMany(episodes: NewEpisode[], options?: Calling): Promise<SavedEpisode[]>
  /**
   * Replace a compact record by the episodes that it summarises, and return them.
   *
   * Needs the right `write`.
   */
  restore(id: string, options?: Calling): Promise<Episode[]>
  /**
   * Record feedback or behaviour without an episode. The detector counts it.
   *
   * Needs the right `write`.
   * @param type the type: draft_modified (attribute part), approval_rejected (reason), routed_differently (from, to), exception_surfaced or correction (did, changed_to).
   */
  signal(type: string, options?: EpisodesSignalOptions): Promise<SavedSignal>
}

export interface FactsOperations {
  /**
   * End the valid fact of a key; it stays in the history.
   *
   * Needs the right `write`.
   */
  end(key: string, options?: FactsEndOptions): Promise<Fact>
  /**
   * Return the fact of a key that is valid now or at a time, from the nearest scope.
   *
   * Needs the right `read`.
   */
  get(key: string, options?: FactsGetOptions): Promise<Fact>
  /**
   * Return all facts of a key in this exact scope, latest first.
   *
   * Needs the right `read`.
   */
  history(key: string, options?: Calling): Promise<Fact[]>
  /**
   * Return the facts that are valid now or at a time, sorted by category and key, one per key.
   *
   * Needs the right `read`.
   */
  list(options?: FactsListOptions): Promise<Fact[]>
  /**
   * Set the fact of a key from a time on. The earlier fact ends at that time, and stays in the history.
   *
   * Needs the right `write`.
   * @param key a stable name, such as contact/bertelli/tone.
   * @param value a string, a number, a boolean, or lists and mappings of these.
   */
  set(key: string, value: JsonValue, options?: FactsSetOptions): Promise<SavedFact>
}

export interface GovernanceOperations {
  archives: GovernanceArchivesOperations
  audit: GovernanceAuditOperations
  erasure: GovernanceErasureOperations
  holds: GovernanceHoldsOperations
  redactions: GovernanceRedactionsOperations
  retention: GovernanceRetentionOperations
  transfers: GovernanceTransfersOperations
  /**
   * Change the classification of a memory, also to a lower one, and that of memories derived from it.
   *
   * Needs the right `operate`.
   * @param classification public, internal, confidential or restricted.
   * @param reason for the audit log, in 1 to 200 characters.
   */
  classify(id: string, classification: string, reason: string, options?: Calling): Promise<Memory>
  /**
   * Return an overview of this scope and of scopes under it: memories, due deletions, legal holds and audit.
   *
   * For callers with the right `govern` it contains the budgets with projections.
   *
   * Needs the right `operate`.
   */
  overview(options?: Calling): Promise<Overview>
}

export interface GovernanceArchivesOperations {
  /**
   * Read an archive to its end and describe its content.
   *
   * The body is the file, the header `X-Passphrase` its passphrase in UTF-8; nothing is imported.
   *
   * Needs the right `operate`.
   */
  check(options?: Calling): Promise<ArchiveSummary>
  /**
   * Create an archive of the scope and of the scopes under it, encrypted with a passphrase.
   *
   * The body of the answer is the file. 501 if the service stores memories only in its process.
   *
   * Needs the right `operate`.
   * @param passphrase at least 8 characters; it is not stored
   */
  create(passphrase: string, options?: Calling): Promise<null>
  /**
   * Import an archive, all or nothing.
   *
   * The body is the file, the header `X-Passphrase` its passphrase in UTF-8.
   *
   * Needs the right `operate`.
   * @param reason the reason, for the audit log
   */
  importArchive(reason: string, options?: Calling): Promise<ImportResult>
  /**
   * Report everything that is stored about one user, for that user to read.
   *
   * Every memory with its evidence, its earlier versions and its disclosures; in Markdown, or as JSON lines. 501 if the service stores memories only in its process.
   *
   * Needs the right `govern`.
   */
  report(name: string, options?: GovernanceArchivesReportOptions): Promise<null>
}

export interface GovernanceAuditOperations {
  /**
   * Return a signed checkpoint of the audit log of this tenant, to store in another place.
   *
   * Needs the right `operate`.
   */
  checkpoint(options?: Calling): Promise<Checkpoint>
  /**
   * Return the entries of this scope and of scopes under it, latest first.
   *
   * Needs the right `operate`.
   */
  list(options?: GovernanceAuditListOptions): Promise<AuditRow[]>
  /**
   * Verify that no entry of the audit log of this tenant was changed, moved or removed.
   *
   * Entries removed from the end are detected only with an earlier checkpoint.
   *
   * Needs the right `operate`.
   */
  verify(options?: GovernanceAuditVerifyOptions): Promise<Verified>
}

export interface GovernanceErasureOperations {
  /**
   * Permanently erase a user, agent, project, tenant, session or memories, and return a signed receipt.
   *
   * Other callers can work during it. The same call continues an interrupted erasure.
   *
   * Needs the right `govern`.
   * @param reason for the audit log, in 1 to 200 characters.
   */
  erase(reason: string, options?: GovernanceErasureEraseOptions): Promise<Receipt>
  /**
   * Return memories of this scope and of scopes under it that mention a person, for review before an erasure.
   *
   * Needs the right `govern`.
   * @param person the name; it matches whole words in any case of letters.
   */
  findMentions(person: string, options?: GovernanceErasureFindMentionsOptions): Promise<Mention[]>
  /**
   * Return the plan of an erasure: its rows, and legal holds that forbid it. Nothing is changed.
   *
   * Needs the right `govern`.
   */
  plan(options?: GovernanceErasurePlanOptions): Promise<ErasurePlan>
  /**
   * Return the receipts of erasures in this scope and in scopes under it, latest first.
   *
   * Needs the right `govern`.
   */
  receipts(options?: GovernanceErasureReceiptsOptions): Promise<Receipt[]>
}

export interface GovernanceHoldsOperations {
  /**
   * Return the legal holds on this scope, on wider ones, and on scopes under it.
   *
   * Needs the right `operate`.
   */
  list(options?: Calling): Promise<LegalHold[]>
  /**
   * Place a legal hold, which forbids all deletion in this scope and in scopes under it.
   *
   * Needs the right `operate`.
   * @param name such as the number of a case, in 1 to 100 characters; an existing one is not replaced.
   * @param reason in 1 to 200 characters; refused callers read it.
   */
  place(name: string, reason: string, options?: GovernanceHoldsPlaceOptions): Promise<LegalHold[]>
  /**
   * Release a legal hold of this exact scope.
   *
   * Needs the right `operate`.
   */
  release(name: string, reason: string, options?: Calling): Promise<LegalHold[]>
}

export interface GovernanceRedactionsOperations {
  /**
   * Return the effective redaction of each type of personal data in this scope.
   *
   * Needs the right `read`.
   */
  list(options?: Calling): Promise<EffectiveRedaction[]>
  /**
   * Set the redaction of a type of personal data in new texts of this scope and of scopes under it.
   *
   * The strictest redaction of this scope and of wider ones applies. Stored memories are not changed.
   *
   * Needs the right `operate`.
   * @param dataType card, iban, identity, email, phone, ip, person or place. Persons and places are detected by an English model, which the extra names installs.
   * @param redaction off, tag, mask or refuse.
   */
  set(dataType: string, redaction: string, options?: Calling): Promise<EffectiveRedaction[]>
  /**
   * Remove the redaction of a type of personal data from this exact scope.
   *
   * Needs the right `operate`.
   */
  unset(dataType: string, options?: Calling): Promise<EffectiveRedaction[]>
}

export interface GovernanceRetentionOperations {
  /**
   * Return the memories of this scope and of scopes under it that the next nightly run deletes.
   *
   * Needs the right `operate`.
   */
  findExpired(options?: GovernanceRetentionFindExpiredOptions): Promise<ExpiredRecord[]>
  /**
   * Permanently remove deleted memories of this exact scope now, and return their number.
   *
   * Needs the right `operate`.
   */
  hardDelete(ids: string[], reason: string, options?: Calling): Promise<number>
  /**
   * Return true if the caller can read a memory: it exists, is not deleted, and is open to the caller.
   *
   * Needs the right `read`.
   */
  isAccessible(id: string, options?: Calling): Promise<boolean>
  /**
   * Return the policies of this scope and of wider ones; for operators also those of scopes under it.
   *
   * Needs the right `read`.
   */
  list(options?: Calling): Promise<RetentionPolicy[]>
  /**
   * Return the deleted memories of this scope and of scopes under it that can be restored.
   *
   * Needs the right `operate`.
   */
  listSoftDeleted(options?: GovernanceRetentionListSoftDeletedOptions): Promise<DeletedRecord[]>
  /**
   * Delete due memories of this scope and of scopes under it, and remove old deleted ones, as each night.
   *
   * Needs the right `operate`.
   */
  run(options?: GovernanceRetentionRunOptions): Promise<Retained>
  /**
   * Set a policy that deletes memories a number of days after their recording.
   *
   * Of several policies, the one with the shortest time applies.
   *
   * Needs the right `operate`.
   * @param name the name, in 1 to 100 characters; an existing policy with it is replaced.
   * @param keepDays 1 to 36,500.
   */
  set(name: string, keepDays: number, options?: GovernanceRetentionSetOptions): Promise<RetentionPolicy[]>
  /**
   * Delete memories of this exact scope, and return their number. They can be restored for 30 days.
   *
   * Memories derived from them are not deleted, unlike with `Memory.delete`.
   *
   * Needs the right `operate`.
   */
  softDelete(ids: string[], reason: string, options?: Calling): Promise<number>
  /**
   * Remove a policy of this exact scope.
   *
   * Needs the right `operate`.
   */
  unset(name: string, options?: Calling): Promise<RetentionPolicy[]>
}

export interface GovernanceTransfersOperations {
  /**
   * Grant a transfer of a project's observations to another project, and copy the existing ones.
   *
   * Needs the right `operate`.
   * @param lender the project to copy from.
   * @param reader the project to copy to.
   * @param reason for the audit logs of both projects, in 1 to 200 characters.
   */
  grant(lender: string, reader: string, reason: string, options?: Calling): Promise<GrantedTransfer[]>
  /**
   * Return the transfers of this tenant, sorted by project.
   *
   * Needs the right `operate`.
   */
  list(options?: Calling): Promise<GrantedTransfer[]>
  /**
   * Revoke a transfer, and erase its copies.
   *
   * Needs the right `operate`.
   * @param lender the projects of the grant.
   * @param reader the projects of the grant.
   * @param reason for the audit logs of both projects, in 1 to 200 characters.
   */
  revoke(lender: string, reader: string, reason: string, options?: Calling): Promise<GrantedTransfer[]>
}

export interface GraphOperations {
  /**
   * Return the relations of an entity that began, ended or became known in a period, the latest change first.
   *
   * Needs the right `read`.
   * @param since the beginning of the period, inclusive.
   */
  changes(since: Time, name: string, options?: GraphChangesOptions): Promise<EntityRelation[]>
  /**
   * Return the entities whose name contains a text, those of the most memories first.
   *
   * Needs the right `read`.
   */
  entities(options?: GraphEntitiesOptions): Promise<NamedEntity[]>
  /**
   * Return the relations of an entity, its other names, and the newest memories that name it.
   *
   * Needs the right `read`.
   * @param name its name, another name, a part of it that no other has, or an e-mail address.
   */
  entity(name: string, options?: GraphEntityOptions): Promise<EntityPage>
  /**
   * Return the newest 10,000 relations and their entities as a text for other programs.
   *
   * Needs the right `read`.
   */
  export(options?: GraphExportOptions): Promise<string>
  /**
   * Declare that two names are of one entity. `split` of the same names undoes it.
   *
   * Needs the right `write`.
   * @param name the names.
   * @param other the names.
   */
  merge(name: string, other: string, options?: GraphMergeOptions): Promise<SavedObservation>
  /**
   * Return the entities around one, by valid relations.
   *
   * Needs the right `read`.
   */
  neighbours(name: string, options?: GraphNeighboursOptions): Promise<Neighbourhood>
  /**
   * Save an observation that declares a relation.
   *
   * Deleting or rejecting the observation removes the relation, unless another memory states it.
   *
   * Needs the right `write`.
   * @param subject the name of an entity.
   * @param predicate such as works_at, lives_in, depends_on or one of your own, in small letters.
   * @param object the name of an entity, or a value.
   */
  relate(subject: string, predicate: string, object: string, options?: GraphRelateOptions): Promise<SavedObservation>
  /**
   * Return the relations that memories state, the latest first. Of many memories the newest 20,000 are read.
   *
   * Needs the right `read`.
   */
  relations(options?: GraphRelationsOptions): Promise<EntityRelation[]>
  /**
   * Return the valid relations of a shortest way between two entities; empty if there is none.
   *
   * Needs the right `read`.
   * @param start names of the entities.
   * @param end names of the entities.
   */
  shortestPath(start: string, end: string, options?: GraphShortestPathOptions): Promise<EntityRelation[]>
  /**
   * Declare that two names are of different entities. `merge` of the same names undoes it.
   *
   * Needs the right `write`.
   * @param name a name.
   * @param other another name; with memories, the new name of what they mean by the first.
   */
  split(name: string, other: string, options?: GraphSplitOptions): Promise<SavedObservation>
}

export interface MessagesOperations {
  /**
   * Import the new messages of a file of chats.
   *
   * The body is the file: JSON lines or JSON, in any of the formats of the command `import`. The whole file is read and checked before a message is recorded.
   *
   * Needs the right `write`.
   * @param file One message a line: `role`, `content`, and further fields.
   */
  importFile(file: string | Uint8Array | Blob, options?: MessagesImportFileOptions): Promise<ImportedFile>
  /**
   * Record turns of imported chats in one transaction; existing ones are not changed.
   *
   * A conversation is identified by its name, and a turn by its position. Import long chats in the batches of
   * `importers.batches`, so that a repeated import writes the same batches.
   *
   * Needs the right `write`.
   */
  importTurns(turns: Turn[], options?: Calling): Promise<Imported>
  /**
   * Record several messages in one transaction.
   *
   * Needs the right `write`.
   */
  recordMany(messages: NewMessage[], options?: Calling): Promise<SavedMessage[]>
}

export interface NotesOperations {
  /**
   * Approve the notes on a chunk of messages in review; see the setting `observe_review`.
   *
   * Needs the right `learn`.
   */
  approve(session: string, first: number, options?: Calling): Promise<Chunk>
  /**
   * Return the chunks of messages of a session that an observer has processed, in order.
   *
   * Needs the right `read`.
   */
  chunks(session: string, options?: Calling): Promise<Chunk[]>
  /**
   * Remove a chunk from the failed ones without another attempt, and return it.
   *
   * Its notes by rules stay; without notes, contexts continue to show its messages verbatim.
   *
   * Needs the right `learn`.
   * @param first the number of the first message of the chunk.
   */
  drop(session: string, first: number, options?: Calling): Promise<Chunk>
  /**
   * Return the chunks that no model could observe, latest first. Contexts show their messages verbatim.
   *
   * Needs the right `read`.
   */
  failed(options?: NotesFailedOptions): Promise<Chunk[]>
  /**
   * Return the chunks whose notes wait for the approval of a person, latest first.
   *
   * Needs the right `read`.
   */
  inReview(options?: NotesInReviewOptions): Promise<Chunk[]>
  /**
   * Return the active notes on a conversation, observations and reflections, in the order of the log.
   *
   * Needs the right `read`.
   */
  log(session: string, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * Observe all unobserved messages of a session, activate the notes, and return the number of chunks.
   *
   * Needs the right `learn`.
   */
  observe(session: string, options?: Calling): Promise<number>
  /**
   * Return the notes on a chunk of messages, active or not, without those that a reflection replaced.
   *
   * Needs the right `read`.
   * @param first the number of the first message of the chunk.
   */
  ofChunk(session: string, first: number, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * Consolidate the log of a session, or every log of the scope, and return the number of tokens saved.
   *
   * Needs the right `learn`.
   */
  reflect(options?: NotesReflectOptions): Promise<number>
  /**
   * Observe a chunk of messages again, replace its notes, and return it with its new state.
   *
   * Needs the right `learn`.
   * @param first the number of the first message of the chunk.
   */
  retry(session: string, first: number, options?: Calling): Promise<Chunk>
}

export interface ObservationsOperations {
  /**
   * Delete the memories of this exact scope that match a filter, at most 10,000, in one transaction.
   *
   * `restore_many` restores them. Memories derived from them alone are deleted too. Memories under a legal hold are
   * not deleted.
   *
   * Needs the right `write`.
   * @param filter Conditions on memories; all that are set must match. Dates are inclusive.
   *
   * The constructor converts names to enum members, sequences to tuples, and times to UTC.
   */
  deleteMany(filter: Filter, options?: ObservationsDeleteManyOptions): Promise<Deletion>
  /**
   * Restore the memories of this exact scope that one call of `delete_many` deleted, within 30 days.
   *
   * Needs the right `write`.
   * @param deletedAt from the result of delete_many.
   */
  restoreMany(deletedAt: Time, options?: Calling): Promise<Restoration>
  /**
   * Save several observations in one transaction; see `Memory.save`.
   *
   * Needs the right `write`.
   */
  saveMany(observations: NewObservation[], options?: Calling): Promise<SavedObservation[]>
}

export interface PatternsOperations {
  /**
   * Return the active patterns in the order of their detection.
   *
   * Needs the right `read`.
   */
  list(options?: PatternsListOptions): Promise<(Observation | Reflection)[]>
  /**
   * Merge the observation `other` into `into`; `other` is no longer recalled.
   *
   * Needs the right `learn`.
   */
  merge(into: string, other: string, options?: Calling): Promise<Observation | Reflection>
  /**
   * Exclude an observation or a fact from recall and contexts until it is resumed.
   *
   * Needs the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Make a paused or retired observation or fact active again.
   *
   * Needs the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Retire an observation or a fact. It is kept, and not detected again.
   *
   * Needs the right `learn`.
   */
  retire(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
}

export interface RulesOperations {
  /**
   * Add a rule for the agents of a scope.
   *
   * Needs the right `learn`.
   */
  add(rule: string, options?: RulesAddOptions): Promise<Rule>
  /**
   * Change the text of a rule; the earlier version is kept.
   *
   * Needs the right `learn`.
   */
  edit(id: string, rule: string, options?: RulesEditOptions): Promise<Rule>
  /**
   * Return the active rules that the scope sees, oldest first.
   *
   * Needs the right `read`.
   */
  list(options?: RulesListOptions): Promise<Rule[]>
  /**
   * Exclude a rule until it is resumed.
   *
   * Needs the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Rule>
  /**
   * Return the candidates for rules that were refused, each with the reason.
   *
   * Needs the right `read`.
   */
  refused(options?: Calling): Promise<Refused[]>
  /**
   * Make a paused rule active again.
   *
   * Needs the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Rule>
  /**
   * Retire a rule; it is kept.
   *
   * Needs the right `learn`.
   */
  retire(id: string, options?: Calling): Promise<Rule>
}

export interface ScoresOperations {
  /**
   * Set the boost of a memory's score, from 0 to 1.
   *
   * Needs the right `learn`.
   */
  boost(id: string, boost: number, options?: Calling): Promise<ScoreParts>
  /**
   * Return the score of a memory and its parts.
   *
   * Needs the right `read`.
   */
  get(id: string, options?: Calling): Promise<ScoreParts>
  /**
   * Return the changes of a memory's feedback weight by outcomes of sessions, earliest first.
   *
   * Needs the right `read`.
   */
  history(id: string, options?: Calling): Promise<WeightChange[]>
  /**
   * Pin a memory, so that its importance does not decay and it is not archived.
   *
   * Needs the right `learn`.
   */
  pin(id: string, options?: Calling): Promise<ScoreParts>
  /**
   * Set the rating of a memory, from 0 to 1.
   *
   * Needs the right `learn`.
   */
  rate(id: string, rating: number, options?: Calling): Promise<ScoreParts>
  /**
   * Unpin a memory, so that its importance decays again.
   *
   * Needs the right `learn`.
   */
  unpin(id: string, options?: Calling): Promise<ScoreParts>
}

export interface SessionsOperations {
  /**
   * Close a session, and observe its last messages. A closed session is not changed.
   *
   * Needs the right `write`.
   */
  end(session: string, options?: Calling): Promise<Session>
  /**
   * Execute a task with the configured model and memory, and record task and answer.
   *
   * It is `reply` with the used memories and the costs. If the model fails, the task stays recorded; with the same
   * key it is not recorded again.
   *
   * Needs the right `write`.
   */
  execute(task: string, options?: SessionsExecuteOptions): Promise<TaskResult>
  /**
   * Stream the answer to a task in pieces of text; the result of `execute` is the last item.
   *
   * An interrupted answer is not recorded. Errors are those of `execute`, and are raised before the first piece.
   *
   * Needs the right `write`.
   */
  executeStream(task: string, options?: SessionsExecuteStreamOptions): Pieces<TaskResult>
  /**
   * Return the injections of memories into the prompts of a session, latest first.
   *
   * Needs the right `read`.
   */
  injections(session: string, options?: SessionsInjectionsOptions): Promise<Injection[]>
  /**
   * Return the sessions of the scope, by their last activity, latest first.
   *
   * Needs the right `read`. With `all_scopes`, `operate` too.
   */
  list(options?: SessionsListOptions): Promise<Session[]>
  /**
   * Return messages of a session by number, oldest first. Deleted messages are left out.
   *
   * Needs the right `read`.
   */
  messages(session: string, options?: SessionsMessagesOptions): Promise<Message[]>
  /**
   * Record a message, and return and record the answer of the configured model.
   *
   * If the model fails, the message stays recorded; with the same key it is not recorded again.
   *
   * Needs the right `write`.
   * @param session the session; a new one is opened.
   */
  reply(session: string, text: string, options?: SessionsReplyOptions): Promise<Reply>
  /**
   * Stream a reply in pieces of text; the recorded `Reply` is the last item.
   *
   * An interrupted answer is not recorded. Errors are those of `reply`, and are raised before the first piece.
   *
   * Needs the right `write`.
   */
  replyStream(session: string, text: string, options?: SessionsReplyStreamOptions): Pieces<Reply>
  /**
   * Set the outcome of a session, which changes the feedback weights of the memories that the agent read in it.
   *
   * The same outcome again changes nothing.
   *
   * Needs the right `learn`.
   * @param outcome accepted, rejected or rework.
   */
  setOutcome(session: string, outcome: string, options?: Calling): Promise<WeightChange[]>
  /**
   * Open a session, or resume an existing one.
   *
   * Without an id, it is the scope's unnamed active session.
   *
   * Needs the right `write`.
   */
  start(options?: SessionsStartOptions): Promise<Started>
  /**
   * Return statistics of a conversation: verbatim messages, notes, and unobserved messages.
   *
   * Needs the right `read`.
   */
  stats(session: string, options?: Calling): Promise<ConversationStats>
  /**
   * Store a summary of a session.
   *
   * Needs the right `write`.
   */
  summarise(session: string, text: string, options?: SessionsSummariseOptions): Promise<Observation | Reflection>
}

export interface TimelineOperations {
  /**
   * Return the records before and after a memory in its session.
   *
   * Needs the right `read`.
   */
  around(id: string, options?: TimelineAroundOptions): Promise<TimelineWindow>
  /**
   * Return the memories between two times, newest first.
   *
   * Needs the right `read`. With `all_scopes`, `operate` too.
   */
  between(options?: TimelineBetweenOptions): Promise<Page>
  /**
   * Return the memories that were added, changed and retired between two times.
   *
   * Needs the right `read`. With `all_scopes`, `operate` too.
   */
  diff(earlier: Time, later: Time, options?: TimelineDiffOptions): Promise<TimelineDiff>
  /**
   * Return all versions of a memory, oldest first.
   *
   * Needs the right `read`.
   */
  history(id: string, options?: TimelineHistoryOptions): Promise<Version[]>
  history(named: TimelineHistoryOptions & { topicKey: string }): Promise<Version[]>
}

/** The codes of the problems of the service. */
export type ProblemCode =
  | 'bad-model-output'
  | 'body-too-slow'
  | 'budget-exceeded'
  | 'conflict'
  | 'error'
  | 'invalid-input'
  | 'malformed'
  | 'no-such-method'
  | 'no-such-route'
  | 'not-allowed'
  | 'not-found'
  | 'not-kept'
  | 'outdated'
  | 'provider-error'
  | 'provider-unavailable'
  | 'schema-mismatch'
  | 'stopping'
  | 'store-error'
  | 'store-unavailable'
  | 'too-large'
  | 'too-many-requests'
  | 'too-slow'
  | 'unauthenticated'
  | 'unexpected'
  | 'wrong-host'
  | 'wrong-origin'
