SELECT count(*) FROM pgmq.q_bench;
