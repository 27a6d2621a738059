INSERT INTO job (payload) VALUES (:payload::jsonb) RETURNING id;
