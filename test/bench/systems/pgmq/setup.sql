CREATE EXTENSION pgmq;
SELECT pgmq.create('bench');
