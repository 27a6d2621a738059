-- The schema is made here and so belongs to the extension: one that exists already, of whomever, is refused.

CREATE SCHEMA baton;
COMMENT ON SCHEMA baton IS 'queues and a transactional outbox';
