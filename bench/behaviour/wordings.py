"""How each planted behaviour is told, several ways each, and how everything else is; read by the generator alone."""

from collections.abc import Mapping

HELD: Mapping[str, tuple[str, ...]] = {
    "W1": (
        "removed semicolon from {ordinal} paragraph",
        "took out the semicolons in the reply to {contact}",
        "replaced a semicolon with a full stop",
        "split the {ordinal} sentence at the semicolon",
        "semicolons deleted before sending",
        "rewrote the line so that it needs no semicolon",
        "two short sentences instead of one with a semicolon",
    ),
    "W2": (
        "cut the sign-off down to one line",
        "shortened the {part}",
        "trimmed the last lines of the mail",
        "made the {part} briefer",
        "dropped half of the {part} before sending",
    ),
    "W3": (
        "changed the salutation to the surname for {contact}",
        "made the opening more formal",
        "put Dr and surname in the greeting",
        "greeting no longer by first name",
        "addressed {contact} formally",
    ),
    "W4": (
        "swapped the closing phrase",
        "closing formula replaced",
        "used another form of farewell than the draft",
        "put the usual closing words in",
    ),
    "W5": (
        "did: 'please find attached', changed to: 'attached is'",
        "changed 'please find attached' to 'attached is' in {ordinal} line",
        "wrote 'attached is' where the draft said 'please find attached'",
        "'please find attached' became plain 'attached is'",
        "reworded the attachment phrase: 'attached is', not 'please find attached'",
    ),
    "W6": (
        "rewrote the draft in the language of {contact}",
        "translated the reply before sending",
        "answered in another language than the draft",
        "draft put into the customer's language",
    ),
    "W7": (
        "added a sentence on delivery times",
        "put in when the goods will be delivered",
        "inserted the expected delivery date at the end",
        "delivery time added after the {ordinal} paragraph",
        "told {contact} the delivery week as well",
        "one more line about delivery",
    ),
    "W8": (
        "ticket number put in front of the subject",
        "added the case number to the subject line",
        "subject now starts with the ticket",
        "prefixed the subject with the ticket id",
    ),
    "W9": (
        "cut the text to a few lines",
        "reduced the draft to the essential",
        "much shorter than drafted",
        "removed {ordinal} and last paragraph",
        "condensed the mail before sending",
    ),
    "W10": (
        "turned down: tone too casual for a complaint",
        "rejected, it sounds too cheerful",
        "not sent, the tone does not fit",
        "draft refused for its tone",
    ),
    "W11": (
        "turned the note into bullet points",
        "rewrote call note as a list of bullets",
        "bullets instead of a paragraph in the note on {contact}",
        "note on the call split into bullet points",
        "made bullet points out of {ordinal} paragraph",
    ),
    "W12": (
        "amount written with the currency code in front",
        "moved the currency before the number",
        "EUR put before the figure",
        "currency sign replaced by its code",
        "reformatted the amount in the {ordinal} line",
    ),
    "R1": (
        "put off to Monday",
        "deferred, nothing more this week",
        "not now, next week please",
        "left for Monday morning",
        "postponed over the weekend",
    ),
    "R2": (
        "prepared the {topic} summary",
        "compiled {topic} overview for the day",
        "{topic} figures gathered and filed",
        "ran the {topic} round",
    ),
    "R3": (
        "answered {contact} at the end of the day",
        "wrote back to {contact}",
        "reply to {contact} sent",
        "sent {contact} the answer that was waiting",
    ),
    "R4": (
        "held back until later in the morning",
        "not before the coffee, try again at ten",
        "asked to be shown this later",
        "refused so early in the day",
    ),
    "R5": (
        "moved the appointment a day on",
        "kept the day free and shifted the meeting",
        "no meetings on that day, moved",
        "meeting with {contact} pushed to the day after",
    ),
    "R6": (
        "message kept until after lunch",
        "held over the lunch break",
        "waited with the message till the afternoon",
        "nothing sent at lunch, queued",
        "delivery delayed until lunch was over",
    ),
    "R7": (
        "released the payments of the week",
        "payment run for {topic}",
        "paid what was due for {topic}",
        "{topic} settled",
    ),
    "R8": (
        "synchronised the folder of {topic}",
        "{topic} files sorted and archived",
        "cleaned up the {topic} folder",
        "filed new {topic} documents",
    ),
    "R9": (
        "rang {contact} for the regular call",
        "call with {contact} logged",
        "spoke to {contact} as every week",
        "weekly talk with {contact}",
    ),
    "P1": (
        "draft to {contact} refused, written by hand",
        "wants to write to {contact} personally",
        "own words for {contact}, draft thrown away",
        "declined: {contact} gets a personal answer",
    ),
    "P2": (
        "moved to {colleague} instead",
        "mail of {contact} handed to {colleague}",
        "{colleague} deals with {contact}, rerouted",
        "forwarded to {colleague}",
    ),
    "P3": (
        "{topic} forwarded to {colleague}",
        "sent the {topic} on to {colleague}",
        "{colleague} gets every {topic}",
        "passed the {topic} to {colleague} for a look",
    ),
    "P4": (
        "fetched the mail of {contact} back from the archive",
        "not to be archived, moved back to the inbox",
        "undid the archiving",
        "restored message from {contact} out of the archive",
        "kept {contact} in the inbox rather than archived",
    ),
    "P5": (
        "added {colleague} in copy",
        "{colleague} put on cc",
        "copied {colleague} into the mail to {contact}",
        "cc to {colleague} added",
    ),
    "P6": (
        "settled by phone with {organisation}",
        "called {organisation} about the mismatch",
        "rang the accounts people, difference explained",
        "mismatch of {organisation} cleared by a call",
    ),
    "P7": (
        "answered {contact} at once",
        "quick reply to {contact}",
        "did not let {contact} wait",
        "{contact} served first",
    ),
    "P8": (
        "relayed to the other channel",
        "message of {contact} posted in the team channel",
        "shared what {contact} wrote with the team",
        "passed on to everybody",
    ),
    "P9": (
        "first name in the opening for {contact}",
        "made it personal: first name only",
        "surname dropped, {contact} is on first-name terms",
        "more familiar greeting",
    ),
    "P10": (
        "assigned to {colleague} because of {contact}",
        "owner changed to {colleague}",
        "account of {contact} is with {colleague} now",
        "gave the task to {colleague}",
    ),
    "T1": (
        "used the other tool for {topic}",
        "switched tools for the {topic}",
        "redid the {topic} in {tool}",
        "opened {tool} rather than what was proposed",
    ),
    "T2": (
        "worked on {topic}",
        "{topic} updated",
        "entered the new {topic}",
        "{topic} brought up to date",
    ),
    "T3": (
        "filed under another folder",
        "moved the {topic} to its usual place",
        "{topic} belongs elsewhere, moved",
        "changed the target folder",
    ),
    "T4": (
        "exported again in the other format",
        "format of the export changed",
        "wanted a different file type",
        "converted the export",
    ),
    "T5": (
        "picked up the phone instead of the chat",
        "rang rather than wrote in the chat",
        "phoned {contact}, chat left alone",
        "settled on the phone, no chat message",
        "by phone, not by chat",
    ),
    "T6": (
        "timed out while fetching {topic}",
        "no answer from the system for {topic}",
        "gave up on {topic} after three tries",
        "{topic} could not be loaded",
    ),
    "T7": (
        "urgent one sent as a text message",
        "went out by text because it was urgent",
        "urgent: changed the channel",
        "not by mail, too urgent",
    ),
    "T8": (
        "filled in the missing field",
        "completed the record by hand",
        "{field} added to the record of {contact}",
        "set {field} before saving",
    ),
    "T9": (
        "renamed the file with the date in front",
        "put the date at the start of the file name",
        "file name now begins with the date",
        "date prefixed to the name of the file",
        "gave the {topic} a name starting with its date",
    ),
    "T10": (
        "paid through {tool} because of the sum",
        "large one done in {tool}",
        "used {tool} for the bigger amount",
        "high amount, so {tool}",
    ),
    "D1": (
        "{topic} turned down, too large to go out unseen",
        "rejected, wants to do this {topic} alone",
        "no draft for a {topic} of this size",
        "refused the {topic} over that sum",
    ),
    "D2": (
        "discount lowered before approval",
        "cut the rebate",
        "gave less discount than proposed",
        "reduced the discount on the {topic}",
    ),
    "D3": (
        "sent back, no order number",
        "order number missing",
        "rejected until there is an order",
        "cannot be booked without an order number",
    ),
    "D4": (
        "does not want any {topic}",
        "declined the {topic} again",
        "no answer to {topic}",
        "{topic} refused",
    ),
    "D5": (
        "payment term changed",
        "set the term for {organisation} anew",
        "other days to pay than proposed",
        "term corrected for {organisation}",
    ),
    "D6": (
        "unknown sender, not approved",
        "held: nobody knows this contact yet",
        "rejected for a new contact",
        "first contact, wants to look personally",
    ),
    "D7": (
        "raised the priority",
        "moved {topic} up the list",
        "{topic} comes first",
        "priority of the {topic} corrected",
    ),
    "D8": (
        "went to {colleague} for a second signature",
        "asked {colleague} to sign as well",
        "amount above the limit, over to {colleague}",
        "handed to {colleague} for approval",
    ),
    "D9": (
        "meeting declined, too long",
        "refused the long appointment",
        "asked for a shorter slot",
        "no to a meeting of that length",
    ),
    "D10": (
        "rejected because the stock was not checked first",
        "stock has to be checked before this goes out",
        "wants the stock checked beforehand",
        "no promise without a look at the stock",
        "not approved: nobody looked whether it is in stock",
        "check the stock first",
    ),
    "D11": (
        "sent as a link because of its size",
        "big file replaced by a link",
        "shared by link, attachment dropped",
        "attachment too heavy, link instead",
    ),
    "D12": (
        "tax number has to be verified first",
        "stopped for a check of the tax number",
        "cross-border, tax number unverified",
        "could not be booked, tax check open",
    ),
}
"""By the code of a template, ways to tell that it held."""

APPROVED: Mapping[str, tuple[str, ...]] = {
    "email": (
        "reply approved as drafted",
        "sent the draft unchanged",
        "approved without changes",
        "fine as it is, sent",
        "answer to {contact} approved",
        "{topic} mail approved",
    ),
    "accounting": (
        "booking approved",
        "{topic} approved as proposed",
        "posted as suggested",
        "approved, no remarks",
        "{topic} of {contact} released",
    ),
    "crm": (
        "record update approved",
        "note saved as proposed",
        "{topic} approved",
        "entry for {contact} accepted",
        "accepted as suggested",
    ),
    "files": (
        "filing approved",
        "{topic} stored as proposed",
        "accepted the suggested place",
        "approved",
        "{topic} accepted",
    ),
    "relay": (
        "message approved",
        "passed on as written",
        "{topic} relayed after approval",
        "ok, deliver",
        "approved for {contact}",
    ),
}
"""By agent, ways to tell that all was well."""

DONE: Mapping[str, tuple[str, ...]] = {
    "email": (
        "answered a mail on {topic}",
        "sorted the inbox",
        "sent the reply to {contact}",
        "labelled a mail of {contact}",
        "{topic} mail handled",
        "acknowledged receipt to {contact}",
    ),
    "accounting": (
        "booked a {topic}",
        "matched {topic} with the bank",
        "{topic} of {contact} entered",
        "reconciled the account",
        "filed {topic}",
    ),
    "crm": (
        "updated the record of {contact}",
        "logged a {topic}",
        "added a note on {contact}",
        "{topic} scheduled",
        "merged a double entry",
    ),
    "files": (
        "stored {topic}",
        "indexed new {topic}",
        "moved {topic} to its folder",
        "shared {topic} with {contact}",
        "made a copy of {topic}",
    ),
    "relay": (
        "delivered a message to {contact}",
        "passed on {topic}",
        "notified {contact}",
        "{topic} sent to the team",
        "reminder delivered",
    ),
}
"""By agent, ways to tell of what it did by itself."""

NOISE_VERBS: tuple[str, ...] = (
    "changed", "checked", "reviewed", "moved", "opened", "closed", "rewrote", "deleted", "added", "compared",
    "asked for", "looked up", "renamed", "resent", "cancelled", "copied", "printed", "corrected", "questioned",
    "marked", "skipped", "reopened", "translated", "counted", "split", "joined", "measured", "highlighted",
    "reordered", "doubted", "swapped", "extended", "shortened", "dropped", "kept", "returned", "noted", "replaced",
    "fixed", "discussed",
)  # fmt: skip

NOISE_OBJECTS: tuple[str, ...] = (
    "the address", "a footnote", "the second table", "the map", "the heading", "a phone number", "the photo",
    "the list", "a link", "the deadline", "the price", "a comma", "the total", "a name", "the logo", "the order",
    "an old thread", "the schedule", "a signature", "the form", "the warranty", "a parcel", "the contract",
    "the label", "the sample", "a password", "the room", "the flight", "a hotel", "the budget", "the plan",
    "the chart", "the minutes", "a quotation", "the backup", "the colour", "a paragraph", "the invitation",
    "the calendar", "a reminder", "the catalogue", "the bank", "a receipt", "the salary", "the licence",
    "the survey", "the poster", "a template", "the draft", "the discount", "the introduction", "the summary",
    "the attachment", "an abbreviation", "the currency", "the customs form", "the tax", "the keys", "the printer",
    "a newsletter", "the site plan", "the version", "the archive", "the folder", "a bullet list", "the meeting",
    "the stock", "the delivery", "a phone call", "the subject", "the closing", "the greeting",
)  # fmt: skip

NOISE_DETAILS: tuple[str, ...] = (
    "", "", "", "", "for {contact}", "on page two", "after a call", "by mistake", "for the fair", "before the audit",
    "because of the holiday", "for the new office", "with {contact}", "once more", "in the annex", "for the board",
    "at the request of {contact}", "in the old system", "for {topic}", "as a test", "without comment",
    "for the trainee", "near the end", "from last year", "for the lawyer", "twice", "in red", "on the phone",
    "at the counter", "for {topic}",
)  # fmt: skip

NOISE_REASONS: tuple[str, ...] = (
    "wrong date", "outdated", "not needed", "duplicate", "too late", "unclear", "wrong person", "missing page",
    "too long", "not our case", "price changed", "later", "already done", "typo", "tone", "incomplete", "ask again",
    "cancelled order",
)  # fmt: skip

ORDINALS: tuple[str, ...] = ("first", "second", "third", "fourth", "last")
