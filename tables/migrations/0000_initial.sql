CREATE TABLE "airports" (
	"iata" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"city" text,
	"state" text,
	"country" text NOT NULL,
	"latitude" double precision NOT NULL,
	"longitude" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bird_strikes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "bird_strikes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"airport_name" text NOT NULL,
	"aircraft_model" text,
	"damage" text NOT NULL,
	"flight_date" date NOT NULL,
	"operator" text,
	"origin_state" text,
	"phase" text,
	"wildlife_size" text,
	"species" text,
	"time_of_day" text,
	"cost_other" integer NOT NULL,
	"cost_repair" integer NOT NULL,
	"cost_total" integer NOT NULL,
	"speed_knots" integer,
	"status" text DEFAULT 'open' NOT NULL,
	"flagged" boolean DEFAULT false NOT NULL,
	"assignee" text,
	"note" text,
	"reviewed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "flights" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flights_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"date" timestamp(0) NOT NULL,
	"delay" integer NOT NULL,
	"distance" integer NOT NULL,
	"origin" text NOT NULL,
	"destination" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "flights" ADD CONSTRAINT "flights_origin_airports_iata_fk" FOREIGN KEY ("origin") REFERENCES "public"."airports"("iata") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flights" ADD CONSTRAINT "flights_destination_airports_iata_fk" FOREIGN KEY ("destination") REFERENCES "public"."airports"("iata") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bird_strikes_flight_date_id_index" ON "bird_strikes" USING btree ("flight_date","id");--> statement-breakpoint
CREATE INDEX "bird_strikes_origin_state_flight_date_id_index" ON "bird_strikes" USING btree ("origin_state","flight_date","id");--> statement-breakpoint
CREATE INDEX "bird_strikes_status_flight_date_id_index" ON "bird_strikes" USING btree ("status","flight_date","id");--> statement-breakpoint
CREATE INDEX "bird_strikes_damage_flight_date_id_index" ON "bird_strikes" USING btree ("damage","flight_date","id");--> statement-breakpoint
CREATE INDEX "bird_strikes_species_flight_date_id_index" ON "bird_strikes" USING btree ("species","flight_date","id");--> statement-breakpoint
CREATE INDEX "bird_strikes_cost_total_id_index" ON "bird_strikes" USING btree ("cost_total","id");--> statement-breakpoint
CREATE INDEX "flights_date_id_index" ON "flights" USING btree ("date","id");--> statement-breakpoint
CREATE INDEX "flights_origin_date_id_index" ON "flights" USING btree ("origin","date","id");--> statement-breakpoint
CREATE INDEX "flights_destination_date_id_index" ON "flights" USING btree ("destination","date","id");--> statement-breakpoint
CREATE INDEX "flights_origin_destination_date_id_index" ON "flights" USING btree ("origin","destination","date","id");--> statement-breakpoint
CREATE INDEX "flights_delay_id_index" ON "flights" USING btree ("delay","id");--> statement-breakpoint
CREATE INDEX "flights_distance_id_index" ON "flights" USING btree ("distance","id");--> statement-breakpoint
CREATE INDEX "flights_origin_delay_id_index" ON "flights" USING btree ("origin","delay","id");