-- Texts are compared in one form: the hash of that form, where the text is stored in another. Rows that stand are found
-- by the hash of their text, as before.
ALTER TABLE records ADD COLUMN identity TEXT;
DROP INDEX records_by_hash;
CREATE INDEX records_by_hash ON records (scope, COALESCE(identity, hash)) WHERE kind IN ('observation', 'reflection');

-- Names are stored in composed Unicode. Where two become one, the scope that is not composed keeps its rows under its name
-- with its number, such a session stays as it is, found by its words, and under a topic key the newest counts.
UPDATE scopes SET project = nfc(project), agent = nfc(agent), user = nfc(user)
WHERE (project <> nfc(project) OR agent <> nfc(agent) OR user <> nfc(user)) AND NOT EXISTS (
    SELECT 1 FROM scopes AS twin
    WHERE twin.id <> scopes.id AND twin.tenant = scopes.tenant AND nfc(twin.project) IS nfc(scopes.project)
        AND nfc(twin.agent) IS nfc(scopes.agent) AND nfc(twin.user) IS nfc(scopes.user)
);
UPDATE scopes SET
    project = nfc(project) || CASE WHEN project <> nfc(project) THEN ' (' || id || ')' ELSE '' END,
    agent = nfc(agent) || CASE WHEN agent <> nfc(agent) THEN ' (' || id || ')' ELSE '' END,
    user = nfc(user) || CASE WHEN user <> nfc(user) THEN ' (' || id || ')' ELSE '' END
WHERE project <> nfc(project) OR agent <> nfc(agent) OR user <> nfc(user);

CREATE TABLE composed AS
SELECT scope, id, nfc(id) AS name FROM sessions WHERE id <> nfc(id) AND NOT EXISTS (
    SELECT 1 FROM sessions AS twin
    WHERE twin.scope = sessions.scope AND twin.id <> sessions.id AND nfc(twin.id) = nfc(sessions.id)
);
UPDATE records SET session = composed.name FROM composed
WHERE composed.scope = records.scope AND composed.id = records.session;
UPDATE versions SET session = composed.name FROM composed
WHERE composed.scope = versions.scope AND composed.id = versions.session;
UPDATE chunks SET session = composed.name FROM composed
WHERE composed.scope = chunks.scope AND composed.id = chunks.session;
UPDATE logs SET session = composed.name FROM composed
WHERE composed.scope = logs.scope AND composed.id = logs.session;
UPDATE injections SET session = composed.name FROM composed
WHERE composed.scope = injections.scope AND composed.id = injections.session;
UPDATE weights SET session = composed.name FROM composed
WHERE composed.scope = weights.scope AND composed.id = weights.session;
UPDATE blocks SET session = composed.name FROM composed
WHERE composed.scope = blocks.scope AND composed.id = blocks.session;
UPDATE sessions SET id = composed.name FROM composed
WHERE composed.scope = sessions.scope AND composed.id = sessions.id;
DROP TABLE composed;

UPDATE records SET topic_key = nfc(topic_key) WHERE topic_key <> nfc(topic_key);
UPDATE records SET details = json_set(details, '$.key', nfc(details ->> '$.key'))
WHERE kind = 'fact' AND details ->> '$.key' <> nfc(details ->> '$.key');
UPDATE versions SET details = json_set(details, '$.key', nfc(details ->> '$.key'))
WHERE details ->> '$.key' <> nfc(details ->> '$.key');
UPDATE records SET tags = nfc(tags) WHERE tags <> nfc(tags);
UPDATE versions SET tags = nfc(tags) WHERE tags <> nfc(tags);
