// Made by generate.py from the document of the service; not to be edited.

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

/** A limit and what of it is spent. */
export interface Budget {
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

export type CallPurpose = 'observe' | 'reflect' | 'detect' | 'summarise' | 'answer' | 'ask' | 'embed' | 'rerank'

export type Category = 'writing-style' | 'rhythm' | 'people' | 'tools' | 'decisions'

/** A record as it read at the earlier and at the later time. */
export interface Changed {
  before: Memory
  after: Memory
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
  budgets: Budget[]
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

/** A conversation that is not what was imported from its place before. */
export interface Differing {
  session: string
  /** how many of its messages were not there. */
  new: number
  /** how many that were imported from there stand in it no more; they are kept. */
  missing: number
  /** whether it was taken as a conversation of its own. */
  apart: boolean
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

/** What is done with a kind of personal data in a scope: the strictest redaction of all that hold there. */
export interface Effective {
  datum: Datum
  redaction: Redaction
  /** what is set for the exact scope; null where nothing is. */
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
  /** which kind of memory it is */
  kind: 'episode'
  /** in which layer it is */
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
  /** which kind of memory it is */
  kind: 'fact'
  /** in which layer it is */
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

/** How many turns were created, and how many were there already. */
export interface Imported {
  created: number
  deduped: number
}

/** What was imported of a file. */
export interface ImportedFile {
  /** how many messages. */
  created: number
  /** how many were there already. */
  deduped: number
  /** how many were not brought back, because they were erased. */
  erased: number
  /** conversations that are not what was imported from their place before. */
  differing: Differing[]
  /** what could not be read as it stands. */
  unread: Unread[]
  /** what was not taken. */
  left_out: LeftOut[]
  /** of an export of ours, how many memories of each kind were created. */
  kinds: { [name: string]: number }
}

/** What is to be put before an agent now. */
export interface Injected {
  /** a sealed block; "" where there is nothing worth it, or the way is switched off. */
  text: string
  /** ids of the memories in it, or of those that would have been. */
  records: string[]
  /** of the very text. */
  tokens: number
  /** ids of the memories for which there was no room. */
  dropped: string[]
  /** what was not as usual, such as that an embedder was too slow. */
  notes: string[]
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

/** Something of a file that was not taken: its place, such as `line 3`, and why. */
export interface LeftOut {
  where: string
  reason: string
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
  /** which kind of memory it is */
  kind: 'message'
  /** in which layer it is */
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

/** An episode: what was done; see `Episodes.record` for its parts. */
export interface NewEpisode {
  session?: string | null
  /** when it was said or done, with its zone; now, if not given. */
  occurredAt?: Time | null
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  tags?: string[] | null
  metadata?: { [name: string]: JsonValue }
  author?: string
  source?: string
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  summary: string
  event?: string
  outcome?: string | null
  contact?: string
  entities?: Entity[]
  attributes?: { [name: string]: string | number | boolean }
  classification?: string | null
}

/** A message: what was said; see `Memory.record` for its parts. */
export interface NewMessage {
  session?: string | null
  /** when it was said or done, with its zone; now, if not given. */
  occurredAt?: Time | null
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  tags?: string[] | null
  metadata?: { [name: string]: JsonValue }
  author?: string
  source?: string
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  text: string
  role?: string
  speaker?: string
  /** more of it in parts, as chats have them: {"type": "text", "text": "…"}, an image with its address. */
  content?: { [name: string]: JsonValue }[]
  /** the tools that it calls: {"name": "…", "arguments": {…}}, or such under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  trust?: string | null
  classification?: string | null
}

/** An observation: a claim; see `Memory.save` for its parts. */
export interface NewObservation {
  session?: string | null
  /** when it was said or done, with its zone; now, if not given. */
  occurredAt?: Time | null
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  tags?: string[] | null
  metadata?: { [name: string]: JsonValue }
  author?: string
  source?: string
  /** no tags and .5 for a new record, if not given; of one that stands they stay. */
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
  text: string
  type?: string | null
  title?: string | null
  topicKey?: string | null
  layer?: string | null
  customType?: string | null
  evidence?: string[]
  validUntil?: Time | null
  trust?: string | null
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
  /** which kind of memory it is */
  kind: 'observation'
  /** in which layer it is */
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
  /** which kind of memory it is */
  kind: 'procedure'
  /** in which layer it is */
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
  /** which kind of memory it is */
  kind: 'reflection'
  /** in which layer it is */
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
  /** tokens of the prefix that a provider can keep. */
  cacheable: number
  /** ids of what did not fit, by slot; what has none is exchange 1 of the history, task, working or today. */
  dropped: { [name: string]: string[] }
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
  /** which kind of memory it is */
  kind: 'signal'
  /** in which layer it is */
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

/** What a scope sees, in numbers. */
export interface Stats {
  /** how many, by kind/status. */
  records: { [name: string]: number }
  sessions: number
  /** wordings of the whole store that have no vectors yet; 0 without an embedder, or for who may not operate the store. */
  unembedded: number
  /** name and version of the vectors that serve, or "". */
  embedder: string
  /** what is asked to judge anew what is recalled, as provider:name, or "". */
  reranker: string
  /** size of the store on disk; 0 for who may not operate it. */
  bytes: number
  /** how often something was done in this exact scope; null for whom anything is closed. */
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

/** One thing that was said, wherever it was written down. */
export interface Turn {
  /** names the dialogue within its format; the same dialogue has the same name on every machine. "" in a file that gives it no id which no other has: the file and what was said tell it apart. */
  conversation: string
  /** names one sitting of that dialogue; unique within the conversation. */
  session: string
  /** counts the turns of the conversation from 0. */
  position: number
  role: string
  text: string
  speaker?: string
  /** when it was said (aware), or null where the format does not tell. */
  occurredAt?: Time | null
  /** what stands in where no turn says when: the conversation's own time, or the file's. */
  writtenAt?: Time | null
  /** the format's own id of the turn, or "". */
  reference?: string
  metadata?: { [name: string]: string }
  /** its place in its file, such as line 3. */
  where?: string
}

export type Unit = 'money' | 'tokens'

/** The gaps of one kind in a chat: how many, and the first of them. */
export interface Unread {
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

/** A memory, and what it was concluded from, down to the words that were said and the things that were done. */
export interface Why {
  record: Memory
  /** what people have said of it. */
  said: Said[]
  /** those that are still there, each once in the whole chain. */
  sources: Why[]
  /** ids of sources that were erased, or that this scope may not see. */
  gone: string[]
}

/** The state of one run. */
export interface WorkingMemory {
  /** what the run is for */
  payload: string
  /** what was noted of it, in order */
  entries?: Entry[]
}

export interface AskOptions extends Calling {
  /** how many hits at most, 1 to 1,000. */
  limit?: number
  /** of the lines that the model reads; what does not fit is left out whole. */
  maxTokens?: number
  /** as for recall. */
  profile?: string
  /** as for recall. */
  kinds?: string[]
  /** as for recall. */
  types?: string[]
  layers?: string[]
  /** as for recall. */
  tags?: string[]
  /** as for recall. */
  sessions?: string[]
  /** as for recall. */
  since?: Time | null
  /** as for recall. */
  until?: Time | null
  /** as for recall. */
  classifications?: string[]
  /** as for recall. */
  authors?: string[]
  /** as for recall. */
  sources?: string[]
  /** as for recall. */
  metadata?: { [name: string]: string | number | boolean } | null
  /** as for recall. */
  minimumTrust?: string
  /** as for recall. */
  minimumImportance?: number
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** when the question is asked; "last week" is counted from here. */
  now?: Time | null
  /** false leaves no trace of the reading. */
  touch?: boolean
}

export interface AskStreamOptions extends Calling {
  limit?: number
  maxTokens?: number
  profile?: string
  kinds?: string[]
  types?: string[]
  layers?: string[]
  tags?: string[]
  sessions?: string[]
  since?: Time | null
  until?: Time | null
  classifications?: string[]
  authors?: string[]
  sources?: string[]
  metadata?: { [name: string]: string | number | boolean } | null
  minimumTrust?: string
  minimumImportance?: number
  asOf?: Time | null
  now?: Time | null
  touch?: boolean
}

export interface ContextOptions extends Calling {
  /** whose conversation; what is not there yet is an empty one. */
  session?: string | null
  /** what is asked now, which brings what it recalls; else the last message of a user does. Of a very long one the beginning is searched for. */
  question?: string
  /** what is to be done; it stands in the block, and is what recalls where nothing is asked. One that is longer than its slot leaves room for is told in short, and kept as a message to ask for. */
  task?: string
  /** exchanges with tools, oldest first; too many are told in short, and kept as a message to ask for. */
  history?: string[]
  /** the state of the run, such as WorkingMemory.render(). */
  working?: string
  /** tokens of the model's window, 1,000 or more, and 3,000 for a conversation; the setting context_window, if not given. */
  window?: number | null
  /** for coding: bug_fix, refactor, feature, chore or unknown, which bounds the memory. */
  workType?: string | null
  /** whom it concerns: what was done is then that with this contact. */
  contact?: string | null
  /** caps in tokens by the names of the setting slots, before those that it sets; all are in the report. */
  slots?: { [name: string]: number } | null
  /** markdown or tags. */
  format?: string
  /** false leaves out what the question recalls. */
  recall?: boolean
  /** false leaves no trace of the reading. */
  touch?: boolean
  /** the block as it could have been made then: of what was known, as it then read, and as much of the conversation. Nothing is observed for it and no trace left; what was deleted since is in no past. */
  asOf?: Time | null
}

export interface DeleteOptions extends Calling {
  /** names it in place of its id. */
  topicKey?: string | null
  erase?: boolean
  /** at which it must be still; any, if not given. */
  revision?: number | null
}

export interface EditOptions extends Calling {
  text?: string | null
  /** "" makes it the first line of the text again. */
  title?: string | null
  type?: string | null
  /** all that it is to have; an empty list takes them away. */
  tags?: string[] | null
  /** what comes to its own; a name with null is taken away. */
  metadata?: { [name: string]: JsonValue } | null
  importance?: number | null
  /** raises it, and never lowers it. */
  classification?: string | null
  /** who says so; whoever works with the memory, if not given. */
  author?: string
  source?: string
  /** when it was said; now, if not given and the text is another. */
  occurredAt?: Time | null
  /** until when it is valid; as before, if not given. */
  validUntil?: Time | null
  /** at which it must be still; any, if not given. */
  revision?: number | null
}

export interface ExecuteOptions extends Calling {
  /** opened if it is not there; without one, the scope's unnamed active session. */
  session?: string | null
  /** who gives the task. */
  speaker?: string
  /** what the model is told beside. */
  instructions?: string
  /** whom it concerns: what was done is then that with this contact. */
  contact?: string | null
  /** have the model say what the task has taught, if anything, and keep it as a reflection with its evidence; where that fails, a note says why. */
  reflect?: boolean
  /** an idempotency key of the task. */
  key?: string | null
}

export interface ExecuteStreamOptions extends Calling {
  session?: string | null
  speaker?: string
  instructions?: string
  contact?: string | null
  reflect?: boolean
  key?: string | null
}

export interface ExplainOptions extends Calling {
  limit?: number
  maxTokens?: number | null
  profile?: string
  /** false explains the order as it is ranked. */
  rerank?: boolean
}

export interface GetOptions extends Calling {
  /** of what several scopes hold under one key, what the nearest one holds. */
  topicKey?: string | null
  /** what is deleted is in no past, until it is restored. */
  asOf?: Time | null
}

export interface HistoryOptions extends Calling {
  topicKey?: string | null
}

export interface ListOptions extends Calling {
  kinds?: string[]
  types?: string[]
  layers?: string[]
  tags?: string[]
  sessions?: string[]
  /** those that are live, active and, of episodes, raw, if none is named. */
  statuses?: string[]
  classifications?: string[]
  /** as for recall. */
  authors?: string[]
  /** as for recall. */
  sources?: string[]
  /** as for recall. */
  metadata?: { [name: string]: string | number | boolean } | null
  /** bounds of when it was said or done, inclusive. */
  since?: Time | null
  /** bounds of when it was said or done, inclusive. */
  until?: Time | null
  limit?: number
  cursor?: string | null
  /** those of that time, as they then read; the filters are asked of that, too. */
  asOf?: Time | null
  /** those of this scope and of the scopes under it: from the tenant's own scope, the whole tenant. */
  allScopes?: boolean
}

export interface RecallOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
  /** leave out whole hits that would pass this many tokens together. */
  maxTokens?: number | null
  /** the ranking: default, behavioural, search, session, or a bare arm, lexical or semantic. */
  profile?: string
  kinds?: string[]
  types?: string[]
  layers?: string[]
  /** all of them must be on a hit. */
  tags?: string[]
  sessions?: string[]
  /** bounds of when it was said or done, inclusive. */
  since?: Time | null
  /** bounds of when it was said or done, inclusive. */
  until?: Time | null
  /** only of these; all that the caller may see, if none is named. */
  classifications?: string[]
  /** only what one of these wrote, by the name as it is stored. */
  authors?: string[]
  /** only what came in so: tool, auto-capture, user, import, observer or detector. */
  sources?: string[]
  /** only what has all of these names with these values at the top of its metadata: texts, numbers and truth values. */
  metadata?: { [name: string]: string | number | boolean } | null
  minimumTrust?: string
  minimumImportance?: number
  /** answer with what was known then, as it then read. */
  asOf?: Time | null
  /** when the question is asked; "last week" is counted from here. */
  now?: Time | null
  /** some of lexical, semantic, temporal; all, if none is named. */
  arms?: string[]
  /** the question's own unit vector, with the space it is of. */
  vector?: number[] | null
  /** The vectors of one model: never compared with those of another. */
  space?: Space | null
  /** false gives the best hits whatever the confidence. */
  abstain?: boolean
  /** false leaves no trace of the reading. */
  touch?: boolean
  /** false leaves the order as it is ranked, whatever the setting reranker names. */
  rerank?: boolean
}

export interface RecordOptions extends Calling {
  /** user, assistant, system or tool; what a tool said is untrusted unless trust says otherwise. */
  role?: string
  /** opened if it is not there; without one, the scope's unnamed active session. */
  session?: string | null
  speaker?: string
  /** more of it in parts, as chats have them: {"type": "text", "text": "…"}; of what is no text, the kind, the name and the address are kept. text may then be empty. */
  content?: { [name: string]: JsonValue }[]
  /** the tools that it calls: {"name": "…", "arguments": {…}}, or such under function. */
  toolCalls?: { [name: string]: JsonValue }[]
  /** when it was said, with its zone; now, if not given. */
  occurredAt?: Time | null
  tags?: string[] | null
  metadata?: { [name: string]: JsonValue } | null
  author?: string
  source?: string
  trust?: string | null
  classification?: string | null
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface ReplyOptions extends Calling {
  speaker?: string
  /** what the model is told beside, in each turn the same. */
  instructions?: string
  /** an idempotency key of what was said. */
  key?: string | null
}

export interface ReplyStreamOptions extends Calling {
  speaker?: string
  instructions?: string
  key?: string | null
}

export interface SaveOptions extends Calling {
  /** profile, preference, decision, pattern or discovery, unless the deployment has others; discovery, if not given. */
  type?: string | null
  title?: string | null
  /** a stable name; a later save under it replaces this one's wording and keeps the earlier as a revision. What that save does not say stays as it is. */
  topicKey?: string | null
  /** opened, or resumed, by its name; without one, the active session of the scope that was used last, if there is one. One left alone for 24 hours is closed with a summary, and the next is opened. */
  session?: string | null
  tags?: string[] | null
  /** what comes to that of an earlier one; a name with null is taken away. */
  metadata?: { [name: string]: JsonValue } | null
  /** ids of the memories it rests on; it inherits their least trust and highest classification. */
  evidence?: string[]
  occurredAt?: Time | null
  /** until when it is valid, with its zone, exclusive: then it is archived, and in reads of the past alone. Saved again after that, it is valid again. */
  validUntil?: Time | null
  author?: string
  source?: string
  trust?: string | null
  /** raises what its evidence gives it, internal at least, and never lowers it. */
  classification?: string | null
  /** in [0, 1]; .5, if not given. */
  importance?: number | null
  /** semantic, if not given; reflective saves a reflection. */
  layer?: string | null
  /** a type of your own in place of type, which the deployment does not have to allow. */
  customType?: string | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface ArchivesReportOptions extends Calling {
  /** a name by which everybody else's memories are looked through, too */
  person?: string | null
  /** `markdown` or `jsonl` */
  form?: string
}

export interface AuditListOptions extends Calling {
  /** when, both inclusive. */
  since?: Time | null
  /** when, both inclusive. */
  until?: Time | null
  /** such as created, erased or read. */
  action?: string | null
  /** of what it was done, such as observation; of a read, the method, such as recall. */
  kind?: string | null
  /** through which, such as library, rest or cli. */
  door?: string | null
  /** by whom. */
  actor?: string | null
  /** to which memory, or of which somebody was told, by its id. */
  memory?: string | null
  /** the number of the entry before which to go on. */
  before?: number | null
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface AuditVerifyOptions extends Calling {
  /** what checkpoint gave earlier. */
  against?: Checkpoint | null
}

export interface ContextsBlockOptions extends Calling {
  /** the most that the block may have; whole hits are left out, and named. */
  maxTokens?: number | null
}

export interface ContextsBriefOptions extends Calling {
  session?: string | null
  /** the most that the block may have; the setting start_tokens, if not given. */
  maxTokens?: number | null
  /** false leaves no trace of the reading. */
  touch?: boolean
}

export interface ContextsInjectOptions extends Calling {
  session?: string | null
  /** the most that the block may have. */
  maxTokens?: number
  /** false leaves no trace of the reading. */
  touch?: boolean
}

export interface ContextsInjectionsOptions extends Calling {
  /** how many memories, 1 to 1,000. */
  limit?: number
}

export interface ContextsRemindOptions extends Calling {
  session?: string | null
  /** how many memories at most, 1 to 1,000. */
  limit?: number
  /** the most that the block may have. */
  maxTokens?: number
  /** false leaves no trace of the reading. */
  touch?: boolean
}

export interface EpisodesEndRunOptions extends Calling {
  /** done, failed or rolled back. */
  ended?: string
  contact?: string
  session?: string | null
  /** what the run did as a whole; else its steps, results and approvals are counted. */
  summary?: string
}

export interface EpisodesListOptions extends Calling {
  /** whom they concern first; "" for those that concern nobody. */
  contact?: string | null
  /** raw, weekly or monthly. */
  tier?: string | null
  since?: Time | null
  until?: Time | null
  /** whether those that a compact record stands for are listed too. */
  superseded?: boolean
  /** 1 to 1,000. */
  limit?: number
  /** those of that time, as they then read. */
  asOf?: Time | null
}

export interface EpisodesRecordOptions extends Calling {
  /** action_completed, approval_approved, approval_rejected, approval_modified, exception_raised or user_correction. */
  event?: string
  /** done, approved, rejected, modified or exception; that of the event, if not given. */
  outcome?: string | null
  /** whom it concerns; the same as a first entity of the type contact. */
  contact?: string
  entities?: Entity[]
  /** what can be counted of it: names to text, numbers and truths. */
  attributes?: { [name: string]: string | number | boolean } | null
  session?: string | null
  occurredAt?: Time | null
  tags?: string[]
  metadata?: { [name: string]: JsonValue } | null
  author?: string
  source?: string
  classification?: string | null
  importance?: number | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface EpisodesSignalOptions extends Calling {
  summary?: string
  contact?: string
  entities?: Entity[]
  attributes?: { [name: string]: string | number | boolean } | null
  session?: string | null
  occurredAt?: Time | null
  author?: string
  key?: string | null
}

export interface ErasuresEraseOptions extends Calling {
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

export interface ErasuresNamedOptions extends Calling {
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface ErasuresPlanOptions extends Calling {
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

export interface ErasuresReceiptsOptions extends Calling {
  /** only of what was erased by this name, such as user and ana; of memories their ids, with a blank between two. A receipt names nobody: that it is this one's is told by the store's key. */
  subject?: string | null
  /** only of what was erased by this name, such as user and ana; of memories their ids, with a blank between two. A receipt names nobody: that it is this one's is told by the store's key. */
  name?: string | null
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface FactsEndOptions extends Calling {
  at?: Time | null
}

export interface FactsGetOptions extends Calling {
  /** what held then. */
  at?: Time | null
  /** what was known then; of that time itself, where at is not given. */
  asOf?: Time | null
}

export interface FactsListOptions extends Calling {
  category?: string | null
  /** what held then. */
  at?: Time | null
  /** what was known then; of that time itself, where at is not given. */
  asOf?: Time | null
}

export interface FactsSetOptions extends Calling {
  /** profile, contact, rule or setting. */
  category?: string
  /** since when, with its zone; now, if not given. */
  validFrom?: Time | null
  /** until when, exclusive. */
  validTo?: Time | null
  author?: string
  source?: string
  classification?: string | null
}

export interface GovernanceHoldOptions extends Calling {
  /** hold what is of this session alone. */
  session?: string | null
  /** hold what names this person alone, as a whole word or words in any case of letters. */
  person?: string | null
}

export interface JobsImportOptions extends Calling {
  /** what the file is called; a file of the same name that has grown is taken up where it ended */
  name?: string
  /** leave out what cannot be taken, instead of refusing the file */
  skipBad?: boolean
}

export interface JobsListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface KeysCreateOptions extends Calling {
  project?: string | null
  agent?: string | null
  user?: string | null
  /** that of the caller, if not given; never above it. */
  clearance?: string | null
  /** some of read, write, learn, govern, operate; none that the caller lacks. */
  rights?: string[]
  /** after which it expires; never, if not given. */
  days?: number | null
  /** the tenant of the key, for a caller who keeps the whole store; that of the caller, if not given. */
  tenant?: string | null
  /** at most 100 further tenants that it opens, for a caller who keeps the whole store. A request names the one that it means; without a name it is tenant. */
  tenants?: string[]
}

export interface KeysListOptions extends Calling {
  /** another one, for a caller who keeps the whole store; that of the caller, if not given. */
  tenant?: string | null
}

export interface KeysRevokeOptions extends Calling {
  /** another one, for a caller who keeps the whole store; that of the caller, if not given. */
  tenant?: string | null
}

export interface KeysRotateOptions extends Calling {
  /** another one, for a caller who keeps the whole store; that of the caller, if not given. */
  tenant?: string | null
}

export interface LearningDismissOptions extends Calling {
  person?: string
}

export interface LearningListOptions extends Calling {
  /** whether those that were paused, retired, rejected, dismissed, merged and archived are listed too. */
  all?: boolean
  /** those of that time, as they then read. */
  asOf?: Time | null
}

export interface LearningRightOptions extends Calling {
  /** who says so; each person counts once. Without a name: the caller's actor, the scope's user, or somebody. */
  person?: string
}

export interface LearningWrongOptions extends Calling {
  person?: string
}

export interface MessagesImportFileOptions extends Calling {
  /** what the file is called; a file of the same name that has grown is taken up where it ended */
  name?: string
  /** leave out what cannot be taken, instead of refusing the file */
  skipBad?: boolean
}

export interface ObservationsDeleteManyOptions extends Calling {
  kinds?: string[]
  types?: string[]
  layers?: string[]
  tags?: string[]
  sessions?: string[]
  /** active and, of episodes, raw, if none is named. */
  statuses?: string[]
  classifications?: string[]
  authors?: string[]
  sources?: string[]
  /** as for Memory.recall. */
  metadata?: { [name: string]: string | number | boolean } | null
  since?: Time | null
  until?: Time | null
  /** only count and name them. */
  dry?: boolean
}

export interface ProceduresAddOptions extends Calling {
  author?: string
  classification?: string | null
  /** when it was given, with its zone; now, if not given. */
  occurredAt?: Time | null
  metadata?: { [name: string]: JsonValue } | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface ProceduresEditOptions extends Calling {
  /** at which it must be still; any, if not given. */
  revision?: number | null
}

export interface ProceduresListOptions extends Calling {
  /** whether those that are paused, demoted and retired are listed too. */
  all?: boolean
  /** those of that time, as they then read. */
  asOf?: Time | null
}

export interface RetentionFindExpiredOptions extends Calling {
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface RetentionListSoftDeletedOptions extends Calling {
  /** how many at most, 1 to 1,000. */
  limit?: number
}

export interface RetentionRunOptions extends Calling {
  /** only count, of what is open to the caller. */
  dry?: boolean
}

export interface RetentionSetOptions extends Calling {
  /** of which memories; of all, where none is named. */
  kinds?: string[]
  /** of which memories; of all, where none is named. */
  classifications?: string[]
}

export interface SessionsDeadLettersOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
}

export interface SessionsListOptions extends Calling {
  /** 1 to 1,000. */
  limit?: number
  /** those of the scopes under this one, too: from the tenant's own scope, of the whole tenant. */
  allScopes?: boolean
}

export interface SessionsReflectNowOptions extends Calling {
  session?: string | null
}

export interface SessionsStartOptions extends Calling {
  id?: string | null
  /** false recalls and stores nothing: recording in the session is then refused. */
  record?: boolean
  /** the most that what is told of earlier sessions may have; the setting start_tokens, if not given. */
  maxTokens?: number | null
  /** false leaves no trace of the reading. */
  touch?: boolean
}

export interface SessionsSummariseOptions extends Calling {
  title?: string
  /** when it was written, with its zone; now, if not given. */
  occurredAt?: Time | null
  metadata?: { [name: string]: JsonValue } | null
  /** an idempotency key: the same key again returns the first result and writes nothing. */
  key?: string | null
}

export interface TimelineAroundOptions extends Calling {
  /** at most this many of them, 0 to 1,000. */
  before?: number
  /** at most this many of them, 0 to 1,000. */
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

export interface UpkeepCostsOptions extends Calling {
  /** 1 to 366, today among them. */
  days?: number
}

export interface UpkeepDoctorOptions extends Calling {
  mend?: boolean
  /** whether rows that another program removed or added are taken as they are, so that the next look is silent about them. */
  acceptLosses?: boolean
}

export interface UpkeepReindexOptions extends Calling {
  /** whether an outside vector index is built anew too, from the vectors that the store has. */
  vectors?: boolean
}

export interface Verbs {
  /**
   * Answer a question from memory, with citations that were held against what the model had read.
   *
   * Where recall abstains, or finds nothing, no model is asked and nothing is paid: it is not known. Without a model
   * the answer is what was recalled. An answer that cites nothing of what it was given goes back to the model once;
   * then it is not known either.
   *
   * Takes the right `read`.
   */
  ask(question: string, options?: AskOptions): Promise<Answer>
  /**
   * The same with the text piece by piece, as the model says it; last comes the `Answer`, which tells what holds.
   *
   * A piece may cite what is not there: that is known only at the end, and such an answer does not go back to the
   * model. It raises with the first piece at the latest.
   *
   * Takes the right `read`.
   */
  askStream(question: string, options?: AskStreamOptions): Pieces<Answer>
  /**
   * What an agent is to read before it answers: within its budget, and from turn to turn the same up to its end.
   *
   * With a session it is the conversation: what was noted of its older messages, and the newer ones as they were
   * said. Where too many wait, it observes them first. Without one it is what a task needs.
   *
   * Takes the right `read`.
   */
  context(options?: ContextOptions): Promise<Context>
  /**
   * Take a memory out of every read at once; it can be restored, unless `erase` removes it for good.
   *
   * Takes the right `write`. With `erase`, `govern` too.
   */
  delete(id: string, options?: DeleteOptions): Promise<null>
  delete(named: DeleteOptions & { topicKey: string }): Promise<null>
  /**
   * Change an observation of this scope; the earlier wording is kept, with who said it, and when.
   *
   * Takes the right `write`.
   */
  edit(id: string, options?: EditOptions): Promise<SavedObservation>
  /**
   * Do a task with the configured model and what memory holds; record both sides, and reflect if told to.
   *
   * It is `reply` with an account of what was read and paid. Where the model fails, the task stays recorded; with
   * the same key it is not recorded again.
   *
   * Takes the right `write`.
   */
  execute(task: string, options?: ExecuteOptions): Promise<Executed>
  /**
   * The same with the text piece by piece, as the model says it; last comes what `execute` gives.
   *
   * What breaks off, or is not read to its end, is not recorded as an answer. It raises with the
   * first piece at the latest.
   *
   * Takes the right `write`.
   */
  executeStream(task: string, options?: ExecuteStreamOptions): Pieces<Executed>
  /**
   * Why a memory is recalled for a question, or at which stage it is lost. A reranker that is there is asked.
   *
   * Takes the right `read`.
   */
  explain(question: string, id: string, options?: ExplainOptions): Promise<Explanation>
  /**
   * The memory of that id, or under that topic key, in full; or how it read at a time.
   *
   * Takes the right `read`.
   */
  get(id: string, options?: GetOptions): Promise<Memory>
  get(named: GetOptions & { topicKey: string }): Promise<Memory>
  /**
   * Every version of a memory, oldest first: how it read since when, who said so, and from where that came.
   *
   * Takes the right `read`.
   */
  history(id: string, options?: HistoryOptions): Promise<Version[]>
  history(named: HistoryOptions & { topicKey: string }): Promise<Version[]>
  /**
   * Memories that pass every filter, newest first by when they were said or done, a page at a time.
   *
   * Takes the right `read`. With `all_scopes`, `operate` too.
   */
  list(options?: ListOptions): Promise<Page>
  /**
   * Find the memories that answer a question, best first; or abstain, and show the nearest misses.
   *
   * Takes the right `read`.
   */
  recall(question: string, options?: RecallOptions): Promise<Recalled>
  /**
   * Record what was said. It is on disk, and found by its words, when this returns.
   *
   * Takes the right `write`.
   */
  record(text: string, options?: RecordOptions): Promise<SavedMessage>
  /**
   * Record what was said, have the configured model answer it with what memory holds, and record that too.
   *
   * Where the model fails, what was said stays recorded; with the same key it is not recorded again.
   *
   * Takes the right `write`.
   * @param session opened if it is not there.
   */
  reply(session: string, text: string, options?: ReplyOptions): Promise<Reply>
  /**
   * The same with the text piece by piece, as the model says it; last comes the `Reply`, once it is recorded.
   *
   * What breaks off, or is not read to its end, is not recorded as an answer. It raises with the
   * first piece at the latest.
   *
   * Takes the right `write`.
   */
  replyStream(session: string, text: string, options?: ReplyStreamOptions): Pieces<Reply>
  /**
   * Bring a deleted memory back as it was, or an archived one into recall again.
   *
   * Takes the right `write`.
   */
  restore(id: string, options?: Calling): Promise<Memory>
  /**
   * Save an observation: a claim. The result says whether it was `created`, `updated` or `deduped`.
   *
   * Takes the right `write`.
   */
  save(text: string, options?: SaveOptions): Promise<SavedObservation>
}

export interface Archives {
  /**
   * What is in an archive, once all of it was read.
   *
   * The body is the file, and the header `X-Passphrase` says what it is sealed under, in UTF-8; nothing is taken.
   *
   * Takes the right `operate`.
   */
  check(options?: Calling): Promise<Archived>
  /**
   * An archive of the scope and of those under it, sealed under a passphrase.
   *
   * The body of the answer is the file. 501 where the service keeps memories in its process alone.
   *
   * Takes the right `operate`.
   * @param passphrase 8 characters at least; it is kept nowhere
   */
  make(passphrase: string, options?: Calling): Promise<null>
  /**
   * All that is held about one user, for that user to read.
   *
   * Every memory with its evidence and earlier wordings, and who was told of it; in Markdown, or as JSON lines. 501 where the service keeps memories in its process alone.
   *
   * Takes the right `govern`.
   */
  report(name: string, options?: ArchivesReportOptions): Promise<null>
  /**
   * Take an archive in, all or nothing.
   *
   * The body is the file, and the header `X-Passphrase` says what it is sealed under, in UTF-8.
   *
   * Takes the right `operate`.
   * @param reason why, for the audit log
   */
  take(reason: string, options?: Calling): Promise<Taken>
}

export interface Audit {
  /**
   * How far the audit log of this tenant has come, signed: to be kept where nobody who writes the store can go.
   *
   * Takes the right `operate`.
   */
  checkpoint(options?: Calling): Promise<Checkpoint>
  /**
   * What was done in this scope and in those under it, the latest first.
   *
   * Takes the right `operate`.
   */
  list(options?: AuditListOptions): Promise<AuditRow[]>
  /**
   * Hold the audit log of this tenant against itself: whether an entry was changed, moved or removed.
   *
   * What was cut off its end is told only by a checkpoint that was kept elsewhere.
   *
   * Takes the right `operate`.
   */
  verify(options?: AuditVerifyOptions): Promise<Verified>
}

export interface Contexts {
  /**
   * Some hits as a sealed block for a prompt, in the order of time; recorded with it, it is not learnt again.
   *
   * Takes the right `read`.
   * @param recalled The answer to a question.
   */
  block(recalled: Recalled, options?: ContextsBlockOptions): Promise<Injected>
  /**
   * What is worth knowing at the start of a session: one left open, the latest summaries, and what ranks highest.
   *
   * The setting `inject_brief` switches it off; what it would have told is written down all the same.
   *
   * Takes the right `read`.
   */
  brief(options?: ContextsBriefOptions): Promise<Injected>
  /**
   * What a prompt recalls, if anything surely does and is found in time; else nothing.
   *
   * The setting `inject_prompt` switches it off, `inject_prompt_seconds` says how long it may take: where the
   * embedder is slower, the words alone decide, and a note says so.
   *
   * Takes the right `read`.
   */
  inject(prompt: string, options?: ContextsInjectOptions): Promise<Injected>
  /**
   * What was put before an agent in a session, or would have been, the latest first.
   *
   * Takes the right `read`.
   */
  injections(session: string, options?: ContextsInjectionsOptions): Promise<Injection[]>
  /**
   * What a question recalls, for an agent that asks by itself. The setting `inject_recall` switches it off.
   *
   * Takes the right `read`.
   */
  remind(question: string, options?: ContextsRemindOptions): Promise<Injected>
}

export interface Episodes {
  /**
   * Record what a run did, now that it is over: its steps, what was approved in it, and how it ended.
   *
   * What the run was for and its partial results are content, such as a mail, and go with the run.
   *
   * Takes the right `write`.
   * @param run The state of one run.
   */
  endRun(run: WorkingMemory, options?: EpisodesEndRunOptions): Promise<SavedEpisode[]>
  /**
   * Episodes that the scope sees, the latest first.
   *
   * Takes the right `read`.
   */
  list(options?: EpisodesListOptions): Promise<Episode[]>
  /**
   * Record something done. The detector counts it tonight; after 30 days its week stands for it.
   *
   * Takes the right `write`.
   * @param summary what was done, not the content: removed semicolon from third paragraph; 1 to 100 characters.
   */
  record(summary: string, options?: EpisodesRecordOptions): Promise<SavedEpisode>
  /**
   * Record several episodes in one transaction: all of them, or none.
   *
   * Takes the right `write`.
   */
  recordMany(episodes: NewEpisode[], options?: Calling): Promise<SavedEpisode[]>
  /**
   * The episodes that a compact record stands for, live again in its place.
   *
   * Takes the right `write`.
   */
  restore(id: string, options?: Calling): Promise<Episode[]>
  /**
   * Tell the detector of feedback or behaviour that is no episode of its own.
   *
   * Takes the right `write`.
   * @param type draft_modified (attribute part), approval_rejected (reason), routed_differently (from, to), exception_surfaced or correction (did, changed_to).
   */
  signal(type: string, options?: EpisodesSignalOptions): Promise<SavedSignal>
}

export interface Erasures {
  /**
   * Take all that is of somebody out of the store for good, look for what is left, and sign what was found.
   *
   * Others are served meanwhile. What was broken off goes on with the same call.
   *
   * Takes the right `govern`.
   * @param reason why, in 1 to 200 characters; it stands in the audit log.
   */
  erase(reason: string, options?: ErasuresEraseOptions): Promise<Receipt>
  /**
   * The memories of this scope, and of those under it, that name a person: to be looked at before erasing.
   *
   * Takes the right `govern`.
   * @param person the name, as a whole word or words in any case of letters.
   */
  named(person: string, options?: ErasuresNamedOptions): Promise<Naming[]>
  /**
   * The plan of an erasure: what it would take, and what stands in its way; nothing is done.
   *
   * Takes the right `govern`.
   */
  plan(options?: ErasuresPlanOptions): Promise<ErasurePlan>
  /**
   * The receipts of the erasures that were asked for in this scope, or in one under it, the latest first.
   *
   * Takes the right `govern`.
   */
  receipts(options?: ErasuresReceiptsOptions): Promise<Receipt[]>
}

export interface Facts {
  /**
   * Say that what holds under a key holds no more; it stays in the history.
   *
   * Takes the right `write`.
   */
  end(key: string, options?: FactsEndOptions): Promise<Fact>
  /**
   * What holds under a key, now or at a time: as the nearest scope says.
   *
   * Takes the right `read`.
   */
  get(key: string, options?: FactsGetOptions): Promise<Fact>
  /**
   * What this very scope has said under a key, the latest first.
   *
   * Takes the right `read`.
   */
  history(key: string, options?: Calling): Promise<Fact[]>
  /**
   * All that holds, now or at a time; each key once, as the nearest scope says; by category and key.
   *
   * Takes the right `read`.
   */
  list(options?: FactsListOptions): Promise<Fact[]>
  /**
   * Say what holds under a key from some time on. What held before ends then, and stays in the history.
   *
   * Takes the right `write`.
   * @param key a stable name, such as contact/bertelli/tone.
   * @param value text, a number, a truth, or lists and mappings of such.
   */
  set(key: string, value: JsonValue, options?: FactsSetOptions): Promise<SavedFact>
}

export interface Governance {
  /**
   * Put a memory in another class, also a lower one; what engines drew from it follows, as far as it may.
   *
   * Takes the right `operate`.
   * @param classification public, internal, confidential or restricted.
   * @param reason why, in 1 to 200 characters; it stands in the audit log.
   */
  classify(id: string, classification: string, reason: string, options?: Calling): Promise<Memory>
  /**
   * Have nothing deleted of this scope and of those under it, whoever asks: a legal hold.
   *
   * Takes the right `operate`.
   * @param name such as the number of a case, in 1 to 100 characters; one that stands here is not replaced.
   * @param reason why, in 1 to 200 characters: whoever meets the hold is told.
   */
  hold(name: string, reason: string, options?: GovernanceHoldOptions): Promise<LegalHold[]>
  /**
   * The legal holds that are on this scope, or on any under it: those of wider ones, its own, and narrower ones.
   *
   * Takes the right `operate`.
   */
  holds(options?: Calling): Promise<LegalHold[]>
  /**
   * End a legal hold of this exact scope.
   *
   * Takes the right `operate`.
   */
  lift(name: string, reason: string, options?: Calling): Promise<LegalHold[]>
  /**
   * An overview of this scope and of those under it: what there is, what is due, and how the log stands.
   *
   * Budgets are told to whom costs are, projected to the end of their period as it has gone so far.
   *
   * Takes the right `operate`.
   */
  overview(options?: Calling): Promise<Overview>
  /**
   * Say what is done with a kind of personal data that is written in this scope, or under it, from now on.
   *
   * Of what wider scopes say, too, the strictest holds. What is stored already stays as it is.
   *
   * Takes the right `operate`.
   * @param datum card, iban, identity, email, phone, ip, person or place; the last two, names, are told by a model of English, which the extra names brings.
   * @param redaction off, tag, mask or refuse.
   */
  redact(datum: string, redaction: string, options?: Calling): Promise<Effective[]>
  /**
   * What is done with each kind of personal data in this scope.
   *
   * Takes the right `read`.
   */
  redactions(options?: Calling): Promise<Effective[]>
  /**
   * Let what was said for this scope of a kind of personal data hold no longer.
   *
   * Takes the right `operate`.
   */
  unsetRedaction(datum: string, options?: Calling): Promise<Effective[]>
}

export interface Jobs {
  /**
   * Ask for the end of a job; what it has done is kept. One that has ended stays as it is.
   *
   * Takes the right `read`.
   */
  cancel(id: string, options?: Calling): Promise<Job>
  /**
   * How a job stands.
   *
   * Takes the right `read`.
   */
  get(id: string, options?: Calling): Promise<Job>
  /**
   * Begin a job that imports a file of chats.
   *
   * As `messages.import_file`, without waiting for the end.
   *
   * Takes the right `write`.
   * @param file One message a line: `role`, `content`, and what else is told.
   */
  import(file: string | Uint8Array | Blob, options?: JobsImportOptions): Promise<Job>
  /**
   * The jobs of this scope, the latest begun first; they are forgotten after 30 days.
   *
   * Takes the right `read`.
   */
  list(options?: JobsListOptions): Promise<Job[]>
  /**
   * Begin a job and do not wait for its end; it ends with the process that has this memory open.
   *
   * Takes the right `read`.
   * @param work import a file of chats, run the nightly work of this scope; or, for the whole store, embed what has no vectors, reembed it all, reindex the words.
   */
  start(work: string, options?: Calling): Promise<Job>
}

export interface Keys {
  /**
   * Make an access key for this scope, or one within it; its token is told this once.
   *
   * Takes the right `operate`.
   * @param name what people call it; who works with it is called so in the audit log.
   */
  create(name: string, options?: KeysCreateOptions): Promise<MadeKey>
  /**
   * The access keys that open this scope or one within it, the oldest first, with revoked and expired ones.
   *
   * Takes the right `operate`.
   */
  list(options?: KeysListOptions): Promise<AccessKey[]>
  /**
   * Let an access key open nothing any more, after a second at most.
   *
   * Takes the right `operate`.
   */
  revoke(id: string, options?: KeysRevokeOptions): Promise<AccessKey>
  /**
   * Give an access key a new secret, told this once; the old one opens nothing after a second.
   *
   * Takes the right `operate`.
   */
  rotate(id: string, options?: KeysRotateOptions): Promise<MadeKey>
}

export interface Learning {
  /**
   * Lift a memory's standing by hand, from 0 to 1.
   *
   * Takes the right `learn`.
   */
  boost(id: string, boost: number, options?: Calling): Promise<Standing>
  /**
   * Put aside an observation of the last 48 hours: it never becomes a rule.
   *
   * Takes the right `learn`.
   */
  dismiss(id: string, options?: LearningDismissOptions): Promise<Observation | Reflection>
  /**
   * What the detector has observed and nobody has rejected, in the order in which it was found.
   *
   * Takes the right `read`.
   */
  list(options?: LearningListOptions): Promise<(Observation | Reflection)[]>
  /**
   * One observation with the evidence of another, which is out of recall then.
   *
   * Takes the right `learn`.
   */
  merge(into: string, other: string, options?: Calling): Promise<Observation | Reflection>
  /**
   * Run the night of this scope for the last local day that is due, as far as it is not done yet.
   *
   * The engine does it, and sees all; what it counted and noted is told to who may see all.
   *
   * Takes the right `learn`.
   */
  nightly(options?: Calling): Promise<Night>
  /**
   * The latest nightly run of this scope, or `null`.
   *
   * Takes the right `read`.
   */
  nights(options?: Calling): Promise<Night | null>
  /**
   * Say how the work of a session was taken: it moves the weight of what was put before the agent in it.
   *
   * Said again of the same session, it changes nothing.
   *
   * Takes the right `learn`.
   * @param outcome accepted, rejected or rework.
   */
  outcome(session: string, outcome: string, options?: Calling): Promise<Move[]>
  /**
   * Leave an observation or a fact out of every recall and context until it is resumed.
   *
   * Takes the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Keep a memory's importance as it is, and keep it from being archived.
   *
   * Takes the right `learn`.
   */
  pin(id: string, options?: Calling): Promise<Standing>
  /**
   * What the nightly run of this scope would do now; nothing is changed, and no model is asked.
   *
   * Takes the right `read`.
   */
  preview(options?: Calling): Promise<Preview>
  /**
   * Rate a memory, from 0 to 1.
   *
   * Takes the right `learn`.
   */
  rate(id: string, rating: number, options?: Calling): Promise<Standing>
  /**
   * Take an observation or a fact up again that was paused or retired.
   *
   * Takes the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Give an observation or a fact up; it is kept, and not observed anew.
   *
   * Takes the right `learn`.
   */
  retire(id: string, options?: Calling): Promise<Observation | Reflection | Fact>
  /**
   * Say that an observation is right: it is surer by one level, up to high, and may become a rule at once.
   *
   * Where `learned.rule` is empty no order follows of what was counted: it stays an observation, which agents are
   * told as one, until a person gives the rule with `procedures.add`.
   *
   * Takes the right `learn`.
   */
  right(id: string, options?: LearningRightOptions): Promise<Observation | Reflection>
  /**
   * How a memory stands.
   *
   * Takes the right `read`.
   */
  standing(id: string, options?: Calling): Promise<Standing>
  /**
   * Take back a verdict "wrong" or "dismissed", with all that went with it.
   *
   * Takes the right `learn`.
   */
  undo(id: string, options?: Calling): Promise<Observation | Reflection | null>
  /**
   * Let a memory's importance decay again.
   *
   * Takes the right `learn`.
   */
  unpin(id: string, options?: Calling): Promise<Standing>
  /**
   * How outcomes of sessions have moved a memory's weight, the earliest first.
   *
   * Takes the right `read`.
   */
  weights(id: string, options?: Calling): Promise<Move[]>
  /**
   * The whole chain of evidence of a memory.
   *
   * Takes the right `read`.
   */
  why(id: string, options?: Calling): Promise<Why>
  /**
   * Say that an observation is wrong: it and what rests on it are in no recall and no context from now on.
   *
   * Takes the right `learn`.
   */
  wrong(id: string, options?: LearningWrongOptions): Promise<Observation | Reflection>
}

export interface Messages {
  /**
   * Record what is new of the conversations in a file of chats.
   *
   * The body is the file: JSON lines or JSON, in any of the shapes that the command `import` takes. All of it is read and checked before any is recorded.
   *
   * Takes the right `write`.
   * @param file One message a line: `role`, `content`, and what else is told.
   */
  importFile(file: string | Uint8Array | Blob, options?: MessagesImportFileOptions): Promise<ImportedFile>
  /**
   * Record turns of imported chats in one transaction; those that are there already stay as they are.
   *
   * A conversation is known by its name alone, a turn by its position in it. For long chats call it with the
   * pieces that `importers.batches` cuts, so that an import that is interrupted and run again writes the same
   * pieces.
   *
   * Takes the right `write`.
   */
  importTurns(turns: Turn[], options?: Calling): Promise<Imported>
  /**
   * Record several messages in one transaction: all of them, or none.
   *
   * Takes the right `write`.
   */
  recordMany(messages: NewMessage[], options?: Calling): Promise<SavedMessage[]>
}

export interface Observations {
  /**
   * Delete the memories of this exact scope that pass every filter, in one transaction, 10,000 at most.
   *
   * `restore_many` brings all of them back. What was drawn from them alone is deleted with them, and what a legal
   * hold is on is kept.
   *
   * Takes the right `write`.
   */
  deleteMany(options?: ObservationsDeleteManyOptions): Promise<Deletion>
  /**
   * Restore all memories of this exact scope that one `delete_many` has deleted, within thirty days.
   *
   * Takes the right `write`.
   * @param deletedAt as delete_many returned it.
   */
  restoreMany(deletedAt: Time, options?: Calling): Promise<Restoration>
  /**
   * Save several claims in one transaction: all of them, or none; see `Memory.save`.
   *
   * Takes the right `write`.
   */
  saveMany(observations: NewObservation[], options?: Calling): Promise<SavedObservation[]>
}

export interface Procedures {
  /**
   * Give a procedure: a rule for the agents of a scope.
   *
   * Takes the right `learn`.
   */
  add(rule: string, options?: ProceduresAddOptions): Promise<Procedure>
  /**
   * Say a procedure in other words; the earlier ones are kept.
   *
   * Takes the right `learn`.
   */
  edit(id: string, rule: string, options?: ProceduresEditOptions): Promise<Procedure>
  /**
   * The active rules that the scope sees, oldest first.
   *
   * Takes the right `read`.
   */
  list(options?: ProceduresListOptions): Promise<Procedure[]>
  /**
   * Leave a procedure out until it is resumed.
   *
   * Takes the right `learn`.
   */
  pause(id: string, options?: Calling): Promise<Procedure>
  /**
   * The observations that would be rules, were there room, each with what is in the way.
   *
   * Takes the right `read`.
   */
  refused(options?: Calling): Promise<Refused[]>
  /**
   * Make a paused procedure active again.
   *
   * Takes the right `learn`.
   */
  resume(id: string, options?: Calling): Promise<Procedure>
  /**
   * Retire a procedure; it is kept.
   *
   * Takes the right `learn`.
   */
  retire(id: string, options?: Calling): Promise<Procedure>
}

export interface Retention {
  /**
   * The memories of this scope, and of those under it, that the next night deletes; nothing is done.
   *
   * Takes the right `operate`.
   */
  findExpired(options?: RetentionFindExpiredOptions): Promise<Expired[]>
  /**
   * Remove deleted memories of this exact scope for good, before their grace is over; how many that were.
   *
   * Takes the right `operate`.
   */
  hardDelete(ids: string[], reason: string, options?: Calling): Promise<number>
  /**
   * Whether this caller can read a memory: it is here, not deleted, and not closed to it.
   *
   * Takes the right `read`.
   */
  isAccessible(id: string, options?: Calling): Promise<boolean>
  /**
   * The deleted memories of this scope, and of those under it, that can be restored.
   *
   * Takes the right `operate`.
   */
  listSoftDeleted(options?: RetentionListSoftDeletedOptions): Promise<SoftDeleted[]>
  /**
   * The policies that are on this scope: its own, those of wider ones and, for an operator, of narrower ones.
   *
   * Takes the right `read`.
   */
  policies(options?: Calling): Promise<RetentionPolicy[]>
  /**
   * Do now what the night does: delete what is due in this scope and those under it, and remove what is over.
   *
   * Takes the right `operate`.
   */
  run(options?: RetentionRunOptions): Promise<Retained>
  /**
   * Keep memories for so many days since the store knew them; of several policies the shortest time holds.
   *
   * Takes the right `operate`.
   * @param name what the policy is called here, in 1 to 100 characters; what stood under it is replaced.
   * @param keepDays 1 to 36,500.
   */
  set(name: string, keepDays: number, options?: RetentionSetOptions): Promise<RetentionPolicy[]>
  /**
   * Delete memories of this exact scope, to be restored for thirty days; how many that were.
   *
   * What rests on them stays: `Memory.delete` takes along what was drawn from a memory alone.
   *
   * Takes the right `operate`.
   */
  softDelete(ids: string[], reason: string, options?: Calling): Promise<number>
  /**
   * Let a policy of this exact scope hold no longer.
   *
   * Takes the right `operate`.
   */
  unset(name: string, options?: Calling): Promise<RetentionPolicy[]>
}

export interface Sessions {
  /**
   * Let what was noted of a run of messages be shown, where the setting `observe_review` holds it.
   *
   * Takes the right `learn`.
   */
  approve(session: string, first: number, options?: Calling): Promise<Chunk>
  /**
   * The runs of messages of a session that an observer came by, in order.
   *
   * Takes the right `read`.
   */
  chunks(session: string, options?: Calling): Promise<Chunk[]>
  /**
   * The runs of messages that no model could observe, the latest first; their messages are served all the same.
   *
   * Takes the right `read`.
   */
  deadLetters(options?: SessionsDeadLettersOptions): Promise<Chunk[]>
  /**
   * A conversation in numbers: what is raw, what is noted, and what waits.
   *
   * Takes the right `read`.
   */
  distilled(session: string, options?: Calling): Promise<Distilled>
  /**
   * Close a session; closing it again changes nothing. What was said last in it is observed now.
   *
   * Takes the right `write`.
   */
  end(id: string, options?: Calling): Promise<Session>
  /**
   * The scope's sessions, the latest active first.
   *
   * Takes the right `read`. With `all_scopes`, `operate` too.
   */
  list(options?: SessionsListOptions): Promise<Session[]>
  /**
   * What is noted of a conversation and told to an agent: observations and reflections, in their order.
   *
   * Takes the right `read`.
   */
  log(session: string, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * What was noted of a run of messages, whether it is told by now or not; without what a reflection took up.
   *
   * Takes the right `read`.
   * @param first the number of its first message.
   */
  noted(session: string, first: number, options?: Calling): Promise<(Observation | Reflection)[]>
  /**
   * Observe all that waits in a session, and show what was noted from now on; how many runs were observed.
   *
   * Takes the right `learn`.
   */
  observeNow(session: string, options?: Calling): Promise<number>
  /**
   * Consolidate the log of a session, or every log of the scope; how many tokens they have fewer.
   *
   * Takes the right `learn`.
   */
  reflectNow(options?: SessionsReflectNowOptions): Promise<number>
  /**
   * Observe a run of messages again; what was noted of it before gives way. It says whether that failed again.
   *
   * Takes the right `learn`.
   * @param first the number of its first message.
   */
  retry(session: string, first: number, options?: Calling): Promise<Chunk>
  /**
   * Open a session, or resume the one of that id; without an id, the scope's one unnamed active session.
   *
   * Takes the right `write`.
   */
  start(options?: SessionsStartOptions): Promise<Started>
  /**
   * Store a summary of a session.
   *
   * Takes the right `write`.
   */
  summarise(id: string, text: string, options?: SessionsSummariseOptions): Promise<Observation | Reflection>
}

export interface Timeline {
  /**
   * What came before and after a memory in its session.
   *
   * Takes the right `read`.
   */
  around(id: string, options?: TimelineAroundOptions): Promise<Around>
  /**
   * The messages and observations between two dates, newest first.
   *
   * Takes the right `read`.
   */
  between(options?: TimelineBetweenOptions): Promise<Page>
  /**
   * The memories that were learnt, changed and retired between two times of knowing.
   *
   * Takes the right `read`.
   */
  diff(earlier: Time, later: Time, options?: Calling): Promise<Diff>
}

export interface Transfers {
  /**
   * Let a project lend its observations to another, and copy what there is.
   *
   * Takes the right `operate`.
   * @param lender the project that lends.
   * @param reader the project that reads; it lends nothing by that.
   * @param reason why, in 1 to 200 characters; it stands in the audit log of both.
   */
  grant(lender: string, reader: string, reason: string, options?: Calling): Promise<Granted[]>
  /**
   * The transfers of this tenant, by the project that lends.
   *
   * Takes the right `operate`.
   */
  list(options?: Calling): Promise<Granted[]>
  /**
   * End a transfer, and erase what was copied by it.
   *
   * Takes the right `operate`.
   * @param lender as they were granted.
   * @param reader as they were granted.
   * @param reason why, in 1 to 200 characters; it stands in the audit log of both.
   */
  revoke(lender: string, reader: string, reason: string, options?: Calling): Promise<Granted[]>
}

export interface Upkeep {
  /**
   * What language models cost on each of the last days, the latest first, and how the budgets stand.
   *
   * And what contexts spared against sending whole conversations, by agent and by session of this exact scope.
   * A project or an agent that the scope leaves blank means all of the tenant's.
   *
   * Who came with an access key sees the budgets of the key's project alone, where it has one.
   *
   * Takes the right `govern`.
   */
  costs(options?: UpkeepCostsOptions): Promise<Costs>
  /**
   * What is wrong with the whole store; with `mend`, what can be mended without judgement is.
   *
   * Takes the right `operate`.
   */
  doctor(options?: UpkeepDoctorOptions): Promise<Diagnosis[]>
  /**
   * Make every vector that is missing; how many wordings got theirs.
   *
   * Takes the right `operate`.
   */
  embed(options?: Calling): Promise<number>
  /**
   * Make a few missing vectors of this scope, for callers that close the memory soon; never fails a write.
   *
   * Takes the right `write`.
   */
  embedSoon(options?: Calling): Promise<number>
  /**
   * Write down at once which memories were read; else it is done in the background.
   *
   * Takes the right `write`.
   */
  flush(options?: Calling): Promise<null>
  /**
   * Build all vectors anew beside the old ones, then switch over; how many were made.
   *
   * Takes the right `operate`.
   */
  reembed(options?: Calling): Promise<number>
  /**
   * Build the text index of the whole store anew, scope by scope; how many wordings it has.
   *
   * Takes the right `operate`.
   */
  reindex(options?: UpkeepReindexOptions): Promise<number>
  /**
   * The scope in numbers.
   *
   * Takes the right `read`.
   */
  stats(options?: Calling): Promise<Stats>
  /**
   * How many wordings of the store have no vectors in the embedder's space.
   *
   * Takes the right `operate`.
   */
  unembedded(options?: Calling): Promise<number>
}

/** The doors of a memory. */
export interface Doors {
  archives: Archives
  audit: Audit
  contexts: Contexts
  episodes: Episodes
  erasures: Erasures
  facts: Facts
  governance: Governance
  jobs: Jobs
  keys: Keys
  learning: Learning
  messages: Messages
  observations: Observations
  procedures: Procedures
  retention: Retention
  sessions: Sessions
  timeline: Timeline
  transfers: Transfers
  upkeep: Upkeep
}

/** The codes of what the service may answer. */
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
