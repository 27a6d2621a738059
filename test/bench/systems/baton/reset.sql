SELECT baton.drop_queue('bench', force => true);
SELECT baton.create_queue('bench');
