SELECT count(*) FROM baton.peek('bench', 2147483647);
