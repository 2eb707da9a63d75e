CREATE SCHEMA "table_control";
--> statement-breakpoint
CREATE TABLE "table_control"."audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "table_control"."audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"subject" text NOT NULL,
	"table_name" text NOT NULL,
	"action" text NOT NULL,
	"guard" text NOT NULL,
	"kind" text NOT NULL,
	"rows" integer NOT NULL,
	"filter_hash" text,
	"outcome" text NOT NULL,
	"request_id" text NOT NULL,
	"job_id" uuid
);
--> statement-breakpoint
CREATE TABLE "table_control"."downloads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"object_key" text NOT NULL,
	"file_name" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"job_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "table_control"."idempotency_keys" (
	"subject" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"response" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_subject_key_pk" PRIMARY KEY("subject","key")
);
--> statement-breakpoint
CREATE TABLE "table_control"."job_chunks" (
	"job_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"keys" jsonb NOT NULL,
	"done_at" timestamp with time zone,
	"outcome" jsonb,
	CONSTRAINT "job_chunks_job_id_position_pk" PRIMARY KEY("job_id","position")
);
--> statement-breakpoint
CREATE TABLE "table_control"."job_recipients" (
	"job_id" uuid NOT NULL,
	"address" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"message_id" text,
	"code" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "job_recipients_job_id_address_pk" PRIMARY KEY("job_id","address")
);
--> statement-breakpoint
CREATE TABLE "table_control"."jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"identity" jsonb NOT NULL,
	"guard" text NOT NULL,
	"language" text NOT NULL,
	"table_name" text NOT NULL,
	"action" text NOT NULL,
	"kind" text NOT NULL,
	"response" text NOT NULL,
	"request" jsonb NOT NULL,
	"request_id" text NOT NULL,
	"base_url" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer,
	"attempts" integer DEFAULT 0 NOT NULL,
	"seq" integer DEFAULT 0 NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp with time zone,
	"enqueued_at" timestamp with time zone,
	"not_before" timestamp with time zone,
	"cancel_requested" boolean DEFAULT false NOT NULL,
	"result" jsonb,
	"failure" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "table_control"."notifications" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "table_control"."notifications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"subject" text NOT NULL,
	"title" jsonb NOT NULL,
	"body" jsonb NOT NULL,
	"level" text NOT NULL,
	"data" jsonb NOT NULL,
	"dedupe_key" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_at" timestamp with time zone,
	CONSTRAINT "notifications_once" UNIQUE("subject","dedupe_key")
);
--> statement-breakpoint
CREATE TABLE "table_control"."socket_tickets" (
	"hash" text PRIMARY KEY NOT NULL,
	"identity" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "table_control"."sockets" (
	"connection_id" text PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"connected_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bird_strikes" ADD COLUMN "risk" integer;--> statement-breakpoint
ALTER TABLE "bird_strikes" ADD COLUMN "archived" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "table_control"."job_chunks" ADD CONSTRAINT "job_chunks_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "table_control"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "table_control"."job_recipients" ADD CONSTRAINT "job_recipients_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "table_control"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_by_subject" ON "table_control"."audit" USING btree ("subject","at");--> statement-breakpoint
CREATE INDEX "downloads_by_expiry" ON "table_control"."downloads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "table_control"."idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "jobs_unfinished" ON "table_control"."jobs" USING btree ("state","enqueued_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_by_subject" ON "table_control"."jobs" USING btree ("subject","created_at");--> statement-breakpoint
CREATE INDEX "jobs_by_age" ON "table_control"."jobs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_by_subject" ON "table_control"."notifications" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "notifications_by_age" ON "table_control"."notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sockets_by_subject" ON "table_control"."sockets" USING btree ("subject");--> statement-breakpoint
CREATE INDEX "sockets_by_expiry" ON "table_control"."sockets" USING btree ("expires_at");