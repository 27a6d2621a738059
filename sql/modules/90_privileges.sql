-- Nothing is granted to everybody; last, the worker is asked for.

REVOKE ALL ON ALL TABLES IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA baton FROM PUBLIC;
REVOKE ALL ON ALL PROCEDURES IN SCHEMA baton FROM PUBLIC;

SELECT baton._want_worker();
