-- Statements that need a few rows find them by an index. Building one blocks writes to its table: where there are millions of rows, build
-- them concurrently before (infra/CHANGELOG.md).
-- Until a vacuum, each claim of a job passes over those that have ended, in the indexes of unfinished jobs.
ALTER TABLE "table_control"."jobs" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."job_chunks" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."job_recipients" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "table_control"."downloads" SET (autovacuum_vacuum_scale_factor = 0.02);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "downloads_by_job" ON "table_control"."downloads" USING btree ("job_id") WHERE job_id is not null;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_with_message" ON "table_control"."jobs" USING btree ("created_at") WHERE state = 'queued' and not held;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_held" ON "table_control"."jobs" USING btree ("subject","created_at") WHERE state = 'queued' and held;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "jobs_with_chunks" ON "table_control"."jobs" USING btree ("finished_at") WHERE kind in ('bulk', 'plan') and not chunks_removed;
