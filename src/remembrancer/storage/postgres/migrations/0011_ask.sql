-- A question to memory is a purpose of its own.
ALTER TABLE calls DROP CONSTRAINT calls_purpose_check;
ALTER TABLE calls ADD CONSTRAINT calls_purpose_check
    CHECK (purpose IN ('observe', 'reflect', 'detect', 'summarise', 'answer', 'ask', 'embed', 'rerank'));
