-- The changes of cells get a retention of their own, because they hold values and the entries of the audit do not. No setting reaches the
-- last day, for whose changes an undo may still be open.
CREATE OR REPLACE FUNCTION "table_control"."remove_old_audit"("days" integer, "max_rows" integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
	with "oldest" as (
		select "id", "at" from "table_control"."audit" order by "id" limit least("max_rows", 10000)
	), "gone" as (
		delete from "table_control"."audit" where "id" in (
			select "id" from "oldest" where "at" < now() - make_interval(days => greatest("days", 30))
		) returning true
	)
	select count(*)::integer from "gone"
$$;
--> statement-breakpoint
CREATE FUNCTION "table_control"."remove_old_cell_changes"("days" integer, "max_rows" integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
	with "oldest" as (
		select "id", "at" from "table_control"."cell_changes" order by "id" limit least("max_rows", 10000)
	), "gone" as (
		delete from "table_control"."cell_changes" where "id" in (
			select "id" from "oldest" where "at" < now() - make_interval(days => greatest("days", 1))
		) returning true
	)
	select count(*)::integer from "gone"
$$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "table_control"."remove_old_cell_changes"(integer, integer) FROM PUBLIC;
