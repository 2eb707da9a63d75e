-- Stores one change of a transaction also if its statements run in savepoints, as those of a PL/pgSQL block with an exception handler do.
-- Rolling back to a savepoint takes back the setting together with the change.
CREATE OR REPLACE FUNCTION "table_control".record_row_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	stored text := coalesce(current_setting('table_control.stored_changes', true), '');
	truncates boolean := tg_op = 'TRUNCATE';
	changed text;
BEGIN
	FOREACH changed IN ARRAY tg_argv LOOP
		CONTINUE WHEN position(format('%L truncated;', changed) IN stored) > 0
			OR NOT truncates AND position(format('%L changed;', changed) IN stored) > 0;
		INSERT INTO table_control.row_events (table_name, is_truncate) SELECT changed, truncates
		WHERE EXISTS (SELECT FROM table_control.subscriptions watch WHERE watch.table_name = changed AND watch.expires_at > now());
		IF found THEN
			stored := stored || format('%L %s;', changed, CASE WHEN truncates THEN 'truncated' ELSE 'changed' END);
			PERFORM set_config('table_control.stored_changes', stored, true);
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
