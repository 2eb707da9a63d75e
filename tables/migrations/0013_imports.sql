CREATE TABLE "table_control"."import_cells" (
	"import_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"row_key" text,
	"field" text,
	"kind" text NOT NULL,
	"place" text NOT NULL,
	"cell_values" text NOT NULL,
	"code" text,
	"en" text,
	"ar" text,
	CONSTRAINT "import_cells_import_id_position_pk" PRIMARY KEY("import_id","position")
);
--> statement-breakpoint
CREATE TABLE "table_control"."imports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"subject" text NOT NULL,
	"guard" text NOT NULL,
	"table_name" text NOT NULL,
	"params" text NOT NULL,
	"object_key" text NOT NULL,
	"bytes" integer NOT NULL,
	"job_id" uuid,
	"plan_id" uuid,
	"summary" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"applied_at" timestamp with time zone,
	"rights" text,
	"response" text
);
--> statement-breakpoint
ALTER TABLE "table_control"."import_cells" ADD CONSTRAINT "import_cells_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "table_control"."imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_cells_by_row" ON "table_control"."import_cells" USING btree ("row_key");--> statement-breakpoint
CREATE INDEX "imports_by_subject" ON "table_control"."imports" USING btree ("subject","expires_at");--> statement-breakpoint
CREATE INDEX "imports_by_expiry" ON "table_control"."imports" USING btree ("expires_at");