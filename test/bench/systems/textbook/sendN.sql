INSERT INTO job (payload) SELECT unnest(:payloads::jsonb[]) RETURNING id;
