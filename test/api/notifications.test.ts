import { afterAll, describe, expect, it } from 'vitest'
import { createNotification, type NewNotification } from '../../lib/push/notification.ts'
import { pushNotification } from '../../lib/push/push.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { north, south } from '../support/fixtures/identities.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { waitFor } from '../support/run/patience.ts'
import { startPushInstallation } from '../support/sockets/push-installation.ts'

// Without a limit to how long a lock is waited for, so that a slow machine has time to look.
const installation = await startPushInstallation({ DATABASE_TIMEOUTS: 'role' })
afterAll(() => installation.stop())
const { connect, get, post, service, sql } = installation

const notify = (subject: string, more: Partial<NewNotification> = {}) =>
  service.database.transaction(({ run }) =>
    createNotification(run, { subject, title: { en: 'Done', ar: 'تم' }, body: 'x', ...more }),
  )

let callers = 0

/** So many notifications of a new caller; their ids, the oldest first. */
async function callerWith(count: number): Promise<{ readonly as: TestIdentity; readonly ids: readonly number[] }> {
  const as = { sub: `caller ${++callers}` }
  const ids: number[] = []
  for (let index = 0; index < count; index++) ids.push((await notify(as.sub)).id)
  return { as, ids }
}

const listIds = ({ json }: Awaited<ReturnType<typeof get>>) => json.items.map(({ id }: { id: number }) => id)

describe('GET notifications', () => {
  it('shows the caller’s own in the caller’s language, the newest first', async () => {
    const as = { sub: 'reader' }
    await notify(as.sub, { body: { en: 'Three rows', ar: 'ثلاثة صفوف' }, data: { rows: 3 } })
    await notify(as.sub, { title: 'Late', level: 'warning' })
    await notify(south.sub)
    const entry = { id: expect.any(Number), created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), read_at: null }
    const { status, json } = await get('notifications', { as })
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      items: [
        { ...entry, title: 'Late', body: 'x', level: 'warning', data: {} },
        { ...entry, title: 'Done', body: 'Three rows', level: 'info', data: { rows: 3 } },
      ],
      unread_count: 2,
      next: null,
    })
    const arabic = (await get('notifications', { as, headers: { ln: 'ar' } })).json.items
    expect(arabic[1]).toMatchObject({ title: 'تم', body: 'ثلاثة صفوف' })
    expect(arabic[0]).toMatchObject({ title: 'Late', body: 'x' })
  })

  it('goes back page by page with `before`, and shows each once', async () => {
    const { as, ids } = await callerWith(5)
    const seen: number[] = []
    let next: number | null = null
    do {
      const page = await get(`notifications?limit=2${next === null ? '' : `&before=${next}`}`, { as })
      seen.push(...listIds(page))
      expect(page.json.unread_count).toBe(5)
      next = page.json.next
    } while (next !== null)
    expect(seen).toEqual(ids.toReversed())
  })

  it('shows notifications newer than `after` to a caller who was away', async () => {
    const { as, ids } = await callerWith(4)
    expect(listIds(await get(`notifications?after=${ids[1]}`, { as }))).toEqual([ids[3], ids[2]])
    expect(listIds(await get(`notifications?after=${ids[3]}`, { as }))).toEqual([])
    const page = await get(`notifications?after=${ids[0]}&limit=2`, { as })
    expect(page.json.next).toBe(ids[2])
    expect(listIds(await get(`notifications?after=${ids[0]}&limit=2&before=${ids[2]}`, { as }))).toEqual([ids[1]])
  })

  it.each(['1', 'true'])('shows the unread alone for unread=%s', async (unread) => {
    const { as, ids } = await callerWith(3)
    await post('notifications/read', { ids: [ids[1]] }, { as })
    expect(listIds(await get(`notifications?unread=${unread}`, { as }))).toEqual([ids[2], ids[0]])
    expect(listIds(await get('notifications?unread=0', { as }))).toHaveLength(3)
  })

  it('shows 50 where no limit is given', async () => {
    const { as } = await callerWith(51)
    const { json } = await get('notifications', { as })
    expect([json.items.length, json.unread_count]).toEqual([50, 51])
    expect(listIds(await get('notifications?limit=100', { as }))).toHaveLength(51)
  })

  it.each([
    ...['after=-1', 'after=x', 'after=1.5', 'after=99999999999999999', 'after=%00', "after=1' or true--"],
    ...['before=0', 'before=1e3', 'limit=0', 'limit=101', 'limit=x', 'unread=perhaps'],
  ])('refuses %s by its name', async (query) => {
    const [field = ''] = query.split('=')
    expectFailure(await get(`notifications?${query}`), { status: 422, code: 'validation_failed', field })
  })

  it('names every mistake at once', async () => {
    const { json } = await get('notifications?after=x&limit=0&unread=z')
    expect(Object.keys(json.fields)).toEqual(['after', 'limit', 'unread'])
  })

  it('needs a token', async () => {
    expectFailure(await get('notifications', { as: null }), { status: 401, code: 'unauthenticated' })
  })
})

describe('POST notifications/read', () => {
  it.each(['id', 'all', 'notification_ids'])('does not take %s for all of them', async (key) => {
    const response = await post('notifications/read', { [key]: 1 }, { as: south })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'ids' })
  })

  it('marks those of `ids`, once', async () => {
    const { as, ids } = await callerWith(3)
    const read = () => post('notifications/read', { ids: [ids[0], String(ids[2]), ids[0]] }, { as })
    expect((await read()).json).toEqual({ success: true, updated: 2, unread_count: 1 })
    const first = (await get('notifications', { as })).json.items
    expect(first.map(({ read_at }: { read_at: unknown }) => read_at === null)).toEqual([false, true, false])
    expect((await read()).json).toEqual({ success: true, updated: 0, unread_count: 1 })
    expect((await get('notifications', { as })).json.items).toEqual(first)
  })

  it('marks all without `ids`, and none for an empty list', async () => {
    const { as } = await callerWith(3)
    expect((await post('notifications/read', { ids: [] }, { as })).json).toMatchObject({ updated: 0, unread_count: 3 })
    expect((await post('notifications/read', {}, { as })).json).toMatchObject({ updated: 3, unread_count: 0 })
    expect((await post('notifications/read', undefined, { as })).json).toMatchObject({ updated: 0, unread_count: 0 })
  })

  it('counts each that it marks once, also by two requests at once', async () => {
    const { as } = await callerWith(3)
    const markAll = () => post('notifications/read', {}, { as })
    const lock = `select from table_control.notifications where subject = '${as.sub}' for update`
    const both = await sendBehindLock(sql, lock, [markAll, markAll])
    expect(both.map(({ json }) => json.updated).toSorted()).toEqual([0, 3])
  })

  it('marks some of them and all of them at once, and neither request waits for the other for ever', async () => {
    const { as, ids } = await callerWith(3)
    const sent = await sql.begin(async (holding) => {
      await holding`select from table_control.notifications where id = ${ids[1] ?? 0} for update`
      const waitForLocks = (count: number) =>
        waitFor(async () => {
          const waiting = await sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`
          expect(waiting).toHaveLength(count)
        })
      const all = post('notifications/read', {}, { as })
      await waitForLocks(1)
      const some = post('notifications/read', { ids: [ids[0], ids[2]] }, { as })
      await waitForLocks(2)
      return { responses: Promise.all([all, some]) }
    })
    expect((await sent.responses).map(({ json }) => json.updated)).toEqual([3, 0])
  })

  it('marks all of many thousands, and not in one statement', async () => {
    const as = { sub: 'caller with many' }
    await sql`create table statements (marked bigint)`
    await sql`create function count_marked() returns trigger language plpgsql security definer as
      $$ begin insert into public.statements select count(*) from marked; return null; end $$`
    await sql`create trigger count_marked after update on table_control.notifications referencing new table as marked
      for each statement execute function count_marked()`
    await sql`insert into table_control.notifications (subject, title, body, level, data)
      select ${as.sub}, '{}', '{}', 'info', '{}' from generate_series(1, 10001)`
    expect((await post('notifications/read', {}, { as })).json).toMatchObject({ updated: 10_001, unread_count: 0 })
    await sql`drop function count_marked cascade`
    expect(await sql`select marked::int from statements`).toEqual([5_000, 5_000, 1].map((marked) => ({ marked })))
  })

  it('reads an index that ends with what is unread, however many were read', async () => {
    const { as } = await callerWith(3)
    await sql`insert into table_control.notifications (subject, title, body, level, data, read_at)
      select ${as.sub}, '{}', '{}', 'info', '{}', now() from generate_series(1, 5000)`
    await sql`analyze table_control.notifications`
    const plan =
      await sql`explain select count(*) from table_control.notifications where subject = ${as.sub} and read_at is null`
    expect(JSON.stringify(plan)).toContain('notifications_unread')
  })

  it('never touches notifications of another caller, which look like unknown ones', async () => {
    const mine = await callerWith(1)
    const theirs = await callerWith(2)
    const ids = [...theirs.ids, 999_999_999]
    expect((await post('notifications/read', { ids }, { as: mine.as })).json).toMatchObject({ updated: 0 })
    expect((await post('notifications/read', {}, { as: mine.as })).json).toMatchObject({ updated: 1 })
    expect((await get('notifications', { as: theirs.as })).json.unread_count).toBe(2)
  })

  it.each<readonly [field: string, ids: unknown]>([
    ['ids', null],
    ['ids', 'all'],
    ['ids', 1],
    ['ids', {}],
    ...[0, -1, 1.5, 2 ** 53, '01x', '', null, true, {}, [1], '\u0000', '99999999999999999'].map(
      (id): [string, unknown] => ['ids.1', [1, id]],
    ),
  ])('refuses what is no list of ids and names %s: %j', async (field, ids) => {
    expectFailure(await post('notifications/read', { ids }), { status: 422, code: 'validation_failed', field })
  })

  it('refuses more than 1,000 ids', async () => {
    const ids = Array.from({ length: 1_001 }, () => 1)
    expectFailure(await post('notifications/read', { ids }), { status: 422, code: 'validation_failed', field: 'ids' })
  })
})

describe('a notification', () => {
  it('is stored with its cause or not at all', async () => {
    const as = { sub: 'rolled back' }
    const cause = service.database.transaction(async ({ run }) => {
      await createNotification(run, { subject: as.sub, title: 'a', body: 'b' })
      throw new Error('the cause failed')
    })
    await expect(cause).rejects.toThrow('the cause failed')
    expect((await get('notifications', { as })).json.items).toEqual([])
  })

  it('is not stored again under a known key, also when both are stored at once', async () => {
    const [one, two] = await Promise.all(
      ['first', 'second'].map((title) => notify('twice', { title, dedupeKey: 'job 1' })),
    )
    expect(two).toEqual(one)
    expect(await notify('twice', { title: 'third', dedupeKey: 'job 1' })).toEqual(one)
    expect((await notify('another', { dedupeKey: 'job 1' })).id).not.toBe(one?.id)
    expect((await get('notifications', { as: { sub: 'twice' } })).json.items).toHaveLength(1)
  })

  it('is clipped and not refused if its texts are long, because what it reports has been done', async () => {
    const text = { en: 'a'.repeat(9_000), ar: `${'م'.repeat(998)}😀${'م'.repeat(9_000)}` }
    const { title, body } = await notify('wordy', { title: text, body: text, data: { x: 'x'.repeat(8_900) } })
    expect([title.en.length, body.en.length]).toEqual([200, 1_000])
    expect(body.ar.isWellFormed()).toBe(true)
  })

  it('holds up to 16 KB', async () => {
    const room = 16_384 - JSON.stringify([{ en: 'a', ar: 'a' }, { en: 'b', ar: 'b' }, { x: '' }]).length + 4
    const of = (size: number) => notify('large', { title: 'a', body: 'b', data: { x: 'x'.repeat(size) } })
    expect((await of(room)).data).toEqual({ x: 'x'.repeat(room) })
    await expect(of(room + 1)).rejects.toThrow('16384')
  })

  it('is shown on every open socket of its subject alone, in the language of its request', async () => {
    const one = await connect()
    const two = await connect()
    const others = await connect(south)
    const stored = await notify(north.sub, { data: { rows: 3 }, level: 'success' })
    expect(await pushNotification(service, stored, 'ar')).toMatchObject({ delivered: 2 })
    const entry = (await get('notifications', { headers: { ln: 'ar' } })).json.items[0]
    const { id } = stored
    const message = { event: 'notification', channel: 'notifications', id, seq: id, data: entry }
    expect(await one.received(1)).toEqual([message])
    expect(await two.received(1)).toEqual([message])
    expect(others.messages).toEqual([])
  })

  it('stays when the push fails', async () => {
    await sql`insert into table_control.sockets (connection_id, subject, connected_at, expires_at)
      values ('gone', 'away', now() - interval '1 hour', now() + interval '1 hour')`
    const stored = await notify('away')
    expect(await pushNotification(service, stored, 'en')).toEqual({ delivered: 0, gone: 1, failed: 0 })
    expect(listIds(await get('notifications', { as: { sub: 'away' } }))).toEqual([stored.id])
  })
})
