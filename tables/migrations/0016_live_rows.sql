CREATE TABLE "table_control"."row_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "table_control"."row_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"table_name" text NOT NULL,
	"connection_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "table_control"."subscriptions" (
	"connection_id" text NOT NULL,
	"id" text NOT NULL,
	"table_name" text NOT NULL,
	"identity" jsonb NOT NULL,
	"guard" text NOT NULL,
	"language" text NOT NULL,
	"base_url" text NOT NULL,
	"query" text NOT NULL,
	"shown" json,
	"seq" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp with time zone,
	"sent_count" integer DEFAULT 0 NOT NULL,
	"is_held" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "subscriptions_connection_id_id_pk" PRIMARY KEY("connection_id","id")
);
--> statement-breakpoint
ALTER TABLE "table_control"."subscriptions" ADD CONSTRAINT "subscriptions_connection_id_sockets_connection_id_fk" FOREIGN KEY ("connection_id") REFERENCES "table_control"."sockets"("connection_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "row_events_by_table" ON "table_control"."row_events" USING btree ("table_name","due_at");--> statement-breakpoint
CREATE INDEX "subscriptions_by_table" ON "table_control"."subscriptions" USING btree ("table_name");--> statement-breakpoint
CREATE INDEX "subscriptions_by_expiry" ON "table_control"."subscriptions" USING btree ("expires_at");