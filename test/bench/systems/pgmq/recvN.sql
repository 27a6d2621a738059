SELECT count(*) AS got, coalesce(array_agg(msg_id), '{}') AS ids, string_agg(message::text, ',') AS messages FROM pgmq.read('bench', 30, 100) \gset
\if :got > 0
SELECT * FROM pgmq.delete('bench', :ids::bigint[]);
\endif
