SELECT baton.send('bench', :payload::jsonb);
