-- The functions may only add to the audit. Through this they remove what is older than their setting says, and never what is
-- younger than 30 days. It looks at the oldest rows alone, so that it costs nothing where there is nothing to remove.
CREATE FUNCTION "table_control"."remove_old_audit"("days" integer, "max_rows" integer) RETURNS integer
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
