-- Texts are compared in one form: the hash of that form, where the text is stored in another. Rows that stand are found
-- by the hash of their text, as before.
ALTER TABLE records ADD COLUMN identity text;
DROP INDEX records_by_hash;
CREATE INDEX records_by_hash ON records (scope, COALESCE(identity, hash)) WHERE kind IN ('observation', 'reflection');

-- Names are stored in composed Unicode. Where two become one, the scope that is not composed keeps its rows under its name
-- with its number, such a session stays as it is, found by its words, and under a topic key the newest counts.
-- Whoever owns the tables writes to those of all tenants here.
DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY[
        'scopes', 'sessions', 'records', 'versions', 'chunks', 'logs', 'injections', 'weights', 'blocks'
    ] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I NO FORCE ROW LEVEL SECURITY', named);
    END LOOP;
END
$$;

UPDATE scopes SET project = normalize(project), agent = normalize(agent), "user" = normalize("user")
WHERE (project <> normalize(project) OR agent <> normalize(agent) OR "user" <> normalize("user")) AND NOT EXISTS (
    SELECT 1 FROM scopes AS twin
    WHERE twin.id <> scopes.id AND twin.tenant = scopes.tenant
        AND normalize(twin.project) IS NOT DISTINCT FROM normalize(scopes.project)
        AND normalize(twin.agent) IS NOT DISTINCT FROM normalize(scopes.agent)
        AND normalize(twin."user") IS NOT DISTINCT FROM normalize(scopes."user")
);
UPDATE scopes SET
    project = normalize(project) || CASE WHEN project <> normalize(project) THEN ' (' || id || ')' ELSE '' END,
    agent = normalize(agent) || CASE WHEN agent <> normalize(agent) THEN ' (' || id || ')' ELSE '' END,
    "user" = normalize("user") || CASE WHEN "user" <> normalize("user") THEN ' (' || id || ')' ELSE '' END
WHERE project <> normalize(project) OR agent <> normalize(agent) OR "user" <> normalize("user");

CREATE TABLE composed AS
SELECT scope, id, normalize(id) AS name FROM sessions WHERE id <> normalize(id) AND NOT EXISTS (
    SELECT 1 FROM sessions AS twin
    WHERE twin.scope = sessions.scope AND twin.id <> sessions.id AND normalize(twin.id) = normalize(sessions.id)
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

UPDATE records SET topic_key = normalize(topic_key) WHERE topic_key <> normalize(topic_key);
UPDATE records SET details = jsonb_set(details::jsonb, '{key}', to_jsonb(normalize(details ->> 'key')))::json
WHERE kind = 'fact' AND details ->> 'key' <> normalize(details ->> 'key');
UPDATE versions SET details = jsonb_set(details::jsonb, '{key}', to_jsonb(normalize(details ->> 'key')))::json
WHERE details ->> 'key' <> normalize(details ->> 'key');
UPDATE records SET tags = ARRAY(
    SELECT normalize(tag) FROM unnest(tags) WITH ORDINALITY AS one (tag, place) ORDER BY place
)
WHERE array_to_string(tags, ' ') <> normalize(array_to_string(tags, ' '));
UPDATE versions SET tags = ARRAY(
    SELECT normalize(tag) FROM unnest(tags) WITH ORDINALITY AS one (tag, place) ORDER BY place
)
WHERE array_to_string(tags, ' ') <> normalize(array_to_string(tags, ' '));

DO $$
DECLARE
    named text;
BEGIN
    FOREACH named IN ARRAY ARRAY[
        'scopes', 'sessions', 'records', 'versions', 'chunks', 'logs', 'injections', 'weights', 'blocks'
    ] LOOP
        EXECUTE format('ALTER TABLE remembrancer.%I FORCE ROW LEVEL SECURITY', named);
    END LOOP;
END
$$;
