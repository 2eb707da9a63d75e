-- Not logged: a crash of the server may refill every allowance, and a charge then neither waits for a disk nor fills the log. Half of each
-- page stays free, so that a charge writes no index.
CREATE UNLOGGED TABLE "table_control"."caller_usage" (
	"subject" text NOT NULL,
	"kind" text NOT NULL,
	"full_at" timestamp with time zone NOT NULL,
	"granted" boolean NOT NULL,
	CONSTRAINT "caller_usage_subject_kind_pk" PRIMARY KEY("subject","kind")
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "table_control"."jobs" ADD COLUMN "held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "jobs_by_start" ON "table_control"."jobs" USING btree ("subject","started_at");