INSERT INTO job (payload) SELECT :'payload'::jsonb FROM generate_series(1, :n);
ANALYZE job;
