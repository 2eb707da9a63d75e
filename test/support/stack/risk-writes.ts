import type { Sql } from 'postgres'

export interface RiskWrites {
  /** How often a row's risk was written, and how many rows were. */
  readonly counts: () => Promise<{ readonly writes: number; readonly rows: number }>
  readonly forget: () => Promise<void>
  /** From now on each statement takes so many seconds longer. */
  readonly slowDown: (seconds: number) => Promise<void>
}

/** Lets Postgres itself note each row whose risk is written, in the transaction that writes it. */
export async function watchRisk(sql: () => Sql): Promise<RiskWrites> {
  await sql().unsafe(`
    create table risk_writes (id integer not null);
    create table risk_pace (seconds float not null);
    insert into risk_pace values (0);
    create function note_risk() returns trigger language plpgsql as $$
      begin insert into risk_writes select id from written; perform pg_sleep(seconds) from risk_pace; return null; end $$;
    create trigger note_risk after update on bird_strikes
      referencing new table as written for each statement execute function note_risk();
    grant all on risk_writes, risk_pace to public`)
  return {
    counts: async () => {
      const [row] = await sql()`select count(*)::int as writes, count(distinct id)::int as rows from risk_writes`
      return { writes: row?.['writes'], rows: row?.['rows'] }
    },
    forget: async () => {
      await sql()`delete from risk_writes`
    },
    slowDown: async (seconds) => {
      await sql()`update risk_pace set seconds = ${seconds}`
    },
  }
}
