SELECT msg_id, message FROM pgmq.read('bench', 30, 1);
