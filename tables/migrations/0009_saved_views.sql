CREATE TABLE "table_control"."views" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subject" text NOT NULL,
	"table_name" text NOT NULL,
	"name" text NOT NULL,
	"visibility" text NOT NULL,
	"tenant" text,
	"is_default" boolean NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"query" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "views_by_name" UNIQUE("subject","table_name","name")
);
--> statement-breakpoint
CREATE INDEX "views_shared" ON "table_control"."views" USING btree ("table_name","tenant","updated_at") WHERE visibility = 'shared';