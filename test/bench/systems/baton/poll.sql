SELECT receipt, payload FROM baton.receive('bench');
