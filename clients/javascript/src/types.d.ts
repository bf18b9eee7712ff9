// Made by generate.py from the document of the service; do not edit.

import type { Calling, Context, Pieces } from './index.js'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
/** A time: a `Date`, or ISO 8601 with its zone. */
export type Time = Date | string
/** A memory of any kind, told apart by `kind`. */
export type Memory = Message | Observation | Reflection | Episode | Signal | Fact | Procedure

/** An access key, as a store keeps it: without its secret. */
export interface AccessKey {
  /** how it is named; the first part of what its holder shows. */
  id: string
  /** what people call it. */
  name: string
  /** the wall; a blank dimension may be narrowed by who holds it. */
  scope: Scope
  clearance: Classification
  /** in the order in which Right has them. */
  rights: Right[]
  /** a fingerprint of the secret; "" where the key is handed to anybody. */
  digest: string
  made_at: string
  /** null where it never does, was not, was not yet. */
  expires_at: string | null
  /** null where it never does, was not, was not yet. */
  revoked_at: string | null
  /** null where it never does, was not, was not yet. */
  last_seen_at: string | null
  /** further tenants that it opens, each with the project, agent and user of its scope. */
  tenants: string[]
}

/** What memory answers to a question. */
export interface Answer {
  /** with the labels of what it cites in brackets; I don't know. where memory does not say it; without a model the lines that were recalled. */
  text: string
  /** whether it answers the question, by a model and with citations that hold. */
  known: boolean
  /** what it rests on, in the order of the text. */
  citations: Citation[]
  /** what was recalled, best first. */
  hits: Hit[]
  /** whether nothing was recalled that is likely to answer it; then no model was asked. */
  abstained: boolean
  /** the nearest misses, when it abstained. */
  nearest: Hit[]
  /** how likely it is, in [0, 1], that the hits hold an answer. */
  confidence: number
  /** which one answered, as provider:name; "" where none did. */
  model: string
  /** of all calls of models that it took, prompts and answers. */
  tokens: number
  /** of the same, in millionths of a US dollar; null where it is not known. */
  cost: number | null
  /** what was not as usual. */
  notes: string[]
}

/** An archive: what is in it. */
export interface Archived {
  /** when what it holds was read, all of it as of that moment. */
  made_at: string
  scopes: Scope[]
  /** how many, by kind. */
  memories: { [name: string]: number }
  sessions: number
  /** of the file. */
  bytes: number
}

/** A record with what came before and after it in its session, oldest first. */
export interface Around {
  before: Memory[]
  record: Memory
  after: Memory[]
}

/** What stands in the audit log, as it is read: names stand there as long as the key of their scope does. */
export interface AuditRow {
  /** the entry's number, ascending in the order of what was done. */
  sequence: number
  at: string
  door: string
  action: string
  kind: string
  count: number
  /** whose memory it was, as a pseudonym that tells nothing without the scope's key. */
  subject: string
  /** whose memory it was; null where the key is gone, as it is after an erasure. */
  scope: Scope | null
  /** who did it; "" where nobody said, or the key is gone. */
  actor: string
  /** ids of what it concerned, where they are kept. */
  record: string | null
  /** ids of what it concerned, where they are kept. */
  records: string[]
  reason: string
}

/** What is told, in order, and what had to be left out. */
export interface Block {
  items: Item[]
  /** ids of what did not fit, by slot; of what has none, its name. */
  dropped: { [name: string]: string[] }
}

/** What is known of a model that has failed since it last answered well, for one purpose. */
export interface Breaker {
  /** as provider:name. */
  model: string
  purpose: CallPurpose
  /** questions in a row that came to nothing. */
  failures: number
  /** how often the breaker opened since the model last answered well. */
  opened: number
  /** how the model failed the last time. */
  failing: Failing
  /** when it first failed. */
  since: string
  /** the model is left alone until then; null while the breaker has not opened. */
  until: string | null
  /** how often the breaker was written. */
  change: number
}

/** Limits in tokens of a context; what is not set is the deployment's. */
export interface Budget {
  /** the most that the rendered text may have, in the modes brief, prompt and search. */
  tokens?: number | null
  /** of the model, in the mode turn: 1,000 or more, and 3,000 for a conversation; the setting context_window by default. */
  window?: number | null
  /** caps by the names of the setting slots, before those that it sets; all are in the report. */
  slots?: { [name: string]: number } | null
}

export type CallPurpose = 'observe' | 'reflect' | 'detect' | 'summarise' | 'answer' | 'ask' | 'embed' | 'rerank'

export type Category = 'writing-style' | 'rhythm' | 'people' | 'tools' | 'decisions'

/** A record as it read at the earlier and at the later time. */
export interface Changed {
  before: Memory
  after: Memory
}

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

/** How far the audit log of a tenant had come at some time: what is missing from its end later is told by it. */
export interface Checkpoint {
  tenant: string
  /** the number of its last entry; 0 for none. */
  sequence: number
  /** of that entry, on which all before it bear. */
  hash: string
  /** how many entries it had. */
  count: number
  at: string
  /** the public key that signs, hex. */
  key: string
  /** Ed25519 over the rest, hex. */
  signature: string
}

/** Consecutive messages of one session, which an observer came by. Those of a session follow without gaps. */
export interface Chunk {
  session: string
  /** numbers of its messages, both inclusive. */
  first: number
  /** numbers of its messages, both inclusive. */
  last: number
  state: ChunkState
  /** how many its messages had. */
  tokens: number
  /** how many the observations of it have together. */
  noted: number
  /** its place in the order of activation in its scope, from 1; null while it is served raw. */
  place: number | null
  /** the highest of its messages when they were observed. */
  classification: Classification
  /** what was being worked on at its end, or "". */
  task: string
  /** what the agent should keep in mind, or "". */
  suggestion: string
  /** which observer took it, with its version. */
  engine: string
  /** the language model that was asked, or "". */
  model: string
  /** why a model could not observe it, or ""; it stays when the deterministic observer takes it. */
  failure: string
  /** how often it was observed. */
  tries: number
  /** when its notes were written. */
  observed_at: string
  /** when it was activated; null while it is served raw. */
  activated_at: string | null
}

export type ChunkState = 'buffered' | 'held' | 'active' | 'dead'

/** A memory that an answer cites. */
export interface Citation {
  /** what stands for it in the answer, without its brackets. */
  label: string
  /** of the memory. */
  id: string
  /** as the model was given it. */
  line: string
  occurred_at: string
  /** who said it; "" of what is no message. */
  speaker: string
  /** whether a web page or a tool said it, or it was concluded from what one said. */
  untrusted: boolean
}

/** A memory of an archive that did not come, or not as it stands there. */
export interface Clash {
  id: string
  scope: Scope
  kind: string
  /** differs: both sides have changed it, and the later wording stands, the other one is among its versions; renumbered: a message whose number another one has here; elsewhere: it is another scope's here; erased, rejected: it, or what it rests on, was erased here, or people have said that it is wrong; held: a legal hold keeps here what is deleted there; redacted: it holds personal data that its scope masks or refuses here. */
  reason: ClashReason
}

export type ClashReason = 'differs' | 'renumbered' | 'elsewhere' | 'erased' | 'rejected' | 'held' | 'redacted'

export type Classification = 'public' | 'internal' | 'confidential' | 'restricted'

/** What models cost, and how the budgets stand. */
export interface Costs {
  /** the latest first. */
  days: Day[]
  /** of all those days, by purpose, model, project and agent. */
  totals: Total[]
  budgets: SpendingLimit[]
  /** what served blocks spared on all those days, by project and agent. */
  agents: Savings[]
  /** the same of the exact scope's sessions, the last served first. */
  sessions: Savings[]
  /** of models that have failed since they last answered well, for whomever they were asked. */
  breakers: Breaker[]
}

/** What a compact record stands for, counted by the engine; all 0 or more. */
export interface Counts {
  /** raw episodes. */
  interactions: number
  /** how many of them ended how, by name; those that are 0 are left out. */
  outcomes: { [name: string]: number }
  /** in how many a person was asked for approval. */
  asked: number
}

export type Datum = 'card' | 'iban' | 'identity' | 'email' | 'phone' | 'ip' | 'person' | 'place'

/** What was spent on a day. */
export interface Day {
  /** when it began, in the time zone where it counts. */
  since: string
  sums: Sums
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

/** What became known, read differently, or was given up between two times; each in order of id. */
export interface Diff {
  learnt: Memory[]
  changed: Changed[]
  retired: Memory[]
}

/** A conversation in numbers; tokens as they were counted when they were recorded. */
export interface Distilled {
  /** how many were recorded. */
  messages: number
  /** of all of them. */
  tokens: number
  /** of those that are served as they were said. */
  raw: number
  /** of those of the raw ones that are observed already, and wait to give way. */
  buffered: number
  /** of those that are told by what was noted of them. */
  covered: number
  /** of the log. */
  noted: number
  /** covered over noted; 0 while nothing is. */
  ratio: number
  /** how many runs of messages were observed. */
  chunks: number
  /** how often notes have taken the place of messages. */
  activations: number
  /** how many stand in the log. */
  reflections: number
  /** of those that no observer has come by. */
  waiting: number
  /** how many runs no model could observe. */
  dead: number
}

/** The redaction of a kind of personal data in a scope: the strictest of all that apply there. */
export interface Effective {
  datum: Datum
  redaction: Redaction
  /** the redaction that is set for the exact scope; null where none is. */
  here: Redaction | null
}

/** Somebody or something that an episode concerns. */
export interface Entity {
  /** such as contact, person, organisation, project, file, product; lower case. */
  type: string
  /** as it is written. */
  name: string
}

/** Something that was noted of a run. */
export interface Entry {
  part: Part
  text: string
  /** of an approval, whether it was given. */
  approved?: boolean
}

/** What was done; a compact one stands for those that are its evidence. */
export interface Episode {
  /** the kind of the memory */
  kind: 'episode'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  details: EpisodeDetails
}

/** Of an episode. */
export interface EpisodeDetails {
  event: Event
  outcome: EpisodeOutcome
  entities: Entity[]
  attributes: { [name: string]: string | number | boolean }
  tier: Tier
  /** of a compact record; null for a raw one. */
  counts: Counts | null
  /** the days that a compact record covers, both inclusive, in the zone of its tenant. */
  begins: string | null
  /** the days that a compact record covers, both inclusive, in the zone of its tenant. */
  ends: string | null
  /** whether a person has taken it out of a compact record: it is not compacted again. */
  kept: boolean
}

export type EpisodeOutcome = 'done' | 'approved' | 'rejected' | 'modified' | 'exception'

/** An erasure of an overview; whose it was, nobody can tell any more. */
export interface Erased {
  /** of the erasure, and of its receipt. */
  id: string
  subject: Subject
  /** how many rows are gone. */
  rows: number
  begun_at: string
  /** null where it was broken off, or goes on: the same call goes on with it. */
  finished_at: string | null
}

/** What an erasure would take; nothing is done yet. */
export interface ErasurePlan {
  /** whose memory: such as user ana; of memories the number of them. */
  subject: Subject
  /** whose memory: such as user ana; of memories the number of them. */
  name: string
  /** the exact scopes that it empties; of a session and of memories the one that they are in. */
  scopes: Scope[]
  /** how many rows of each table. */
  rows: { [name: string]: number }
  /** how many memories of each kind. */
  kinds: { [name: string]: number }
  /** when it was begun, where that was broken off, or goes on: the same call goes on with it. */
  begun_at: string | null
  /** ids of what was drawn from a session or from memories, and goes with them; of a whole scope all goes. */
  drawn: string[]
  /** ids of memories of wider scopes that rest on them; they go too, and what others' evidence bears is concluded anew. */
  elsewhere: string[]
  /** the names of legal holds that forbid it. */
  holds: string[]
  /** what left the store of it, the latest first: exports, reports, archives and backups, that it does not reach. */
  handed_out: HandedOut[]
  /** what else it does not reach, and what to do about that. */
  beyond: string[]
}

export type Event = 'action_completed' | 'approval_approved' | 'approval_rejected' | 'approval_modified' | 'exception_raised' | 'user_correction' | 'compact'

/** A memory with its evidence, down to the messages and episodes that it was derived from. */
export interface Evidence {
  record: Memory
  /** those of people. */
  verdicts: Said[]
  /** those that exist, each once in the whole chain. */
  sources: Evidence[]
  /** ids of sources that were erased, or that this scope may not see. */
  missing: string[]
}

/** What a model made of a task, with what memory holds, and what is kept of it. */
export interface Executed {
  text: string
  /** as provider:name. */
  model: string
  /** what it read before. */
  context: Context
  /** where both sides are recorded. */
  session: string
  /** ids of the task and of the answer, as they were recorded. */
  messages: string[]
  /** ids of the memories that it read, the messages of the session apart. */
  memories: string[]
  /** of all calls of models that it took, prompts and answers. */
  tokens: number
  /** of the same, in millionths of a US dollar; null where it is not known. */
  cost: number | null
  /** what was written back, where that was asked for and anything came of it. */
  reflection: Memory | null
  /** what was not as usual. */
  notes: string[]
}

/** What prompts cost together, in tokens and in money. */
export interface Expense {
  tokens: number
  prefix: number
  /** at the price of a provider that keeps nothing, in millionths of a dollar. */
  uncached: number
  /** where each prefix costs what cached tokens do. */
  cached: number
}

/** A memory whose time is over, by the policy of the shortest time that is on it. */
export interface Expired {
  id: string
  scope: Scope
  kind: string
  classification: Classification
  /** when the store first knew it. */
  since: string
  policy: string
  /** the beginning of what it says. */
  text: string
}

/** Why a memory was recalled, or was not. */
export interface Explanation {
  id: string
  /** where it was lost: recalled, or status, filter, candidates, limit, tokens, abstained, time, rejected. */
  stage: string
  /** the same in words, without any text of the memory. */
  reason: string
  /** its place, from 1, or null where it was not ranked. */
  rank: number | null
  score: number | null
  factors: { [name: string]: number }
  /** what each factor that is added up adds to the sum where it is 1, for this question; 1 in all at most. */
  weights: { [name: string]: number }
  /** its place in each arm, from 1, where it stands in it. */
  ranks: { [name: string]: number }
}

/** A structured statement, read by its key; `text` says it in words. */
export interface Fact {
  /** the kind of the memory */
  kind: 'fact'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  details: FactDetails
}

export type FactCategory = 'profile' | 'contact' | 'rule' | 'setting'

/** Of a fact. */
export interface FactDetails {
  category: FactCategory
  /** a stable name, such as contact/bertelli/tone. */
  key: string
  /** what holds. */
  value: JsonValue
  /** since when (aware, UTC). */
  valid_from: string
  /** until when, exclusive; null while no end is known. */
  valid_to: string | null
}

export type Failing = 'refused the request or the key' | 'did not answer' | 'gave answers that cannot be used'

export type Fault = 'orphan-vector' | 'missing-index-row' | 'orphan-index-row' | 'wrong-hash' | 'broken-evidence' | 'number-gap' | 'half-built-generation' | 'missing-vector' | 'damaged-postings' | 'damaged-file' | 'lagging-vector-index' | 'foreign-analyser' | 'failing-nights' | 'future-night' | 'future-time' | 'model-left-alone' | 'damaged-text' | 'lost-rows' | 'foreign-rows' | 'orphan-rows' | 'broken-chain' | 'unfinished-erasure'

/**
 * Conditions on memories; all that are set must match. Dates are inclusive.
 *
 * Its fields are converted when it is made: names to members of their enums, sequences to tuples, times to UTC.
 */
export interface Filter {
  kinds?: string[]
  types?: string[]
  /** episodic, semantic or reflective; each is some of the kinds. */
  layers?: string[]
  /** all of them must be on the record. */
  tags?: string[]
  sessions?: string[]
  /** active and, for episodes, raw by default. */
  statuses?: string[]
  /** bounds of occurred_at, inclusive. */
  since?: Time | null
  /** bounds of occurred_at, inclusive. */
  until?: Time | null
  /** only these; by default every class that the caller may see. */
  classifications?: string[]
  /** the names of authors, as they are stored. */
  authors?: string[]
  /** tool, auto-capture, user, import, observer or detector. */
  sources?: string[]
  /** names with values at the top level of the record's metadata; all of them must match. */
  metadata?: { [name: string]: string | number | boolean }
  minimumTrust?: string
  /** in [0, 1]. */
  minimumImportance?: number
  /** of episodes: raw, weekly or monthly. */
  tiers?: string[]
  /** the first contact of episodes, as names are compared; "" for episodes without one. */
  contact?: string | null
}

/** One fault and where it is: ids of records, document numbers as text, or names of models; never content. */
export interface Finding {
  fault: Fault
  where: string[]
}

export type Format = 'markdown' | 'tags'

export type Gap = 'unreadable-time' | 'unknown-role' | 'missing-content' | 'no-message' | 'thinking' | 'not-text' | 'unread-field' | 'harness' | 'missing-evidence' | 'other-scope' | 'raised-class' | 'changed-content' | 'taken-key' | 'taken-number' | 'rejected' | 'lent'

/** A transfer that was granted. */
export interface Granted {
  /** the project that lends, and the one that reads. */
  lender: string
  /** the project that lends, and the one that reads. */
  reader: string
  /** why. */
  reason: string
  /** when that was. */
  granted_at: string
  /** how many of its observations can be read in the other project now. */
  observations: number
  /** whether it is over, and something of it is still kept because a legal hold is on it. */
  revoked: boolean
}

/** An export, a report, an archive or a backup that left the store, as its audit log tells. */
export interface HandedOut {
  /** when, to the minute. */
  at: string
  /** archive, backup, export or report. */
  what: string
  /** of which. */
  scope: Scope
  /** by whom; "" where nobody said. */
  actor: string
  door: string
}

/** A memory that was recalled. */
export interface Hit {
  record: Memory
  /** in [0, 1], higher is better; never compared with that of another profile. */
  score: number
  /** its score over that of the best, in [0, 1]. */
  relative: number
  /** why it ranks where it does: each in [0, 1], and cosine as the model gave it. Where a reranker has judged it, rerank is its score, as it gave it, and unreranked the hit's own before. */
  factors: { [name: string]: number }
  /** its places with feedback and without it, before any reranker. */
  ranks: Ranks
  /** how another hit replaced what it states; it is still active. */
  replaced: Replacement | null
  /** what it replaced among the hits. */
  replaces: Replacement[]
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

/** Memories that were put before an agent at one time, or would have been. */
export interface Injection {
  id: string
  /** in which; "" for none. */
  session: string
  way: Way
  /** false where the way is switched off: so feedback can still learn from it. */
  shown: boolean
  at: string
  /** their ids, best first. */
  records: string[]
  /** by id, of those that a question found. */
  ranks: { [name: string]: Ranks }
}

/** One piece of text in a block: a section, or one message. */
export interface Item {
  slot: Slot
  text: string
  tokens: number
  /** of the memories that it tells of. */
  ids: string[]
  /** what the report calls it, where it is no memory's. */
  names: string[]
  /** of a message, else "". */
  role: string
  speaker: string
  /** what a chat has of a message, quoted where it is untrusted. */
  said: string
  /** whether it quotes what tools, pages and others wrote. */
  untrusted: boolean
}

/** A job: long work, begun by a request that did not wait for its end. */
export interface Job {
  id: string
  scope: Scope
  work: JobWork
  state: JobState
  /** how much of it is done, in pieces of its own kind. */
  done: number
  /** what came of it, in numbers. */
  counts: { [name: string]: number }
  /** the code of the error that ended it, or "". */
  failure: string
  /** the same in words, without the text of any memory. */
  told: string
  /** whether somebody has asked for its end. */
  cancelled: boolean
  started_at: string
  /** when its process last said how far it is. */
  beat_at: string
  ended_at: string | null
}

export type JobState = 'running' | 'done' | 'failed' | 'cancelled' | 'lost'

export type JobWork = 'import' | 'nightly' | 'embed' | 'reembed' | 'reindex'

export type Kind = 'message' | 'observation' | 'reflection' | 'episode' | 'signal' | 'fact' | 'procedure'

export type Layer = 'episodic' | 'semantic' | 'reflective'

/** Of an observation that the detector made; see `model.pattern.Pattern`. */
export interface Learned {
  /** names what was counted. */
  key: string
  category: Category
  /** the numbers in words. */
  evidence: string
  /** in how many distinct episodes it held, since it was first seen. */
  occurrences: number
  /** in how many of those that were counted last. */
  held: number
  /** in how many of those that were counted last it might have held, and did not; of what is done to a thing that is not always there, in how many the opposite was done to it. */
  against: number
  /** what an agent is to do about it; "" where it is no candidate for a procedure. */
  rule: string
  /** the last day that was counted. */
  counted_on: string
  /** how many people have said that it is right. */
  boosts: number
  /** in how many of those that were counted last it might have held, as its evidence says. */
  cases: number
  /** whether its habit has ended or turned. */
  ended: boolean
}

/** What must not be deleted, whoever asks: a scope with all under it, or in it one session or a person. */
export interface LegalHold {
  /** such as the number of a case. */
  name: string
  /** why, for whoever meets it. */
  reason: string
  set_at: string
  /** in which it was set; null before that. */
  scope: Scope | null
  /** of which session alone. */
  session: string | null
  /** whom memories must name to be held, in any case of letters. */
  person: string | null
}

/** An access key that was just made. */
export interface MadeKey {
  key: AccessKey
  /** what its holder shows; told this once, and kept nowhere. */
  token: string
}

/** What was said, in order; its wording never changes. */
export interface Message {
  /** the kind of the memory */
  kind: 'message'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  /** its place in its session, from 1, without gaps. */
  number: number
  role: Role
  /** the name of who spoke, or "". */
  speaker: string
  /** its length for a language model, as tokenizer counts. */
  tokens: number
  tokenizer: string
}

/** A memory that was read often. */
export interface MostRead {
  id: string
  scope: Scope
  kind: string
  /** how often it was recalled or put before an agent. */
  uses: number
  last_accessed_at: string | null
}

/** A change of a memory's feedback weight by the outcome of a session in which it was put before the agent. */
export interface Move {
  session: string
  record: string
  outcome: SessionOutcome
  /** how far it moved towards the signal, in (0, 1). */
  alpha: number
  /** the weight, in [0, 1]. */
  before: number
  /** the weight, in [0, 1]. */
  after: number
  at: string
}

/** A memory that names a person: to be looked at before it is erased. */
export interface Naming {
  /** of the memory. */
  id: string
  /** of the memory. */
  scope: Scope
  kind: string
  /** in what of it the name stands, such as text, speaker or details. */
  where: string[]
  /** what it says. */
  text: string
  /** how many memories rest on it; erased with it, where they rest on nothing else. */
  drawn: number
}

/** An episode to record: an action. */
export interface NewEpisode {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue }
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** the action without its content, such as removed semicolon from third paragraph; 1 to 100 characters. */
  summary: string
  /** action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or user_correction. */
  event?: string
  /** done, approved, rejected, modified or exception; by default that of the event. */
  outcome?: string | null
  /** the person concerned; the same as a first entity of the type contact. */
  contact?: string
  entities?: Entity[]
  /** values to count: names to text, numbers and truth values. */
  attributes?: { [name: string]: string | number | boolean }
  classification?: string | null
}

/** A message to record. */
export interface NewMessage {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue }
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** may be empty where the message has content or tool calls. */
  text: string
  /** user, assistant, system or tool. */
  role?: string
  speaker?: string
  /** further parts, as chats have them: {"type": "text", "text": "…"}; of parts that are not text the kind, the name and the address are kept. */
  content?: { [name: string]: JsonValue }[]
  /** calls of tools: {"name": "…", "arguments": {…}}, or such under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  /** trusted or untrusted; messages of tools are untrusted by default, all others trusted. */
  trust?: string | null
  /** raises the class that the text has, and never lowers it. */
  classification?: string | null
}

/**
 * An observation to save: a claim.
 *
 * A session that was not used for 24 hours is closed with a summary, and the next one is opened.
 */
export interface NewObservation {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue }
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  text: string
  /** profile, preference, decision, pattern or discovery, or another of the deployment; discovery by default. */
  type?: string | null
  title?: string | null
  /** a stable name; a later save under it replaces the wording and keeps the earlier one as a revision. Fields that are left out stay as they are. */
  topicKey?: string | null
  /** semantic by default; reflective saves a reflection. */
  layer?: string | null
  /** a type of the caller's own in place of type, which the deployment does not have to allow. */
  customType?: string | null
  /** ids of the memories that support it; it inherits their least trust and highest classification. */
  evidence?: string[]
  /** with its zone, exclusive: then it is archived, and only reads of the past find it. Saved again after that, it is valid again. */
  validUntil?: Time | null
  trust?: string | null
  /** raises the class of its evidence, internal at least, and never lowers it. */
  classification?: string | null
}

/** One scope's run for one local day of its tenant. */
export interface Night {
  day: string
  /** the last one that is done, or null before the first. */
  step: Step | null
  /** what was done, by name. */
  counts: { [name: string]: number }
  /** what a person should know of it, such as rules for which there is no room; the first twenty. */
  notes: string[]
  /** how often it was begun. */
  tries: number
  started_at: string
  /** null while it is under way, or waits to be tried again. */
  ended_at: string | null
}

/** A claim in words, with its evidence. */
export interface Observation {
  /** the kind of the memory */
  kind: 'observation'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  /** one of the deployment's observation types, or the reserved summary. */
  type: string
  title: string
  /** a stable name under which a later save replaces this one, or null. */
  topic_key: string | null
  /** 1 to 5 where an engine has judged it, 5 for what must not be forgotten; else 0. */
  priority: number
  /** the day, month or year that it speaks of, as ISO text, or "". */
  refers_to: string
  /** numbers of the messages in its session that an observer drew it from, both inclusive; else 0. */
  first: number
  /** numbers of the messages in its session that an observer drew it from, both inclusive; else 0. */
  last: number
  /** its place in the log that an agent reads, in the order of activation; null where it stands in none. */
  place: number | null
  /** its length for a language model, as tokenizer counts; 0 where nobody has counted. */
  tokens: number
  tokenizer: string
  /** what concluded it, with its version, or "" for what was saved by hand. */
  engine: string
  /** the language model that the engine asked, or "". */
  model: string
  /** what the detector counted, where it made this one. */
  learned: Learned | null
  /** until when it is valid, exclusive; then it is archived. null while no end is known. */
  valid_until: string | null
}

export type Outcome = 'created' | 'updated' | 'deduped'

/** How memories stand under a scope. */
export interface Overview {
  at: string
  /** by project. */
  usage: ProjectUsage[]
  /** the most first. */
  most_read: MostRead[]
  budgets: Projection[]
  /** how many memories the next night deletes; 1,000 stands for that many or more. */
  due: number
  /** how many are deleted and can be restored, likewise. */
  deleted: number
  /** the legal holds that are on the scope, or on any under it. */
  holds: LegalHold[]
  /** those that were asked for in it, the latest first; null for a caller to whom anything is closed. */
  erasures: Erased[] | null
  /** of the tenant's log; null for who is no operator of all of it, or to whom anything is closed. */
  audit_entries: number | null
  /** whether that log holds against itself. */
  audit_is_whole: boolean
}

/** Some records, newest first, and where to go on; `null` at the end. */
export interface Page {
  records: Memory[]
  cursor: string | null
}

export type Part = 'step' | 'result' | 'approval'

export type Period = 'day' | 'month'

/** What a night would do, were it run now. */
export interface Preview {
  day: string
  /** the steps of it that are not done yet. */
  left: Step[]
  /** what they would do, by name, as the counts of a night. */
  counts: { [name: string]: number }
  /** what a person should know of it. */
  notes: string[]
}

/** A rule of behaviour, put before an agent word for word; its evidence is the observation it came from. */
export interface Procedure {
  /** the kind of the memory */
  kind: 'procedure'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  details: ProcedureDetails
}

/** Of a procedure. */
export interface ProcedureDetails {
  /** how often people have said that it is right. */
  confirmations: number
  /** why it was demoted, in words; "" where it was not. */
  reason: string
}

/** How many memories there are of one project. */
export interface ProjectUsage {
  /** null for what is of none. */
  project: string | null
  /** how many, by kind. */
  kinds: { [name: string]: number }
  /** how many, by class. */
  classifications: { [name: string]: number }
  /** how many users have any. */
  users: number
}

/** A budget of an overview, and what it will have come to at its end if all goes on as it has. */
export interface Projection {
  /** whose it is; null for the whole tenant's. */
  project: string | null
  period: string
  unit: string
  /** tokens, or millionths of a US dollar. */
  limit: number
  /** tokens, or millionths of a US dollar. */
  spent: number
  /** tokens, or millionths of a US dollar. */
  projected: number
  /** ok, warning, critical or exceeded, of what is spent. */
  state: string
  /** when it ends. */
  until: string
}

/** The places of a memory among what a question found, from 1: by its weight from feedback, and without it. */
export interface Ranks {
  weighted: number
  unweighted: number
}

/** The answer to a question. */
export interface Recalled {
  /** best first; empty when nothing is near enough. */
  hits: Hit[]
  /** whether nothing was found that is likely to answer the question. */
  abstained: boolean
  /** how likely it is, in [0, 1], that the hits hold an answer. */
  confidence: number
  /** the nearest misses, when it abstained. */
  nearest: Hit[]
  /** how many hits were left out because their tokens would have passed the bound. */
  dropped: number
  /** what was not as usual, such as an arm that could not serve. */
  notes: string[]
}

/** What an erasure took, and what a look for what is left has found; it names nobody and holds no content. */
export interface Receipt {
  /** of the erasure. */
  id: string
  /** what kind. */
  subject: Subject
  /** whose memory, as a fingerprint that only the store can make. */
  name: string
  /** the store, by a fingerprint. */
  store: string
  /** how many rows were removed from each table. */
  rows: { [name: string]: number }
  /** how many exact scopes were emptied. */
  scopes: number
  /** how many rows were looked through afterwards. */
  looked: number
  /** in how many texts an id of what was erased still stood, and how many other rows that nobody brought in told eight words in a row that it alone had; 0 where nothing is left. */
  found: number
  started_at: string
  finished_at: string
  /** what it does not reach. */
  beyond: string[]
  /** SHA-256 over all of that, hex. */
  hash: string
  /** the public key that signs, hex. */
  key: string
  /** Ed25519 over the hash, hex. */
  signature: string
}

export type Redaction = 'off' | 'tag' | 'mask' | 'refuse'

/** An insight over observations, which are its evidence. */
export interface Reflection {
  /** the kind of the memory */
  kind: 'reflection'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  /** one of the deployment's observation types, or the reserved summary. */
  type: string
  title: string
  /** a stable name under which a later save replaces this one, or null. */
  topic_key: string | null
  /** 1 to 5 where an engine has judged it, 5 for what must not be forgotten; else 0. */
  priority: number
  /** the day, month or year that it speaks of, as ISO text, or "". */
  refers_to: string
  /** numbers of the messages in its session that an observer drew it from, both inclusive; else 0. */
  first: number
  /** numbers of the messages in its session that an observer drew it from, both inclusive; else 0. */
  last: number
  /** its place in the log that an agent reads, in the order of activation; null where it stands in none. */
  place: number | null
  /** its length for a language model, as tokenizer counts; 0 where nobody has counted. */
  tokens: number
  tokenizer: string
  /** what concluded it, with its version, or "" for what was saved by hand. */
  engine: string
  /** the language model that the engine asked, or "". */
  model: string
  /** what the detector counted, where it made this one. */
  learned: Learned | null
  /** until when it is valid, exclusive; then it is archived. null while no end is known. */
  valid_until: string | null
}

/** An observation that would be a procedure, were there room. */
export interface Refused {
  observation: string
  reason: string
}

/** That a newer memory says that what an older one states no longer holds. */
export interface Replacement {
  /** their ids; the newer one is the evidence. */
  older: string
  /** their ids; the newer one is the evidence. */
  newer: string
  /** what no longer holds, as the older one has it: "Bern". */
  value: string
  /** when the newer one was said. */
  until: string
}

/** What a model answered in a conversation. */
export interface Reply {
  text: string
  /** as provider:name. */
  model: string
  /** what it read before. */
  context: Context
}

/** An account of a block. */
export interface Report {
  /** the most tokens that it may have. */
  budget: number
  /** those of the very text, by tokenizer; never more than the budget. */
  tokens: number
  tokenizer: string
  /** whether the model counts the same; else the count was raised by margin. */
  exact: boolean
  margin: number
  /** tokens by slot. */
  slots: { [name: string]: number }
  /** the most that each may take, by the names of the setting slots. */
  caps: { [name: string]: number }
  /** ids of what did not fit, by slot; what has none is exchange 1 of the history, task, working or today. */
  dropped: { [name: string]: string[] }
  /** tokens of the prefix that a provider can keep. */
  cacheable: number
  /** tokens of messages that are served as they were said. */
  raw: number
  /** tokens of the log. */
  noted: number
  /** how many messages are told by what was noted of them. */
  covered: number
  /** tokens of the whole conversation, in whose place the block stands. */
  whole: number
  /** what was not as usual. */
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

/** How long memories of a scope, and of those under it, are kept; of what several are on, the shortest time holds. */
export interface RetentionPolicy {
  /** what it is called in its scope. */
  name: string
  /** after so many days since the store knew it a memory is deleted, and can be restored for GRACE. */
  keep_days: number
  set_at: string
  /** of which memories; of all, where none is named. */
  kinds: Kind[]
  /** of which memories; of all, where none is named. */
  classifications: Classification[]
  /** in which it was set; null before that. */
  scope: Scope | null
}

export type Right = 'read' | 'write' | 'learn' | 'govern' | 'operate' | 'reveal'

export type Role = 'user' | 'assistant' | 'system' | 'tool'

/** The last word of one person on one memory. */
export interface Said {
  record: string
  person: string
  verdict: Verdict
  at: string
}

/** A write's outcome and the record as it now stands. */
export interface SavedEpisode {
  outcome: Outcome
  record: Episode
}

/** A write's outcome and the record as it now stands. */
export interface SavedFact {
  outcome: Outcome
  record: Fact
}

/** A write's outcome and the record as it now stands. */
export interface SavedMessage {
  outcome: Outcome
  record: Message
}

/** A write's outcome and the record as it now stands. */
export interface SavedObservation {
  outcome: Outcome
  record: Observation | Reflection
}

/** A write's outcome and the record as it now stands. */
export interface SavedSignal {
  outcome: Outcome
  record: Signal
}

/** Two ways to hold one conversation. */
export interface Saving {
  served: Expense
  whole: Expense
}

/** What blocks spared together. */
export interface Savings {
  project: string | null
  agent: string | null
  /** null for all of a project's and an agent's. */
  session: string | null
  blocks: number
  /** blocks of unknown cost, which are not among the money. */
  unpriced: number
  saving: Saving
}

/**
 * Whose memory this is. `tenant` is the wall and is never optional; a blank dimension is shared.
 *
 * A project, an agent and a user are stored and compared in composed Unicode (NFC); the wall goes by its exact name.
 */
export interface Scope {
  tenant: string
  project: string | null
  agent: string | null
  user: string | null
}

/** A conversation or run of one scope. */
export interface Session {
  /** the caller's name for it, or the engine's; unique within its scope. */
  id: string
  scope: Scope
  status: SessionStatus
  /** whether the caller named it; a scope has one unnamed active session at most. */
  named: boolean
  /** whether what is said in it is stored at all. */
  record: boolean
  /** how many were ever recorded in it; a deleted one keeps its number. */
  messages: number
  /** how many those had together when they were recorded. */
  tokens: number
  /** up to which of them an observer has come, without gaps from the first; 0 for none. */
  observed: number
  /** how many of the tokens that covers. */
  observed_tokens: number
  started_at: string
  last_activity_at: string
  ended_at: string | null
}

export type SessionOutcome = 'accepted' | 'rejected' | 'rework'

export type SessionStatus = 'active' | 'completed'

/** Raw feedback or behaviour, which waits for the detector. */
export interface Signal {
  /** the kind of the memory */
  kind: 'signal'
  /** the layer of the memory */
  layer: Layer
  id: string
  scope: Scope
  /** the conversation or run it belongs to, or null. */
  session: string | null
  /** as stored: private regions stripped, secrets masked. */
  text: string
  /** which agent, tool or engine said what it says now, apart from the scope's agent. */
  author: string
  /** what brought that in. */
  source: Source
  tags: string[]
  metadata: { [name: string]: JsonValue }
  /** when that was said or done (aware, UTC). */
  occurred_at: string
  /** when the store first knew it (aware, UTC). */
  recorded_at: string
  /** when its wording or status last changed (aware, UTC). */
  updated_at: string
  /** 1 at first, one more for every change of its wording. */
  revision: number
  status: Status
  classification: Classification
  trust: Trust
  /** in [0, 1]. */
  importance: number
  /** whether it only repeats what recall had put into a prompt; such text is kept but not indexed. */
  echo: boolean
  usage_count: number
  last_accessed_at: string | null
  /** what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first. */
  weight: number
  /** ids of what it was concluded from. */
  evidence: string[]
  details: SignalDetails
}

/** Of a signal. */
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

/** A deleted memory. */
export interface SoftDeleted {
  id: string
  scope: Scope
  kind: string
  /** when that was. */
  deleted_at: string
  /** up to when it can be restored; then it goes for good. */
  until: string
  /** the beginning of what it says. */
  text: string
}

export type Source = 'tool' | 'auto-capture' | 'user' | 'import' | 'observer' | 'detector'

/** The vectors of one model: never compared with those of another. */
export interface Space {
  name: string
  version: string
  dimension: number
  /** mean cosine of two unrelated texts in this model, which calibrated nearness counts as 0; in (-1, 1). */
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

/** What a memory's standing is made of. */
export interface Standing {
  id: string
  kind: Kind
  /** in [0, 1]. */
  importance: number
  occurred_at: string
  recorded_at: string
  /** how often it was recalled. */
  uses: number
  /** when last, or null. */
  accessed: string | null
  /** in [0, 1]; a rating may be absent. */
  rating: number | null
  /** in [0, 1]; a rating may be absent. */
  boost: number
  pinned: boolean
  /** in [0, 1]; a rating may be absent. */
  relevance: number
  /** the local day up to which its importance has decayed, or null before the first night. */
  decayed_on: string | null
  /** as it was last worked out, in [0, 1]. */
  standing: number | null
  /** what outcomes of sessions have made of it, in [0, 1]; no part of standing. */
  weight: number
  /** how they did, the earliest first. */
  moves: Move[]
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

/** Numbers of the memories that a scope sees. */
export interface Stats {
  /** by kind/status. */
  records: { [name: string]: number }
  sessions: number
  /** wordings of the whole store without vectors; 0 without an embedder, or for callers who may not operate the store. */
  unembedded: number
  /** name and version of the vectors in use, or "". */
  embedder: string
  /** the reranker, as provider:name, or "". */
  reranker: string
  /** size of the store on disk; 0 for callers who may not operate it. */
  bytes: number
  /** entries of this exact scope; null for callers to whom any memory is closed. */
  audit_entries: number | null
}

export type Status = 'buffered' | 'raw' | 'active' | 'paused' | 'merged' | 'quarantined' | 'rejected' | 'demoted' | 'dismissed' | 'contradicted' | 'superseded_raw' | 'superseded_tier1' | 'retired' | 'archived' | 'soft-deleted'

export type Step = 'retain' | 'weekly' | 'monthly' | 'consolidate' | 'detect' | 'promote' | 'standing'

export type Subject = 'user' | 'agent' | 'project' | 'tenant' | 'session' | 'memories'

/** Calls of any kind added up; the fields are those of `Total`. */
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

/** What came of an archive that was taken in. */
export interface Taken {
  archive: Archived
  /** memories that were not here. */
  created: number
  /** memories that are newer there, and stand as they do there. */
  updated: number
  /** memories that are here as they are there. */
  same: number
  /** memories that are newer here, and stay. */
  older: number
  /** sessions that were not here. */
  sessions: number
  /** the first 1,000 of those that did not come, or not as they are there. */
  clashes: Clash[]
  /** how many those are, by reason. */
  clashed: { [name: string]: number }
}

export type Tier = 'raw' | 'weekly' | 'monthly'

/** Calls of one purpose, model, project and agent, added up. */
export interface Total {
  purpose: CallPurpose
  model: string
  project: string | null
  agent: string | null
  /** all of them, the refused apart. */
  calls: number
  /** those that a budget did not let through. */
  refused: number
  /** those that brought no answer, or none of the agreed shape. */
  failed: number
  prompt_tokens: number
  cached_tokens: number
  answer_tokens: number
  /** of those whose cost is known, or at least the most that it can be. */
  cost: number
  /** calls whose cost is not known and not among cost. */
  unpriced: number
  /** how long the models took. */
  milliseconds: number
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

/** How a record read during a stretch of time; `until` is `null` for the present wording. */
export interface Version {
  record: Memory
  since: string
  until: string | null
}

export type Way = 'brief' | 'prompt' | 'recall' | 'context'

/** The state of one run. */
export interface WorkingMemory {
  /** the task of the run */
  payload: string
  /** its steps, results and approvals, in order */
  entries?: Entry[]
}

export interface AskOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would pass this many tokens together; by default there is no bound, and 1,500 for an answer. */
  maxTokens?: number
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal; all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** The vectors of one model: never compared with those of another. */
  space?: Space | null
  /** false returns the best hits whatever the confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, whatever the setting reranker names. */
  rerank?: boolean
}

export interface AskStreamOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would pass this many tokens together; by default there is no bound, and 1,500 for an answer. */
  maxTokens?: number
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal; all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** The vectors of one model: never compared with those of another. */
  space?: Space | null
  /** false returns the best hits whatever the confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, whatever the setting reranker names. */
  rerank?: boolean
}

export interface ContextOptions extends Calling {
  /** the name of the conversation; an unknown one is an empty conversation. */
  session?: string | null
  /** the question at hand, whose hits the context includes; by default the last message of a user. Of a very long one the beginning is searched for. */
  question?: string
  /** the task at hand; the context includes it, and its hits where there is no question. A task that is longer than its slot is shortened, and kept as a message. */
  task?: string
  /** turn, brief, prompt or search. */
  mode?: string
  /** exchanges with tools, oldest first; those that do not fit are shortened, and kept as a message. */
  history?: string[]
  /** the state of the run, such as WorkingMemory.render(). */
  working?: string
  /** Limits in tokens of a context; what is not set is the deployment's. */
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
  /** the context as it could have been made then: with what was known, as it then read. Nothing is observed for it, and deleted memories are left out. */
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
  /** all tags of the observation; an empty list removes them. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue } | null
  importance?: number | null
  /** raises the class, and never lowers it. */
  classification?: string | null
  /** the author of the change; by default the caller. */
  author?: string
  source?: string
  /** by default the current time if the text changes. */
  occurredAt?: Time | null
  /** exclusive, with its zone. */
  validUntil?: Time | null
  /** the revision that it must have; any by default. */
  revision?: number | null
}

export interface ExplainOptions extends Calling {
  /** conditions on the memories that may be found. */
  filter?: Filter | null
  /** the maximum number of hits, 1 to 1,000; by default 20, and 60 for an answer. */
  limit?: number
  /** whole hits are left out that would pass this many tokens together; by default there is no bound, and 1,500 for an answer. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal; all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** The vectors of one model: never compared with those of another. */
  space?: Space | null
  /** false returns the best hits whatever the confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, whatever the setting reranker names. */
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
  /** episodic, semantic or reflective; each is some of the kinds. */
  layers?: string[]
  /** all of them must be on the record. */
  tags?: string[]
  sessions?: string[]
  /** active and, for episodes, raw by default. */
  statuses?: string[]
  /** bounds of occurred_at, inclusive. */
  since?: Time | null
  /** bounds of occurred_at, inclusive. */
  until?: Time | null
  /** only these; by default every class that the caller may see. */
  classifications?: string[]
  /** the names of authors, as they are stored. */
  authors?: string[]
  /** tool, auto-capture, user, import, observer or detector. */
  sources?: string[]
  /** names with values at the top level of the record's metadata; all of them must match. */
  metadata?: { [name: string]: string | number | boolean }
  minimumTrust?: string
  /** in [0, 1]. */
  minimumImportance?: number
  /** of episodes: raw, weekly or monthly. */
  tiers?: string[]
  /** the first contact of episodes, as names are compared; "" for episodes without one. */
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
  /** whole hits are left out that would pass this many tokens together; by default there is no bound, and 1,500 for an answer. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or one retriever alone, lexical or semantic. */
  profile?: string
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** the time of the question, from which "last week" is counted; the current time by default. */
  now?: Time | null
  /** some of lexical, semantic, temporal; all by default. */
  retrievers?: string[]
  /** the question's own unit vector, in the space space. */
  vector?: number[] | null
  /** The vectors of one model: never compared with those of another. */
  space?: Space | null
  /** false returns the best hits whatever the confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
  /** false keeps the ranking, whatever the setting reranker names. */
  rerank?: boolean
}

export interface RecordOptions extends Calling {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue } | null
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** user, assistant, system or tool. */
  role?: string
  speaker?: string
  /** further parts, as chats have them: {"type": "text", "text": "…"}; of parts that are not text the kind, the name and the address are kept. */
  content?: { [name: string]: JsonValue }[]
  /** calls of tools: {"name": "…", "arguments": {…}}, or such under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  /** trusted or untrusted; messages of tools are untrusted by default, all others trusted. */
  trust?: string | null
  /** raises the class that the text has, and never lowers it. */
  classification?: string | null
}

export interface SaveOptions extends Calling {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue }
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** profile, preference, decision, pattern or discovery, or another of the deployment; discovery by default. */
  type?: string | null
  title?: string | null
  /** a stable name; a later save under it replaces the wording and keeps the earlier one as a revision. Fields that are left out stay as they are. */
  topicKey?: string | null
  /** semantic by default; reflective saves a reflection. */
  layer?: string | null
  /** a type of the caller's own in place of type, which the deployment does not have to allow. */
  customType?: string | null
  /** ids of the memories that support it; it inherits their least trust and highest classification. */
  evidence?: string[]
  /** with its zone, exclusive: then it is archived, and only reads of the past find it. Saved again after that, it is valid again. */
  validUntil?: Time | null
  trust?: string | null
  /** raises the class of its evidence, internal at least, and never lowers it. */
  classification?: string | null
}

export interface AdminCostsOptions extends Calling {
  /** 1 to 366, with today. */
  days?: number
}

export interface AdminDoctorOptions extends Calling {
  repair?: boolean
  /** accept rows that another program removed or added, so that they are not reported again. */
  acceptLosses?: boolean
}

export interface AdminIndexRebuildOptions extends Calling {
  /** whether an outside vector index is rebuilt too, from the vectors of the store. */
  vectors?: boolean
}

export interface AdminJobsImportOptions extends Calling {
  /** the name of the file; the import of a file that has grown continues where the last one ended */
  name?: string
  /** skip messages that cannot be imported, instead of refusing the file */
  skipBad?: boolean
}

export interface AdminJobsListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface AdminKeysCreateOptions extends Calling {
  /** narrow the key to a scope within the caller's. */
  project?: string | null
  /** narrow the key to a scope within the caller's. */
  agent?: string | null
  /** narrow the key to a scope within the caller's. */
  user?: string | null
  /** that of the caller by default, and never above it. */
  clearance?: string | null
  /** some of read, write, learn, govern, operate and reveal that the caller has. */
  rights?: string[]
  /** after which it expires; by default it does not expire. */
  days?: number | null
  /** the tenant of the key, for a caller who keeps the whole store; by default the caller's. */
  tenant?: string | null
  /** at most 100 further tenants that it opens, for a caller who keeps the whole store. */
  tenants?: string[]
}

export interface AdminKeysListOptions extends Calling {
  /** another one, for a caller who keeps the whole store; by default the caller's. */
  tenant?: string | null
}

export interface AdminKeysRevokeOptions extends Calling {
  /** another one, for a caller who keeps the whole store; by default the caller's. */
  tenant?: string | null
}

export interface AdminKeysRotateOptions extends Calling {
  /** another one, for a caller who keeps the whole store; by default the caller's. */
  tenant?: string | null
}

export interface EpisodesEndRunOptions extends Calling {
  /** done, failed or rolled back. */
  ended?: string
  contact?: string
  session?: string | null
  /** of the whole run; by default its steps, results and approvals are counted. */
  summary?: string
}

export interface EpisodesListOptions extends Calling {
  /** their first contact; "" for those without one. */
  contact?: string | null
  /** raw, weekly or monthly. */
  tier?: string | null
  since?: Time | null
  until?: Time | null
  /** with those that a compact record summarises. */
  superseded?: boolean
  /** 1 to 1,000. */
  limit?: number
  /** the episodes of that time, as they then read. */
  asOf?: Time | null
}

export interface EpisodesRecordOptions extends Calling {
  /** opened, or resumed, by its name; by default the scope's active session. */
  session?: string | null
  /** the time of the message or action, with its zone; by default the current time. */
  occurredAt?: Time | null
  /** no tags and .5 by default; those of an existing record stay as they are. */
  tags?: string[] | null
  /** is merged into the stored metadata; a name with null is removed. */
  metadata?: { [name: string]: JsonValue }
  author?: string
  /** tool, auto-capture, user or import. */
  source?: string
  /** no tags and .5 by default; those of an existing record stay as they are. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  /** action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or user_correction. */
  event?: string
  /** done, approved, rejected, modified or exception; by default that of the event. */
  outcome?: string | null
  /** the person concerned; the same as a first entity of the type contact. */
  contact?: string
  entities?: Entity[]
  /** values to count: names to text, numbers and truth values. */
  attributes?: { [name: string]: string | number | boolean } | null
  classification?: string | null
}

export interface EpisodesSignalOptions extends Calling {
  summary?: string
  /** the person it concerns; the same as a first entity of the type contact. */
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
  /** the facts that were valid then. */
  at?: Time | null
  /** the facts that were known then; at is that time by default. */
  asOf?: Time | null
}

export interface FactsListOptions extends Calling {
  category?: string | null
  /** the facts that were valid then. */
  at?: Time | null
  /** the facts that were known then; at is that time by default. */
  asOf?: Time | null
}

export interface FactsSetOptions extends Calling {
  /** profile, contact, rule or setting. */
  category?: string
  /** with its zone; by default the current time. */
  validFrom?: Time | null
  /** with its zone, exclusive. */
  validTo?: Time | null
  author?: string
  source?: string
  classification?: string | null
}

export interface GovernanceArchivesReportOptions extends Calling {
  /** a name that is searched for in the memories of everybody else, too */
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
  /** the id of a memory that the entry concerns; entries that disclosed several count, too. */
  memory?: string | null
  /** the number of an entry; only earlier ones match. */
  before?: number | null
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
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface GovernanceErasurePlanOptions extends Calling {
  /** whose memory: all of it within this scope; the tenant is named to be sure. */
  user?: string | null
  /** whose memory: all of it within this scope; the tenant is named to be sure. */
  agent?: string | null
  /** whose memory: all of it within this scope; the tenant is named to be sure. */
  project?: string | null
  /** whose memory: all of it within this scope; the tenant is named to be sure. */
  tenant?: string | null
  /** a session of this exact scope, with what was drawn from it alone. */
  session?: string | null
  /** ids of memories of this exact scope. */
  memories?: string[]
}

export interface GovernanceErasureReceiptsOptions extends Calling {
  /** only of what was erased by this name, such as user and ana; of memories their ids, with a blank between two. A receipt names nobody: that it is this one's is told by the store's key. */
  subject?: string | null
  /** only of what was erased by this name, such as user and ana; of memories their ids, with a blank between two. A receipt names nobody: that it is this one's is told by the store's key. */
  name?: string | null
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface GovernanceHoldsPlaceOptions extends Calling {
  /** only on this session. */
  session?: string | null
  /** only on memories that name this person, as a whole word or words in any case of letters. */
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
  /** only count the memories that are open to the caller. */
  dryRun?: boolean
}

export interface GovernanceRetentionSetOptions extends Calling {
  /** of which memories; of all, where none is named. */
  kinds?: string[]
  /** of which memories; of all, where none is named. */
  classifications?: string[]
}

export interface MessagesImportFileOptions extends Calling {
  /** the name of the file; the import of a file that has grown continues where the last one ended */
  name?: string
  /** skip messages that cannot be imported, instead of refusing the file */
  skipBad?: boolean
}

export interface NotesFailedOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface NotesReflectOptions extends Calling {
  session?: string | null
}

export interface ObservationsDeleteManyOptions extends Calling {
  /** only count and name them. */
  dryRun?: boolean
}

export interface PatternsListOptions extends Calling {
  /** with those that were paused, retired, rejected, dismissed, merged and archived. */
  all?: boolean
  /** the patterns of that time, as they then read. */
  asOf?: Time | null
}

export interface RulesAddOptions extends Calling {
  author?: string
  classification?: string | null
  /** the time of the rule, with its zone; by default the current time. */
  occurredAt?: Time | null
  metadata?: { [name: string]: JsonValue } | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface RulesEditOptions extends Calling {
  /** the revision that it must have; any by default. */
  revision?: number | null
}

export interface RulesListOptions extends Calling {
  /** with those that are paused, demoted and retired. */
  all?: boolean
  /** the rules of that time, as they then read. */
  asOf?: Time | null
}

export interface SessionsExecuteOptions extends Calling {
  /** opened if it is new; by default the scope's unnamed active session. */
  session?: string | null
  /** the author of the task. */
  speaker?: string
  /** for the model. */
  instructions?: string
  /** the person concerned: only episodes with this contact are included. */
  contact?: string | null
  /** have the model write what the task has taught, if anything, and keep it as a reflection with its evidence; where that fails, a note explains why. */
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
  /** with those of the scopes under this one: from the tenant's own scope, of the whole tenant. */
  allScopes?: boolean
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
  id?: string | null
  /** false recalls and stores nothing: recording in the session is then refused. */
  record?: boolean
  /** of the text about earlier sessions; the setting start_tokens by default. */
  maxTokens?: number | null
  /** false leaves no trace of the reading. */
  recordAccess?: boolean
}

export interface SessionsSummariseOptions extends Calling {
  title?: string
  /** the time of the summary, with its zone; by default the current time. */
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
}

export interface TimelineHistoryOptions extends Calling {
  topicKey?: string | null
}

export interface Operations {
  admin: AdminOperations
  episodes: EpisodesOperations
  facts: FactsOperations
  governance: GovernanceOperations
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
   */
  recall(question: string, options?: RecallOptions): Promise<Recalled>
  /**
   * Record a message.
   *
   * When this returns, the message is on disk, and can be found by its words.
   *
   * The arguments are fields of `NewMessage`, which describes them.
   *
   * Needs the right `write`.
   * @param text may be empty where the message has content or tool calls.
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
}

export interface AdminOperations {
  index: AdminIndexOperations
  jobs: AdminJobsOperations
  keys: AdminKeysOperations
  maintenance: AdminMaintenanceOperations
  /**
   * Return the costs of language models on each of the last days, the latest first, and the state of the budgets.
   *
   * And the tokens that contexts saved against whole conversations, by agent and by session of this exact scope.
   * A project or an agent that the scope leaves blank means all of the tenant's. A caller with an access key of a
   * project sees the budgets of that project alone.
   *
   * Needs the right `govern`.
   */
  costs(options?: AdminCostsOptions): Promise<Costs>
  /**
   * Check the whole store, and return its faults; with `repair`, repair those that need no judgement.
   *
   * Needs the right `operate`.
   */
  doctor(options?: AdminDoctorOptions): Promise<Diagnosis[]>
  /**
   * Write the record of recent reads now; otherwise it is written in the background.
   *
   * Needs the right `write`.
   */
  flush(options?: Calling): Promise<null>
  /**
   * Return the numbers of the scope.
   *
   * Needs the right `read`.
   */
  stats(options?: Calling): Promise<Stats>
}

export interface AdminIndexOperations {
  /**
   * Make all missing vectors, and return the number of wordings that got one.
   *
   * Needs the right `operate`.
   */
  embed(options?: Calling): Promise<number>
  /**
   * Make a few missing vectors of this scope, for callers that close the memory soon; never fails a write.
   *
   * Needs the right `write`.
   */
  embedSoon(options?: Calling): Promise<number>
  /**
   * Return the number of wordings of the store without vectors in the embedder's space.
   *
   * Needs the right `operate`.
   */
  missing(options?: Calling): Promise<number>
  /**
   * Rebuild the text index of the whole store, scope by scope, and return the number of its wordings.
   *
   * Needs the right `operate`.
   */
  rebuild(options?: AdminIndexRebuildOptions): Promise<number>
  /**
   * Make new vectors next to the old ones, switch over, and return their number.
   *
   * Needs the right `operate`.
   */
  reembed(options?: Calling): Promise<number>
}

export interface AdminJobsOperations {
  /**
   * Cancel a job; its results until then are kept. A finished job stays as it is.
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
   * Return the jobs of this scope, the latest first; they are deleted after 30 days.
   *
   * Needs the right `read`.
   */
  list(options?: AdminJobsListOptions): Promise<Job[]>
  /**
   * Start a job without waiting for its end; it ends with the process that opened this memory.
   *
   * Needs the right `read`.
   * @param work import a file of chats, run the nightly work of this scope; or, for the whole store, embed what has no vectors, reembed it all, reindex the words.
   */
  start(work: string, options?: Calling): Promise<Job>
}

export interface AdminKeysOperations {
  /**
   * Create an access key for this scope, or one within it; its token is returned this once.
   *
   * Needs the right `operate`.
   * @param name its name; the audit log names the holder by it.
   */
  create(name: string, options?: AdminKeysCreateOptions): Promise<MadeKey>
  /**
   * Return the access keys of this scope and of those within it, the oldest first, with revoked and expired ones.
   *
   * Needs the right `operate`.
   */
  list(options?: AdminKeysListOptions): Promise<AccessKey[]>
  /**
   * Revoke an access key; it expires within a second.
   *
   * Needs the right `operate`.
   */
  revoke(id: string, options?: AdminKeysRevokeOptions): Promise<AccessKey>
  /**
   * Replace the secret of an access key, and return the new token this once; the old one expires within a second.
   *
   * Needs the right `operate`.
   */
  rotate(id: string, options?: AdminKeysRotateOptions): Promise<MadeKey>
}

export interface AdminMaintenanceOperations {
  /**
   * Return what the maintenance of this scope would do now; nothing is changed, and no model is called.
   *
   * Needs the right `read`.
   */
  dryRun(options?: Calling): Promise<Preview>
  /**
   * Return the latest maintenance run of this scope, or `null`.
   *
   * Needs the right `read`.
   */
  latest(options?: Calling): Promise<Night | null>
  /**
   * Run the maintenance of this scope for the last local day that is due, as far as it is not done yet.
   *
   * The engine runs it, and sees all; its counts and notes are returned to callers who may see all.
   *
   * Needs the right `learn`.
   */
  run(options?: Calling): Promise<Night>
}

export interface EpisodesOperations {
  /**
   * Record the actions of a finished run: its steps, approvals, and end.
   *
   * Its purpose and partial results are content, such as a mail, and are not recorded.
   *
   * Needs the right `write`.
   * @param run The state of one run.
   */
  endRun(run: WorkingMemory, options?: EpisodesEndRunOptions): Promise<SavedEpisode[]>
  /**
   * Return episodes that the scope sees, the latest first.
   *
   * Needs the right `read`.
   */
  list(options?: EpisodesListOptions): Promise<Episode[]>
  /**
   * Record an episode. The detector counts it tonight; after 30 days it is summarised with its week.
   *
   * Needs the right `write`.
   * @param summary a summary of the action without its content, such as removed semicolon from third paragraph, in 1 to 100 characters.
   */
  record(summary: string, options?: EpisodesRecordOptions): Promise<SavedEpisode>
  /**
   * Record several episodes in one transaction: all of them, or none.
   *
   * Needs the right `write`.
   */
  recordMany(episodes: NewEpisode[], options?: Calling): Promise<SavedEpisode[]>
  /**
   * Restore the episodes that a compact record summarises, in its place.
   *
   * Needs the right `write`.
   */
  restore(id: string, options?: Calling): Promise<Episode[]>
  /**
   * Record feedback or behaviour that is no episode of its own; the detector counts it.
   *
   * Needs the right `write`.
   * @param type its type: draft_modified (attribute part), approval_rejected (reason), routed_differently (from, to), exception_surfaced or correction (did, changed_to).
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
   * Return the valid fact of a key, now or at a time, of the nearest scope.
   *
   * Needs the right `read`.
   */
  get(key: string, options?: FactsGetOptions): Promise<Fact>
  /**
   * Return all facts of this very scope under a key, the latest first.
   *
   * Needs the right `read`.
   */
  history(key: string, options?: Calling): Promise<Fact[]>
  /**
   * Return all valid facts, now or at a time; each key once, of the nearest scope; by category and key.
   *
   * Needs the right `read`.
   */
  list(options?: FactsListOptions): Promise<Fact[]>
  /**
   * Set the fact of a key from a time on. The earlier fact ends then, and stays in the history.
   *
   * Needs the right `write`.
   * @param key a stable name, such as contact/bertelli/tone.
   * @param value a text, a number, a truth value, or lists and mappings of these.
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
   * Change the class of a memory, also to a lower one; memories derived from it follow, as far as they may.
   *
   * Needs the right `operate`.
   * @param classification public, internal, confidential or restricted.
   * @param reason for the audit log, in 1 to 200 characters.
   */
  classify(id: string, classification: string, reason: string, options?: Calling): Promise<Memory>
  /**
   * Return an overview of this scope and of those under it: memories, due work, and the state of the log.
   *
   * Callers who may read costs get the budgets, projected to the end of their period.
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
  check(options?: Calling): Promise<Archived>
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
  importArchive(reason: string, options?: Calling): Promise<Taken>
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
   * Return a signed checkpoint of the audit log of this tenant, to keep out of reach of the store.
   *
   * Needs the right `operate`.
   */
  checkpoint(options?: Calling): Promise<Checkpoint>
  /**
   * Return the entries of this scope and of those under it, the latest first.
   *
   * Needs the right `operate`.
   */
  list(options?: GovernanceAuditListOptions): Promise<AuditRow[]>
  /**
   * Verify the audit log of this tenant: that no entry was changed, moved or removed.
   *
   * Entries removed from its end are detected only by a checkpoint that was kept elsewhere.
   *
   * Needs the right `operate`.
   */
  verify(options?: GovernanceAuditVerifyOptions): Promise<Verified>
}

export interface GovernanceErasureOperations {
  /**
   * Permanently erase a user, agent, project, tenant, session or memories, and return a signed receipt.
   *
   * Other callers are served meanwhile. The same call continues an erasure that was interrupted.
   *
   * Needs the right `govern`.
   * @param reason for the audit log, in 1 to 200 characters.
   */
  erase(reason: string, options?: GovernanceErasureEraseOptions): Promise<Receipt>
  /**
   * Find the memories of this scope, and of those under it, that name a person, for review before an erasure.
   *
   * Needs the right `govern`.
   * @param person the name, as a whole word or words in any case of letters.
   */
  findMentions(person: string, options?: GovernanceErasureFindMentionsOptions): Promise<Naming[]>
  /**
   * Return the plan of an erasure: its rows, and its obstacles; nothing is changed.
   *
   * Needs the right `govern`.
   */
  plan(options?: GovernanceErasurePlanOptions): Promise<ErasurePlan>
  /**
   * Return the receipts of the erasures in this scope and in those under it, the latest first.
   *
   * Needs the right `govern`.
   */
  receipts(options?: GovernanceErasureReceiptsOptions): Promise<Receipt[]>
}

export interface GovernanceHoldsOperations {
  /**
   * Return the legal holds on this scope: those of wider ones, its own, and those of narrower ones.
   *
   * Needs the right `operate`.
   */
  list(options?: Calling): Promise<LegalHold[]>
  /**
   * Place a legal hold: nothing of this scope and of those under it is deleted, by any caller.
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
   * Return the redaction of each kind of personal data in this scope.
   *
   * Needs the right `read`.
   */
  list(options?: Calling): Promise<Effective[]>
  /**
   * Set the redaction of a kind of personal data that is written in this scope, or under it, from now on.
   *
   * Of the redactions of wider scopes, too, the strictest applies. Stored memories stay as they are.
   *
   * Needs the right `operate`.
   * @param datum card, iban, identity, email, phone, ip, person or place; the last two, names, are detected by a model of English, which the extra names installs.
   * @param redaction off, tag, mask or refuse.
   */
  set(datum: string, redaction: string, options?: Calling): Promise<Effective[]>
  /**
   * Remove the redaction of a kind of personal data that is set for this scope.
   *
   * Needs the right `operate`.
   */
  unset(datum: string, options?: Calling): Promise<Effective[]>
}

export interface GovernanceRetentionOperations {
  /**
   * Return the memories of this scope, and of those under it, that the next night deletes; nothing is changed.
   *
   * Needs the right `operate`.
   */
  findExpired(options?: GovernanceRetentionFindExpiredOptions): Promise<Expired[]>
  /**
   * Permanently remove deleted memories of this exact scope at once, and return their number.
   *
   * Needs the right `operate`.
   */
  hardDelete(ids: string[], reason: string, options?: Calling): Promise<number>
  /**
   * Return true if this caller can read a memory: it exists, is not deleted, and not closed to the caller.
   *
   * Needs the right `read`.
   */
  isAccessible(id: string, options?: Calling): Promise<boolean>
  /**
   * Return the policies of this scope: its own, those of wider ones and, for an operator, of narrower ones.
   *
   * Needs the right `read`.
   */
  list(options?: Calling): Promise<RetentionPolicy[]>
  /**
   * Return the deleted memories of this scope, and of those under it, that can be restored.
   *
   * Needs the right `operate`.
   */
  listSoftDeleted(options?: GovernanceRetentionListSoftDeletedOptions): Promise<SoftDeleted[]>
  /**
   * Delete the memories due in this scope and those under it, and remove old deleted ones, as each night.
   *
   * Needs the right `operate`.
   */
  run(options?: GovernanceRetentionRunOptions): Promise<Retained>
  /**
   * Keep memories for a number of days after they were recorded; of several policies the shortest applies.
   *
   * Needs the right `operate`.
   * @param name what the policy is called here, in 1 to 100 characters; what stood under it is replaced.
   * @param keepDays 1 to 36,500.
   */
  set(name: string, keepDays: number, options?: GovernanceRetentionSetOptions): Promise<RetentionPolicy[]>
  /**
   * Delete memories of this exact scope, and return their number; they can be restored for thirty days.
   *
   * Memories derived from them stay; `Memory.delete` also deletes those derived from one memory alone.
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
   * @param lender the project that lends.
   * @param reader the project that reads; it lends nothing by that.
   * @param reason why, in 1 to 200 characters; it stands in the audit log of both.
   */
  grant(lender: string, reader: string, reason: string, options?: Calling): Promise<Granted[]>
  /**
   * Return the transfers of this tenant, by the lending project.
   *
   * Needs the right `operate`.
   */
  list(options?: Calling): Promise<Granted[]>
  /**
   * Revoke a transfer, and erase its copies.
   *
   * Needs the right `operate`.
   * @param lender as they were granted.
   * @param reader as they were granted.
   * @param reason why, in 1 to 200 characters; it stands in the audit log of both.
   */
  revoke(lender: string, reader: string, reason: string, options?: Calling): Promise<Granted[]>
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
   * Record turns of imported chats in one transaction; existing ones stay as they are.
   *
   * A conversation is known by its name alone, a turn by its position in it. For long chats call it with the
   * pieces that `importers.batches` cuts, so that an import that is interrupted and run again writes the same
   * pieces.
   *
   * Needs the right `write`.
   */
  importTurns(turns: Turn[], options?: Calling): Promise<Imported>
  /**
   * Record several messages in one transaction: all of them, or none.
   *
   * Needs the right `write`.
   */
  recordMany(messages: NewMessage[], options?: Calling): Promise<SavedMessage[]>
}

export interface NotesOperations {
  /**
   * Show the notes on a chunk of messages that wait for review by the setting `observe_review`.
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
   * Return the chunks that no model could observe, the latest first; contexts show their messages.
   *
   * Needs the right `read`.
   */
  failed(options?: NotesFailedOptions): Promise<Chunk[]>
  /**
   * Return the notes on a conversation that an agent reads: observations and reflections, in their order.
   *
   * Needs the right `read`.
   */
  log(session: string, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * Observe all messages that wait in a session, show the notes, and return the number of observed chunks.
   *
   * Needs the right `learn`.
   */
  observe(session: string, options?: Calling): Promise<number>
  /**
   * Return the notes on a chunk of messages, shown or not; without those that a reflection replaced.
   *
   * Needs the right `read`.
   * @param first the number of its first message.
   */
  ofChunk(session: string, first: number, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * Consolidate the log of a session, or every log of the scope, and return the number of tokens saved.
   *
   * Needs the right `learn`.
   */
  reflect(options?: NotesReflectOptions): Promise<number>
  /**
   * Observe a chunk of messages again, replace its notes, and return it; its state is the result.
   *
   * Needs the right `learn`.
   * @param first the number of its first message.
   */
  retry(session: string, first: number, options?: Calling): Promise<Chunk>
}

export interface ObservationsOperations {
  /**
   * Delete the memories of this exact scope that match a filter, in one transaction, 10,000 at most.
   *
   * `restore_many` restores all of them. Memories that were derived from them alone are deleted, too, and those
   * under a legal hold are kept.
   *
   * Needs the right `write`.
   * @param filter Conditions on memories; all that are set must match. Dates are inclusive.
   *
   * Its fields are converted when it is made: names to members of their enums, sequences to tuples, times to UTC.
   */
  deleteMany(filter: Filter, options?: ObservationsDeleteManyOptions): Promise<Deletion>
  /**
   * Restore all memories of this exact scope that one `delete_many` has deleted, within thirty days.
   *
   * Needs the right `write`.
   * @param deletedAt as delete_many returned it.
   */
  restoreMany(deletedAt: Time, options?: Calling): Promise<Restoration>
  /**
   * Save several claims in one transaction: all of them, or none; see `Memory.save`.
   *
   * Needs the right `write`.
   */
  saveMany(observations: NewObservation[], options?: Calling): Promise<SavedObservation[]>
}

export interface PatternsOperations {
  /**
   * Return the active patterns, in the order in which they were detected.
   *
   * Needs the right `read`.
   */
  list(options?: PatternsListOptions): Promise<(Observation | Reflection)[]>
  /**
   * Merge the evidence of an observation into another one; the first is then out of recall.
   *
   * Needs the right `learn`.
   */
  merge(into: string, other: string, options?: Calling): Promise<Observation | Reflection>
  /**
   * Exclude an observation or a fact from every recall and context until it is resumed.
   *
   * Needs the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Make an observation or a fact active again that was paused or retired.
   *
   * Needs the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Retire an observation or a fact; it is kept, and not detected again.
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
  add(rule: string, options?: RulesAddOptions): Promise<Procedure>
  /**
   * Change the wording of a rule; the earlier one is kept.
   *
   * Needs the right `learn`.
   */
  edit(id: string, rule: string, options?: RulesEditOptions): Promise<Procedure>
  /**
   * Return the active rules that the scope sees, oldest first.
   *
   * Needs the right `read`.
   */
  list(options?: RulesListOptions): Promise<Procedure[]>
  /**
   * Exclude a rule until it is resumed.
   *
   * Needs the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Procedure>
  /**
   * Return the observations that would be rules if they fitted, each with the obstacle.
   *
   * Needs the right `read`.
   */
  refused(options?: Calling): Promise<Refused[]>
  /**
   * Make a paused rule active again.
   *
   * Needs the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Procedure>
  /**
   * Retire a rule; it is kept.
   *
   * Needs the right `learn`.
   */
  retire(id: string, options?: Calling): Promise<Procedure>
}

export interface ScoresOperations {
  /**
   * Set the boost of a memory's score, from 0 to 1.
   *
   * Needs the right `learn`.
   */
  boost(id: string, boost: number, options?: Calling): Promise<Standing>
  /**
   * Return the score of a memory and its parts.
   *
   * Needs the right `read`.
   */
  get(id: string, options?: Calling): Promise<Standing>
  /**
   * Return the changes of a memory's weight by the outcomes of sessions, the earliest first.
   *
   * Needs the right `read`.
   */
  history(id: string, options?: Calling): Promise<Move[]>
  /**
   * Pin a memory: its importance does not decay, and it is not archived.
   *
   * Needs the right `learn`.
   */
  pin(id: string, options?: Calling): Promise<Standing>
  /**
   * Set the rating of a memory, from 0 to 1.
   *
   * Needs the right `learn`.
   */
  rate(id: string, rating: number, options?: Calling): Promise<Standing>
  /**
   * Unpin a memory: its importance decays again.
   *
   * Needs the right `learn`.
   */
  unpin(id: string, options?: Calling): Promise<Standing>
}

export interface SessionsOperations {
  /**
   * Close a session; closing it again changes nothing. Its last messages are observed now.
   *
   * Needs the right `write`.
   */
  end(session: string, options?: Calling): Promise<Session>
  /**
   * Execute a task with the configured model and memory; record both sides, and reflect on request.
   *
   * It is `reply` with an account of memories and costs. Where the model fails, the task stays recorded; with the
   * same key it is not recorded again.
   *
   * Needs the right `write`.
   */
  execute(task: string, options?: SessionsExecuteOptions): Promise<Executed>
  /**
   * Stream the answer to a task in pieces of text as the model writes it; the result of `execute` comes last.
   *
   * An answer that is interrupted, or not read to its end, is not recorded. Errors are raised with the first piece
   * at the latest, and are those of `execute`.
   *
   * Needs the right `write`.
   */
  executeStream(task: string, options?: SessionsExecuteStreamOptions): Pieces<Executed>
  /**
   * Return the injections of memories into the prompts of a session, the latest first.
   *
   * Needs the right `read`.
   */
  injections(session: string, options?: SessionsInjectionsOptions): Promise<Injection[]>
  /**
   * Return the scope's sessions, the latest active first.
   *
   * Needs the right `read`. With `all_scopes`, `operate` too.
   */
  list(options?: SessionsListOptions): Promise<Session[]>
  /**
   * Record a message, have the configured model answer it from memory, and record the answer too.
   *
   * Where the model fails, the message stays recorded; with the same key it is not recorded again.
   *
   * Needs the right `write`.
   * @param session opened if it is new.
   */
  reply(session: string, text: string, options?: SessionsReplyOptions): Promise<Reply>
  /**
   * Stream a reply in pieces of text as the model writes it; the recorded `Reply` comes last.
   *
   * An answer that is interrupted, or not read to its end, is not recorded. Errors are raised with the first piece
   * at the latest, and are those of `reply`.
   *
   * Needs the right `write`.
   */
  replyStream(session: string, text: string, options?: SessionsReplyStreamOptions): Pieces<Reply>
  /**
   * Set the outcome of a session: it changes the weight of the memories that the agent read in it.
   *
   * The same outcome again changes nothing.
   *
   * Needs the right `learn`.
   * @param outcome accepted, rejected or rework.
   */
  setOutcome(session: string, outcome: string, options?: Calling): Promise<Move[]>
  /**
   * Open a session, or resume the one of that id; without an id, the scope's one unnamed active session.
   *
   * Needs the right `write`.
   */
  start(options?: SessionsStartOptions): Promise<Started>
  /**
   * Return a conversation in numbers: of verbatim messages, notes, and messages that wait for an observer.
   *
   * Needs the right `read`.
   */
  stats(session: string, options?: Calling): Promise<Distilled>
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
  around(id: string, options?: TimelineAroundOptions): Promise<Around>
  /**
   * Return the messages and observations between two dates, newest first.
   *
   * Needs the right `read`.
   */
  between(options?: TimelineBetweenOptions): Promise<Page>
  /**
   * Return the memories that were learned, changed and retired between two times.
   *
   * Needs the right `read`.
   */
  diff(earlier: Time, later: Time, options?: Calling): Promise<Diff>
  /**
   * Return every version of a memory, oldest first: its wording since when, with its author and source.
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
