-- Indexes of what is unfinished or unread, so that statements do not read the history of all callers. Building one blocks writes to its table:
-- where there are millions of rows, build them concurrently before (infra/CHANGELOG.md).
CREATE INDEX IF NOT EXISTS "jobs_unfinished_by_subject" ON "table_control"."jobs" USING btree ("subject","created_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_unfinished_by_age" ON "table_control"."jobs" USING btree ("created_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_running" ON "table_control"."jobs" USING btree ("subject") WHERE state = 'running';--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_put_back" ON "table_control"."jobs" USING btree ("subject","enqueued_at") WHERE state = 'queued' and attempts > 0;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_with_sample" ON "table_control"."jobs" USING btree ("finished_at") WHERE kind = 'plan' and result #> '{plan,sample}' <> '[]';--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "notifications_unread" ON "table_control"."notifications" USING btree ("subject","id") WHERE read_at is null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "imports_by_job" ON "table_control"."imports" USING btree ("job_id") WHERE job_id is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "socket_tickets_by_subject" ON "table_control"."socket_tickets" USING btree ((identity ->> 'subject'),"expires_at");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "socket_tickets_by_expiry" ON "table_control"."socket_tickets" USING btree ("expires_at");--> statement-breakpoint
-- With room in its page, an update of a row writes no index.
ALTER TABLE "table_control"."subscriptions" SET (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);--> statement-breakpoint
ALTER TABLE "table_control"."jobs" SET (fillfactor = 70);--> statement-breakpoint
-- A fifth of a large table, the default, is weeks of removed rows.
ALTER TABLE "table_control"."cell_changes" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."audit" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."notifications" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."idempotency_keys" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."job_events" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
-- If all sockets watch one table, the planner takes every row for a match of "=" and reads all of them; BETWEEN lets it expect few.
CREATE OR REPLACE FUNCTION "table_control".record_row_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	stored text := coalesce(current_setting('table_control.stored_changes', true), '');
	truncates boolean := tg_op = 'TRUNCATE';
	changed text;
BEGIN
	FOREACH changed IN ARRAY tg_argv LOOP
		CONTINUE WHEN position(format('%L truncated;', changed) IN stored) > 0
			OR NOT truncates AND position(format('%L changed;', changed) IN stored) > 0;
		INSERT INTO table_control.row_events (table_name, is_truncate) SELECT changed, truncates
		WHERE EXISTS (SELECT FROM table_control.subscriptions watch WHERE watch.table_name BETWEEN changed AND changed AND watch.expires_at > now());
		IF found THEN
			stored := stored || format('%L %s;', changed, CASE WHEN truncates THEN 'truncated' ELSE 'changed' END);
			PERFORM set_config('table_control.stored_changes', stored, true);
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
--> statement-breakpoint
-- Last, because it keeps readers out until the commit. The two above serve what these served, also for functions of the version before.
DROP INDEX IF EXISTS "table_control"."jobs_unfinished";--> statement-breakpoint
DROP INDEX IF EXISTS "table_control"."jobs_by_subject";
