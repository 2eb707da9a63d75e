CREATE TABLE "table_control"."undos" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"guard" text NOT NULL,
	"table_name" text NOT NULL,
	"action" text NOT NULL,
	"kind" text NOT NULL,
	"params" text NOT NULL,
	"rows" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"undone_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "undos_by_expiry" ON "table_control"."undos" USING btree ("expires_at");