SELECT count(*) FROM generate_series(1, :n / 1000) AS g, LATERAL baton.send_batch('bench', array_fill(:'payload'::jsonb, ARRAY[1000 + 0 * g]));
