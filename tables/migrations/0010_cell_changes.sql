CREATE TABLE "table_control"."cell_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "table_control"."cell_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"change" uuid NOT NULL,
	"undoes" uuid,
	"subject" text NOT NULL,
	"table_name" text NOT NULL,
	"row_key" text NOT NULL,
	"cells" jsonb NOT NULL,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "cell_changes_by_row" ON "table_control"."cell_changes" USING btree ("table_name","row_key","id");--> statement-breakpoint
CREATE INDEX "cell_changes_by_change" ON "table_control"."cell_changes" USING btree ("change");--> statement-breakpoint
-- The changes of cells are part of the audit and go with it. The function answers the larger of both numbers, because its caller goes on
-- while it is `max_rows`.
CREATE OR REPLACE FUNCTION "table_control"."remove_old_audit"("days" integer, "max_rows" integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
	with "oldest" as (
		select "id", "at" from "table_control"."audit" order by "id" limit least("max_rows", 10000)
	), "gone" as (
		delete from "table_control"."audit" where "id" in (
			select "id" from "oldest" where "at" < now() - make_interval(days => greatest("days", 30))
		) returning true
	), "oldest_changes" as (
		select "id", "at" from "table_control"."cell_changes" order by "id" limit least("max_rows", 10000)
	), "gone_changes" as (
		delete from "table_control"."cell_changes" where "id" in (
			select "id" from "oldest_changes" where "at" < now() - make_interval(days => greatest("days", 30))
		) returning true
	)
	select greatest((select count(*) from "gone"), (select count(*) from "gone_changes"))::integer
$$;
