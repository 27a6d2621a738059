SELECT pgmq.drop_queue('bench');
SELECT pgmq.create('bench');
