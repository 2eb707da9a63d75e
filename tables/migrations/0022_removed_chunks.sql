-- A file of its own, because it keeps readers out until its commit. Jobs of before count as such that have chunks; the sweep marks the others.
ALTER TABLE "table_control"."jobs" ADD COLUMN IF NOT EXISTS "chunks_removed" boolean DEFAULT false NOT NULL;
