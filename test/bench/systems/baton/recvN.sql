SELECT count(*) AS got, coalesce(array_agg(receipt), '{}') AS ids, string_agg(payload::text, ',') AS messages FROM baton.receive('bench', 100) \gset
\if :got > 0
SELECT baton.ack_batch(:ids::baton.receipt[]);
\endif
