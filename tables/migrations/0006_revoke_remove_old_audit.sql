-- contract: unused since 2026-11-21
-- Postgres lets everybody run a new function. This one runs as the owner and removes rows, so that only the owner and the role of the
-- functions may run it; that role is granted it with its other rights, after every migration.
REVOKE ALL ON FUNCTION "table_control"."remove_old_audit"(integer, integer) FROM PUBLIC;