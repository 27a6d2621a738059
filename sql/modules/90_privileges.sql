-- Nothing is granted to everybody; pg_monitor sees what holds no message. Last, the worker is asked for.

REVOKE ALL ON ALL TABLES IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL PROCEDURES IN SCHEMA baton FROM PUBLIC;

SELECT baton.grant_baton('pg_monitor', 'monitor');

SELECT baton._want_worker();
