SELECT baton.create_queue('bench');
