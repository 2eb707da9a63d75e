-- Texts as a search compares them: NFKC, without case, diacritics, tashkeel and tatweel, with one letter for the forms of alef and its
-- like, and with digits of ASCII. Equal to `foldText` of lib. Indexes hold what it returns: a later version needs another name.
CREATE FUNCTION "table_control".fold_text(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	folded text COLLATE "C";
BEGIN
	IF octet_length(given) = length(given) THEN
		RETURN lower(given COLLATE "C");
	END IF;
	folded := regexp_replace(
		normalize(given, NFKD) COLLATE "C",
		'[\u00ad\u0300-\u036f\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+',
		'',
		'g'
	);
	IF octet_length(folded) = length(folded) THEN
		RETURN lower(folded);
	END IF;
	folded := translate(lower(folded COLLATE "default"), 'ةىٱیکøđðłħŧıς', 'هيايكoddlhtiσ');
	-- A longer list makes each letter dearer, and few texts have these digits.
	IF folded ~ '[٠-٩۰-۹]' THEN
		folded := translate(folded, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789');
	END IF;
	folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
	RETURN normalize(folded, NFKC);
END $$;
--> statement-breakpoint
-- Without pg_trgm, searching works and reads all rows. "npm run table:lint" then names the indexes that are missing.
DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS pg_trgm;
	CREATE INDEX "airports_search" ON "airports" USING gin (table_control.fold_text("iata") gin_trgm_ops, table_control.fold_text("name") gin_trgm_ops, table_control.fold_text("city") gin_trgm_ops);
	CREATE INDEX "bird_strikes_search" ON "bird_strikes" USING gin (table_control.fold_text("airport_name") gin_trgm_ops, table_control.fold_text("operator") gin_trgm_ops, table_control.fold_text("species") gin_trgm_ops, table_control.fold_text("note") gin_trgm_ops);
	CREATE INDEX "flights_search" ON "flights" USING gin (table_control.fold_text("origin") gin_trgm_ops, table_control.fold_text("destination") gin_trgm_ops);
EXCEPTION
	WHEN feature_not_supported OR undefined_file OR insufficient_privilege OR undefined_object THEN
		RAISE NOTICE 'searches have no index: %', SQLERRM;
END $$;
