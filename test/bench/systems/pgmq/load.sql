SELECT count(*) FROM generate_series(1, :n / 1000) AS g, LATERAL pgmq.send_batch('bench', array_fill(:'payload'::jsonb, ARRAY[1000 + 0 * g]));
ANALYZE pgmq.q_bench;
