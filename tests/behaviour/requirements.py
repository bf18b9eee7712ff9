"""What the product promises, and the mark that ties a test to a promise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Callable[..., object])

_PROMISES_OF_TEST: dict[tuple[str, str], tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A promise, and where it was made."""

    promise: str
    source: str


def requirement(*names: str) -> Callable[[T], T]:
    """Tie a test to the promises that it watches over; a name that nobody promised is an error."""
    unknown = [name for name in names if name not in REQUIREMENTS]
    if unknown or not names:
        raise KeyError(f"no such promise: {', '.join(unknown)}")

    def mark(test: T) -> T:
        place = (test.__module__, test.__name__)
        _PROMISES_OF_TEST[place] = (*_PROMISES_OF_TEST.get(place, ()), *names)
        return test

    return mark


def promises_of(module: str, test: str) -> tuple[str, ...]:
    """The promises that a test is tied to."""
    return _PROMISES_OF_TEST.get((module, test), ())


def _of(source: str, **promises: str) -> dict[str, Requirement]:
    """Promises of one part of the specification, the part of their name before the dot being that of their theme."""
    return {
        name.replace("__", ".", 1).replace("_", "-"): Requirement(promise, source) for name, promise in promises.items()
    }


REQUIREMENTS: dict[str, Requirement] = {
    **_of(
        "SPEC.md section 3",
        untrusted__marked="What a page or a tool said, and what was concluded from it, is marked wherever it is told.",
        untrusted__quoted="What a page or a tool said is quoted data, in a place of its own that it cannot leave.",
        untrusted__no_rule="Nothing untrusted is a rule, or counts for one.",
        untrusted__not_the_speakers="What somebody quotes is noted as no wish of theirs.",
        untrusted__no_forged_line="No character of a memory begins a line of a block.",
        personal__tagged="Cards, IBANs and identity numbers are told of in the metadata, by check digits.",
        untrusted__quarantined="Words of a tool that plainly give the agent an order are kept from it.",
    ),
    **_of(
        "SPEC.md section 3",
        untrusted__harness="What the program around an agent wrote is system, untrusted, and never noted.",
        recording__one_form="Texts and names that read alike are one; what is stored reads as it was given.",
        recording__wordless_turns="A turn without words, such as a call of a tool, is recorded with its call.",
        recording__described="Summaries and rules take a time, metadata and an idempotency key, as other writes do.",
        recording__parts="Content parts and calls of tools are recorded as an import of them reads, by every way.",
        recording__not_empty="What shows nothing to a reader is refused as empty, whatever characters it has.",
        recording__newest_said_counts="What was said earlier and arrives later is history; the newer stays valid.",
    ),
    **_of(
        "SPEC.md section 16",
        models__of_callers="Whatever a caller's own model or embedder does wrong is told as an error of ours.",
    ),
    **_of(
        "SPEC.md section 14",
        workers__killed_lose_nothing="A worker that is killed loses no work, and none is done twice.",
        workers__one_scope_fails="Where the work of one scope fails, that of the others is done.",
        workers__due_is_derived="What is due is found in the store, done, and then no longer due.",
    ),
    **_of(
        "SPEC.md section 16",
        clearance__absent="What is classified above a caller's clearance is absent in every way of reading.",
        clearance__no_obstacle="What a caller cannot see is in the way of nothing that it writes.",
        clearance__consequences="What follows from a write follows also for what its caller cannot see.",
        clearance__writes_above="A caller may write above its clearance; that is kept, and not shown to it.",
    ),
    **_of(
        "SPEC.md section 15",
        road__main_file="What was written is in the main file soon after; a bare header is refused, never filled.",
        road__time_of_knowing="A caller says when something happened, never when it was known, and never its id.",
        retaining__exactly="Of several policies exactly what is due goes, in the dry run and in the run.",
        retaining__grace="What was deleted is restored within thirty days, and never after.",
        retaining__held="What a legal hold is on stays through retention.",
        retaining__nightly="Retention runs at night and is told of there.",
        retaining__many="Memories are deleted by a filter, shown before, and all restored in one step.",
        saving__valid_until="What is valid until a moment is in no read from then on, and in those of the past.",
        recall__metadata="Words of metadata find a memory at the weight of a tag, and none that is changed or erased.",
        reading__metadata="Recall and list give exactly what has every value of metadata that is asked for.",
        retaining__by_hand="Memories are deleted and purged by hand, with a reason.",
        erasing__gone="Of a user, an agent, a project or a tenant that is erased nothing is left anywhere.",
        erasing__others_stand="What is of others stands as it was when somebody is erased.",
        erasing__some="A session or some memories are erased with what was drawn from them alone.",
        erasing__receipts="A receipt is checked without the store, and fails when anything of it changes.",
        erasing__resumed="An erasure that is broken off at any step goes on where it was.",
        erasing__not_again="What was erased is not imported again.",
        erasing__holds="A legal hold is passed by no deletion and no erasure.",
        erasing__named="Who is named in texts is listed for review before anything is erased.",
        erasing__keys="The access keys of who is erased open nothing, and name nobody.",
        erasing__asked="What is to be erased is named once, by who may, within its scope.",
        archives__shared="Archives bring two machines' memories together; the later wording stands, none is lost.",
        archives__not_again="What was erased, is rejected or is held comes by no archive.",
        archives__bounds="An archive holds one scope with those under it, and goes nowhere else.",
        archives__exported="Exports tell in every form what the caller sees, and nothing else.",
        archives__returned="An export in JSON lines, JSON-LD or CSV comes back whole; what cannot come is counted.",
        archives__report="A report tells a user of everything that is held, with its evidence.",
        transfers__granted="Only what an operator grants passes to another project: open, shared by all, no further.",
        transfers__marked="What was transferred is marked, unchangeable, and weighs half.",
        transfers__followed="What changes or goes at its source, or is revoked, is gone from the copy at once.",
        transfers__audited="Both projects' logs say who granted a transfer, who revoked it, and why.",
        overview__stands="An overview tells an operator what there is, is due, held and erased, and nothing closed.",
        overview__projected="Budgets are projected to the end of their period as it has gone so far.",
        audit__reads="Whatever tells of memories says in the audit log to whom, of which, and by which method.",
        audit__listed="An operator lists what was done in a scope and under it, by what is asked for.",
        audit__verified="Whatever is changed, moved, removed or put into the audit log is found.",
        stores__older="A file of the version before migrates, and answers as it did then.",
        road__audited="Whatever is done by whoever stands in the audit log, with its actor and its door.",
        road__outside_index="Whatever takes a memory out of recall takes it out of the outside index at once.",
        personal__redacted="What a scope's policy says is done with personal data, in every write and read.",
        names__redacted="Names of persons and places are masked, tagged or refused where a scope wants it, else left.",
        names__missing="Where what tells names is missing, nothing that should be looked at is stored.",
        classes__told="A memory is classified by what it holds and names, and what was drawn from it with it.",
        road__ids_a_tenant="Ids are a tenant's own: nobody learns another's, or is in its way.",
    ),
    **_of(
        "SPEC.md section 2",
        scope__foreign_reads_absent="Another scope's memory is absent in every read and every write.",
        scope__blank_is_shared="A row's blank dimension is seen by every reader; a reader's blank sees only blanks.",
        scope__shared_is_read_only="What a wider scope shares can be read and not changed from a narrower one.",
        scope__key_is_per_scope="Topic keys, hashes, idempotency keys and sessions of two scopes never meet.",
        reading__sizes="Lists and searches tell of a memory without its hash, and in short; get has all of it.",
        reading__by_topic_key="What stands under a topic key is read and deleted by it, the nearest scope's first.",
        reading__history="The history of a memory has every version, with who said it, from where, and when.",
        reading__types="A deployment's own types are taken with their priority; any other is refused by name.",
        scope__whole_tenant="An operator alone lists and exports a whole tenant, each memory with its scope.",
        scope__list_live="A list without statuses has what is live of every kind.",
        scope__list_filters="Lists take filters that must all hold, and give pages newest first without gaps.",
        recording__ids_are_ordered="Ids are UUIDs of the engine that sort by the time they were made.",
        recording__two_times="A record keeps when it was said apart from when it was known; both are aware and in UTC.",
        recording__metadata_limit="Metadata of more than 1 MiB is refused, and of a message more than 16 MiB.",
        time__erased_is_in_no_past="Erased text is in no past.",
    ),
    **_of(
        "SPEC.md section 3, steps 1 and 2",
        recording__private_is_stripped="Private regions are gone from every string before it is stored or hashed.",
        recording__secrets_are_masked="Secrets are masked in every string, and their kinds are noted.",
        recording__secrets_policy="The policy decides whether secrets are masked, tagged or refused.",
    ),
    **_of(
        "SPEC.md section 3, step 3",
        recording__class_may_rise="An explicit classification may raise that of a record and never lower it.",
    ),
    **_of(
        "SPEC.md section 3, steps 4 and 5",
        recording__hash_as_stored="The hash is the SHA-256 of the text as it is stored.",
        recording__outcomes="A save says whether it created, updated or found the memory already there.",
        recording__same_text_other_label="The same text with another title, type or tags is an update.",
        recording__keyed_and_unkeyed="A save with a topic key never merges with a row that has none.",
        recording__topic_upsert="A topic key replaces the wording, keeps the creation time and the earlier wording.",
        recording__unsaid_stays="What a save does not say, it does not change.",
        recording__versions_say_who="Every version has the author, the source and the time of who said it.",
        recording__left_out_stays="What is paused, retired or merged stays so however often it is saved.",
        recording__one_row_a_text="No edit makes two memories without a key of one text.",
        recording__messages_repeat="The second equal message is a second message.",
        recording__edit_keeps_the_rest="An edit changes what it names, to what it names, and leaves the rest.",
        recording__messages_never_change="The wording of a message never changes.",
    ),
    **_of(
        "SPEC.md section 3, step 5, and the promise that wrong is wrong for good",
        rejection__stands="What a person rejected is said by no memory until that is undone, whatever else is done.",
        rejection__corrected="A different text under the key of what was rejected is taken.",
        rejection__all_that_says_it="What says the same, and what rests on it, goes with what is rejected.",
        rejection__undone="Undoing brings all back as it was; of what was erased, its words may be said again.",
    ),
    **_of(
        "SPEC.md section 3, step 6, and section 15",
        recording__evidence_inherits="A claim inherits the least trust and the highest classification of its evidence.",
        recording__evidence_must_exist="Evidence that is not here is NotFound, and nothing is written.",
        recording__orders_are_quarantined="Untrusted text that reads as an order is quarantined, not recalled.",
        recording__echo="Text that recall put into a prompt is kept as a reference to it, and a forgery as it is.",
    ),
    **_of(
        "SPEC.md section 3, step 7",
        recording__found_at_once="What was recorded is found by its words when the call returns, and after a restart.",
        recording__idempotency="The same idempotency key returns the first result; for other work it is a conflict.",
        recording__batch_is_whole="A batch is recorded whole or not at all.",
        recording__size_limits="Text past the limit is refused with what to change; nothing is cut in silence.",
        recording__embedder_breaker="An embedder that fails again and again is left alone for longer and longer.",
        recording__embedded_with_the_one_before="A message is embedded with the one before it, anew when that changes.",
        recording__embedder_may_fail="A failing embedder never fails a write, and recall goes on by words with a note.",
    ),
    **_of(
        "SPEC.md section 4",
        sessions__unnamed="Without an id, a start resumes the scope's one unnamed active session; is_new says which.",
        sessions__stale="After 24 hours without activity the next start closes a session with a marked summary.",
        sessions__observed_to_the_end="A session that is over, ended or left alone, is observed to its last message.",
        sessions__summed_up_by_a_model="Where a model is configured to summarise, it says what a session came to.",
        sessions__stale_summary_is_clean="A summary of our own quotes nothing that is deleted, and lends no trust.",
        sessions__record_false="A session with record=False stores nothing.",
        sessions__start_twice="Starting or ending twice is harmless.",
        sessions__activity="Every save and every summary moves the last activity; a save outside opens no session.",
        observing__far_behind="Far behind its observer a context answers soon, and names what it leaves out.",
        sessions__joined="A save that names no session belongs to the active one; one that names a session opens it.",
        sessions__resumed="A session that is used again after it was summed up gets a summary of what came since.",
        sessions__summary_reserved="The type summary is reserved for summarise(); unknown types list the allowed ones.",
        sessions__left_open="A start says which session was not ended.",
        sessions__end_sums_up="A session that is ended has a summary of ours, until somebody who was there makes one.",
        sessions__end_anyhow="What a person has rejected keeps no session from ending, and is named to nobody else.",
        sessions__brief_of_what_was_said="A brief tells what people laid down, once, and nothing withdrawn.",
        sessions__start_brief="A start comes with up to five summaries and about ten memories.",
        sessions__start_ranks_all="A start ranks all that the scope sees, and tells of a summary once.",
        sessions__numbers="Messages are numbered without gaps; a deleted message keeps its number.",
        sessions__timeline="A timeline shows what came before and after a record in its own session, five each way.",
        sessions__nothing_to_sum_up="A session in which nothing was said or saved has no summary.",
        sessions__summary_tells="An automatic summary says what was decided, asked, saved and left open.",
        sessions__then="A timeline as of a time has the sessions and the order of that time.",
        sessions__between="Between two dates everything that was said is found, bounds included.",
    ),
    **_of(
        "SPEC.md section 9, as_of and diff",
        time__as_of="Every read as of a time shows what was known then, as it then read.",
        time__diff="A diff lists exactly what was learnt, changed and retired.",
        time__zones="A time without a zone is refused.",
    ),
    **_of(
        "SPEC.md sections 5 and 12",
        observing__told_once="Each message of a conversation is told raw or by what was noted of it, once.",
        observing__within_budget="No block has more tokens than its budget.",
        blocks__as_of="As of a time: the block as it could have been made then, of what was known, with no trace left.",
        blocks__task="A task stands in the block; it, and old exchanges, are told in short where they are too long.",
        blocks__needless="Nothing of a conversation is left out in windows from 8,000 tokens on.",
        blocks__within_budget="No block in any format has more tokens than its budget; its count is that of its text.",
        blocks__left_out="What a block has no room for is named: by its id, or by what the caller handed over.",
        blocks__least="A window that cannot hold what must be told is refused with the least that can.",
        blocks__no_trace="With record_access=False, or in a session with record=False, a block stores nothing.",
        blocks__written="What was told is known to others within a second, whatever runs in the background.",
        blocks__in_time="Looking for what a prompt recalls keeps its time, however long an embedder takes.",
        blocks__read="What a block tells counts as read.",
        recalled__dated="What is recalled says who said it and when, in the order of time, in every way of injecting.",
        recalled__once="Of what says nearly the same, one is told.",
        recalled__understood="A turn that answers is told with its question, and a question with its answer.",
        recalled__fits="As much of what is recalled is told as fits; less in a small window.",
        recalled__episodes="An episode is told with whom it was and what became of it.",
        recalled__small_talk="Small talk recalls nothing.",
        observing__review="What waits for a person's approval is told raw meanwhile.",
        observing__stable_prefix="Between activations and reflections a block's prefix only grows at its end.",
        observing__nothing_stranded="Nothing that was noted is left behind when its messages give way.",
        observing__model_may_fail="Whatever a model answers, the conversation goes on; what it could not do is listed.",
        observing__claims_are_compared="What a model notes and nobody has said is dropped, with its reason.",
        observing__budget_degrades="Without money left no model is asked, the words observe, and the report says so.",
        observing__breaker="A model that fails again and again is left alone for longer and longer, for all who work.",
        observing__usage_is_believed_or_counted="No usage that a provider reports gives back what was spent.",
        observing__no_transaction_while_thinking="No transaction of the store is open while a model thinks.",
    ),
    **_of(
        "SPEC.md section 6",
        reflecting__refused_changes_nothing="Where no answer of a reflector is sound, nothing changes.",
        reflecting__falls_back_to_words="Where a model cannot be asked to the end, the words alone reflect.",
    ),
    **_of(
        "SPEC.md section 15, deletion",
        time__delete_hides="A deleted memory is out of every read at once.",
        time__restore="A restored memory is the same again.",
        time__erase="Erased text is in no byte of the store's files.",
    ),
    **_of(
        "SPEC.md section 8, working memory",
        learning__runs="Of a run that is over its steps, approvals and end are episodes; its results go with it.",
    ),
    **_of(
        "SPEC.md section 7",
        episodes__recorded="An episode is recorded as it was told, once for each idempotency key, or is refused.",
        episodes__erased="Of what is erased no word is left in any record that stood for it.",
        episodes__restored="The episodes of a compact record come back in one call, and stay.",
        episodes__told_by_a_model="What a week came to is told by a model where one is asked; its counts never are.",
        episodes__recounted="What compact records count are their sources that stand.",
    ),
    **_of(
        "SPEC.md section 8, procedures",
        procedures__promoted="A rule is made of what is sure, 48 hours after it was seen, or once somebody agrees.",
        procedures__room="A rule for which there is no room is refused with what is in the way.",
        nightly__compacted_rates="A rate is told only of what was asked.",
        procedures__turned="A rule whose habit ends or turns is demoted with its reason; no two contradict each other.",
        procedures__sure="Confidence is of the cases that are shown, however unlikely chance is.",
        procedures__by_people="People add, edit, pause, resume and retire rules.",
    ),
    **_of(
        "SPEC.md section 8, feedback",
        feedback__wrong_at_once="What is wrong, and what rests on it, is in no read and no index from that moment on.",
        feedback__wrong_for_good="What is wrong is not learnt again of the same episodes.",
        feedback__undone="Taking a verdict back restores all that went with it.",
        feedback__two_people="Two people who judge at once leave a defined state, and each counts once.",
        feedback__dismissed="What is dismissed within 48 hours is never a rule.",
        feedback__paused="What a person pauses or retires is in no read, and is taken up again as it was.",
        feedback__merged="Two observations that are merged are one from then on, with its rules.",
        feedback__own_scope="What is learnt of one user or agent is never another's.",
        feedback__outcomes="The outcome of a session moves the weights of what was told in it, once.",
        feedback__shared_weights="What a wider scope shares weighs otherwise for who was told it, and for nobody else.",
    ),
    **_of(
        "SPEC.md sections 8 and 14",
        nightly__model_is_recounted="What a model proposes is counted anew, refused with reasons, and not needed.",
        nightly__looks_again="A night looks at deeds where there is something that the one before did not see.",
        nightly__steps_apart="A step of a night that fails stops no other, is noted, and done again.",
        nightly__records_apart="A memory that a step of a night cannot treat stops no other of that step.",
        nightly__tried_again="A night in which something failed is begun again, later each time, six times a day.",
        nightly__as_once="A night that is broken off, run again, or run by two at once comes to the same as once.",
    ),
    **_of(
        "SPEC.md section 10",
        nightly__clock="A clock that ran ahead and was set right again silences nothing, and is named by the doctor.",
        nightly__decay="What is live again has decayed as if it had never been away.",
    ),
    **_of(
        "source 001, what injection looks like",
        behaviour__block="An agent reads the facts, rules, episodes and observations of its contact within budget.",
    ),
    **_of(
        "SPEC.md section 8, facts",
        facts__slot="Of contacts whose facts outgrow their slot, those it concerns and those that are named are told.",
        facts__valid="A fact holds from a time to a time, and what held before stays in its history.",
        facts__nearest="Of several facts under one key the nearest scope's is believed, and never another user's.",
    ),
    **_of(
        "SPEC.md section 9",
        recall__filters="Each filter of recall leaves out what does not pass it, alone and together.",
        recall__limit="At most `limit` hits, the best ones.",
        recall__tokens="Whole items within max_tokens; what was left out is counted.",
        recall__ties="Ties break by id.",
        recall__abstains="A question of nonsense is answered by abstaining, with the nearest misses.",
        recall__fresh="What was just saved is found by its words, before it has a vector.",
        recall__contacts="A contact is meant by the full name, the surname or the address; an unknown one is named.",
        recall__facts_answer="An answer may rest on facts and rules, which recall does not search.",
        recall__newer_first="Of statements that are about equally good the newer stands first.",
        recall__replaced="What a newer statement replaces ranks behind it, says so, and is left out of a context.",
        recall__preferences="A request brings the preferences that should shape it.",
        recall__spelling="Accents, a single word of any language, and pictures find what has them.",
        recall__nobody="Recall says where nothing is stored of whom it is asked, and who is named alike.",
        recall__rare_name="A rare name is found though its vector is far.",
        recall__without_embedder="Without an embedder the answer has the same shape.",
        recall__unspaced="Text without spaces is found by a part of it.",
        recall__labels="Words of topic keys, tags, and of whom and what an episode names find what bears them.",
        recall__parts="A part of a word finds it where nobody wrote the part as a word, within the scope alone.",
        recall__counts_reading="Recalled memories are counted once flushed; record_access=False leaves no trace.",
        recall__rerank="What a reranker likes best comes first, of what may be sent; where it fails, the order stands.",
        recall__rerank_in_time="No recall waits for a reranker longer than it is given, whatever that does.",
        recall__explains="Explain names the stage at which a memory was lost, or its rank.",
        recall__other_space="Vectors of another space are never compared; recall says so and goes on.",
        recall__own_vector="A question may bring its own vector with its space.",
        recall__scores="Scores lie in [0, 1], best first, with their factors, whatever the profile.",
        recall__input_is_checked="A question out of range is refused with what to change.",
    ),
    **_of(
        "SPEC.md section 9, ask and execute",
        ask__cites="An answer cites what the model was given, or it is none; each citation leads to its memory.",
        ask__unknown="What memory does not say is not known, whatever a model says of it.",
        ask__free="Where recall abstains, or nothing can be asked, nothing is paid.",
        ask__no_model="Without a model the answer is what was recalled.",
        ask__no_orders="Memories stand before the model as data, and a label that one repeats cites nothing.",
        ask__within_reach="An answer rests on what its filters, its time and its caller's clearance let through.",
        ask__within_budget="Nothing is asked that might cost more than is left, and what was paid is told.",
        ask__streams="A stream ends with what holds; one that breaks off is an error, and paid as far as it came.",
        execute__loop="A task is answered with what memory holds, and both sides are recorded.",
        execute__whole_or_not="What breaks off is not recorded as an answer.",
        execute__no_echo="What memory itself had told is not recorded as news.",
        execute__reflects="What a task has taught is kept with its evidence by the one road, or a note says why not.",
    ),
    **_of(
        "SPEC.md sections 13 and 16",
        upkeep__cancelled_soon="Who is cancelled while vectors are made waits for a few texts, not for all of them.",
        upkeep__reembed="Reembed builds new vectors beside the old ones and switches over.",
        upkeep__vectors_catch_up="Vectors that are missing are made later, once the embedder works.",
        upkeep__doctor_finds="The doctor names every fault of the store, and no fault where there is none.",
        upkeep__doctor_mends="The doctor mends what needs no judgement, and leaves the rest to a person.",
        upkeep__reindex="A new text index recalls the same.",
        upkeep__stats="The numbers count what the scope sees.",
    ),
    **_of(
        "SPEC.md sections 2, 15 and 17, access keys",
        access__a_wall="A key's scope and clearance are walls; what lies beyond reads as absent.",
        access__refused_alike="Whatever is wrong with a key, what is said is the same.",
        access__no_more_than_its_maker="No key may see or do more than who made it.",
        access__kept_as_fingerprints="Of a key's secret only a fingerprint is kept.",
        access__audited="Who came in by a key, and who was refused, is in the audit log.",
        access__needed_once_made="Where a key was ever made, nobody comes in without one.",
        requests__done_once="A request with an idempotency key is done once, and answered alike each time.",
        requests__of_one_caller="What a request was answered is told to no other caller.",
        jobs__progress="Long work says how far it is and what came of it, to its own scope alone.",
        jobs__cancelled="Long work ends when it is asked to, and what was done until then is kept.",
        jobs__lost_is_said="A job whose process has died is told as lost.",
        jobs__alone="A job that breaks off, or cannot be written down, ends alone: everything else goes on.",
        jobs__rights="A job takes the right that its work takes.",
    ),
    **_of(
        "SPEC.md sections 15 and 16, caches",
        cache__same_answer="With a cache every answer is the one that would have been made without it.",
        cache__of_one_caller="What was made for one caller reaches no other, and none that may see less.",
        cache__may_be_away="A Redis that is away, or back with nothing, makes answers slower and not otherwise.",
        cache__lets_go="When something is erased, nothing that was made of the tenant's memory is kept.",
    ),
    **_of(
        "SPEC.md section 16, Qdrant",
        outside__same_hits="With an outside vector index the hits are the same as without it.",
        outside__erased="What is erased is gone from an outside index, too, before the receipt says so.",
        outside__never_the_truth="What the store does not confirm is never served, whatever an outside index holds.",
        outside__may_be_away="While the outside index is away all but an erasure goes on, and the answer says so.",
        outside__follows="What is made, changed or removed reaches the outside index at once, or when it is back.",
        outside__rebuilt="The outside index can be built anew from the store alone.",
    ),
    **_of(
        "SPEC.md sections 2 and 17, importers",
        upkeep__import_once="The same chat imported twice is there once, in the times in which it was held.",
        imports__once_in_its_own_session=(
            "Whatever is done to files of chats between imports, every message of every chat is there once, in its own "
            "session; a file that holds another chat than before is told."
        ),
        imports__nothing_lost_in_silence=(
            "What of a file is not taken is told with its place and the reason; a file is taken as a whole or not at "
            "all, unless it was asked to leave something out."
        ),
        imports__erased_stays_away="No import brings back a message that was erased.",
        imports__memories_once="A memory of another program is stored once, with what it had, and nothing of a secret.",
        imports__memories_follow="A memory that changed at its source replaces the earlier one, and not the other way.",
        imports__own_users="Memories of several users or agents in one file belong each to their own.",
    ),
    **_of(
        "SPEC.md section 13, exchange between machines",
        sync__same="Machines that exchange memories have the same ones, whatever each of them changed.",
        sync__whole="A file that is not complete, or not readable, imports nothing, and is tried again.",
        sync__for_operators="Only a caller who may see everything exchanges everything, and writes only into a folder.",
    ),
    **_of(
        "SPEC.md section 10, hooks",
        prompts__not_again="A prompt is not given what its own session contains, since the agent has it.",
    ),
}
