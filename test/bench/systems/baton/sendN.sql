SELECT baton.send_batch('bench', :payloads::jsonb[]);
