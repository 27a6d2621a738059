SELECT * FROM pgmq.send('bench', :payload::jsonb);
