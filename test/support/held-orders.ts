import type { Sql } from 'postgres'

/**
 * Makes every update of the orders wait until the result is called, at its statement or at its commit: an event in place of a
 * pause, which would be too short on a loaded machine.
 */
export async function holdOrders(sql: Sql, until: 'statement' | 'commit'): Promise<() => Promise<void>> {
  const trigger = {
    statement: 'create trigger held before update on orders for each statement',
    commit: 'create constraint trigger held after update on orders deferrable initially deferred for each row',
  }
  await sql.unsafe(`create table held ();
    create function wait_until_released() returns trigger language plpgsql security definer as 'begin
      loop
        perform from pg_class where relname = ''held'';
        exit when not found;
        perform pg_sleep(0.02);
      end loop;
      return null;
    end';
    ${trigger[until]} execute function wait_until_released()`)
  return async () => {
    // Waiting statements lock the orders, so the trigger is dropped after the last one.
    await sql.unsafe('drop table held')
    await sql.unsafe('drop function wait_until_released cascade')
  }
}
