SELECT * FROM pgmq.send('bench', :payload::jsonb);
\set id 0
SELECT msg_id AS id, message FROM pgmq.read('bench', 30, 1) \aset
\if :id > 0
SELECT pgmq.delete('bench', :id::bigint);
\endif
