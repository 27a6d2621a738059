SELECT baton.send('bench', :payload::jsonb);
SELECT count(*) AS got, max(receipt::text) AS id, string_agg(payload::text, '') AS message FROM baton.receive('bench') \gset
\if :got > 0
SELECT baton.ack(:id::text);
\endif
