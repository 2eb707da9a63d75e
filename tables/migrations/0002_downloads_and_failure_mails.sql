CREATE TABLE "table_control"."failure_mails" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"enqueued_at" timestamp with time zone,
	"not_before" timestamp with time zone,
	"message_id" text,
	"code" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "table_control"."job_events" (
	"job_id" uuid NOT NULL,
	"seq" integer NOT NULL,
	"event" text NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_events_job_id_seq_pk" PRIMARY KEY("job_id","seq")
);
--> statement-breakpoint
ALTER TABLE "table_control"."downloads" ADD COLUMN "table_name" text;--> statement-breakpoint
ALTER TABLE "table_control"."downloads" ADD COLUMN "action" text;--> statement-breakpoint
ALTER TABLE "table_control"."downloads" ADD COLUMN "recipient" text;--> statement-breakpoint
ALTER TABLE "table_control"."failure_mails" ADD CONSTRAINT "failure_mails_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "table_control"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "table_control"."job_events" ADD CONSTRAINT "job_events_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "table_control"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "failure_mails_unsent" ON "table_control"."failure_mails" USING btree ("created_at") WHERE state in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "job_events_by_age" ON "table_control"."job_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "downloads_by_subject" ON "table_control"."downloads" USING btree ("subject","created_at");--> statement-breakpoint
CREATE INDEX "downloads_by_object" ON "table_control"."downloads" USING btree ("object_key");