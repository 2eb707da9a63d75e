CREATE TABLE "table_control"."plans" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subject" text NOT NULL,
	"guard" text NOT NULL,
	"table_name" text NOT NULL,
	"action" text NOT NULL,
	"kind" text NOT NULL,
	"params" text NOT NULL,
	"request" json NOT NULL,
	"rows" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"applied_at" timestamp with time zone,
	"rights" text,
	"response" text
);
--> statement-breakpoint
CREATE INDEX "plans_by_subject" ON "table_control"."plans" USING btree ("subject","expires_at");--> statement-breakpoint
CREATE INDEX "plans_by_expiry" ON "table_control"."plans" USING btree ("expires_at");