CREATE TABLE "table_control"."row_polls" (
	"table_name" text PRIMARY KEY NOT NULL,
	"number" integer DEFAULT 1 NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "table_control"."row_events" ADD COLUMN "is_truncate" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- The trigger of a table whose live rows show what other programs write. Its arguments are the names under which the table is registered.
-- It stores one change of a transaction, and only while somebody watches.
CREATE FUNCTION "table_control".record_row_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	INSERT INTO table_control.row_events (table_name, is_truncate)
	SELECT name, tg_op = 'TRUNCATE' FROM unnest(tg_argv) AS name
	WHERE EXISTS (SELECT FROM table_control.subscriptions watch WHERE watch.table_name = name AND watch.expires_at > now())
		AND NOT EXISTS (
			SELECT FROM table_control.row_events stored
			WHERE stored.table_name = name AND stored.connection_id IS NULL AND stored.is_truncate >= (tg_op = 'TRUNCATE')
				AND stored.xmin = pg_current_xact_id()::xid
		);
	RETURN NULL;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION "table_control".record_row_change() FROM PUBLIC;
