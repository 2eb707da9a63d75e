ALTER TABLE "table_control"."notifications" ADD COLUMN "identity" jsonb;--> statement-breakpoint
ALTER TABLE "table_control"."notifications" ADD COLUMN "table_name" text;