import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sendBehindLock } from '../../support/database/send-behind-lock.ts'
import { expectFailure } from '../../support/fixtures/expect-envelope.ts'
import { nora, sami, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { parcelCount, rolesNow } from '../../support/jobs/job-tables.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

beforeEach(async () => {
  await jobs.sql.unsafe(`delete from table_control.plans; delete from table_control.jobs; delete from table_control.audit;
    update parcels set moves = 0, depot = case when id <= 10 then 'small' else 'large' end, name = 'parcel ' || id
      where moves <> 0 or depot <> case when id <= 10 then 'small' else 'large' end or name <> 'parcel ' || id`)
})
afterEach(() => rolesNow.clear())

type Options = Parameters<typeof jobs.post>[2]

const post = (action: string, body: object, options?: Options) =>
  jobs.post(`bulk-table-action/${action}`, body, options)
const failure = (status: number, code: string) => ({ status, code })

/** Has a plan made by a worker. */
async function planMany(action: string, body: object = {}): Promise<string> {
  const id = await jobs.ask(action, { plan: true, ...body })
  await jobs.work([id])
  return id
}

/** Applies a plan and has its job done. */
async function apply(action: string, planId: string) {
  const id = await jobs.ask(action, { plan_id: planId })
  await jobs.work([id])
  return jobs.job(id)
}

const countMoved = async () =>
  Number((await jobs.sql`select count(*) as count from parcels where moves > 0`)[0]?.['count'])
const readAudit = async () =>
  (await jobs.sql`select rows, outcome from table_control.audit order by id`).map(({ rows, outcome }) => [
    rows,
    outcome,
  ])

it.each([
  ['move', {}],
  ['move_and_mail', { by: 1 }],
])('leaves alone a row of a small plan that changes before the job of %s or before its run', async (action, form) => {
  const body = { plan: true, filters: { depot: 'small' }, ...form }
  const { plan } = (await post(`parcels/${action}`, body)).json
  await jobs.sql`update parcels set name = 'theirs' where id = 2`
  const asked = await post(`parcels/${action}`, { plan_id: plan.id })
  expect(asked.json.results).toMatchObject([{ id: 2, success: false, code: 'plan_outdated' }])
  const { id } = asked.json.job
  await jobs.sql`delete from parcels where id = 4`
  // Row 3 changes while the run waits for it.
  await sendBehindLock(jobs.sql, "update parcels set name = 'theirs' where id = 3", [() => jobs.work([id])])
  const counts = { selected: 9, succeeded: 7, failed: 2 }
  const refused = [
    { code: 'plan_outdated', text: expect.any(String), count: 1, sample_ids: [3] },
    { code: 'row_not_found', text: expect.any(String), count: 1, sample_ids: [4] },
  ]
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { counts, refused } })
  await jobs.sql`insert into parcels select (jsonb_populate_record(one, '{"id": 4}')).* from parcels one where id = 5`
  expect(await jobs.sql`select id from parcels where moves = 1 and id <> 4 order by id`).toHaveLength(7)
})

it('lists no rows in the response to a plan whose rows are unchanged', async () => {
  const { plan } = (await post('parcels/move', { plan: true, filters: { depot: 'small' } })).json
  const { json } = await post('parcels/move', { plan_id: plan.id })
  expect(Object.keys(json).toSorted()).toEqual(['broadcast', 'job', 'message', 'success'])
})

it('leaves alone a row that has changed since the plan of an action that notifies', async () => {
  const { plan } = (await post('parcels/move_and_tell', { plan: true, filters: { depot: 'small' } })).json
  await jobs.sql`update parcels set name = 'theirs' where id = 3`
  const { json } = await post('parcels/move_and_tell', { plan_id: plan.id })
  expect(json).toMatchObject({
    counts: { selected: 10, succeeded: 9, failed: 1 },
    results: [{ id: 3, success: false, code: 'plan_outdated' }],
    notification: { level: 'success' },
  })
  expect(await jobs.sql`select id from parcels where moves = 1`).toHaveLength(9)
})

describe('plan: true on more than 3,000 rows', () => {
  it('answers with a job whose result is the plan, and changes nothing', async () => {
    const response = await post('parcels/move', { plan: true, filters: { depot: 'large' } })
    expect(response.status).toBe(200)
    expect(Object.keys(response.json).sort()).toEqual(['broadcast', 'job', 'message', 'success'])
    const { id } = response.json.job
    expect(await jobs.job(id)).toMatchObject({ status: 'queued', done: 0, total: 3_190 })
    await jobs.work([id, id])
    const job = await jobs.job(id)
    expect(job).toMatchObject({ status: 'succeeded', done: 3_190, total: 3_190, response: 'websocket' })
    expect(job.result).toEqual({
      message: expect.any(String),
      rows: 3_190,
      plan: {
        id,
        rows: 3_190,
        applicable: 3_190,
        refused: [],
        sample: [],
        sample_omitted: 'not_previewable',
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
    expect(await countMoved()).toBe(0)
    expect(await readAudit()).toEqual([
      [3_190, 'queued'],
      [3_190, 'planned'],
    ])
    const sizes = await jobs.sql`
      select jsonb_array_length(keys) as keys, jsonb_array_length(versions) as versions
      from table_control.job_chunks where job_id = ${id}`
    expect(sizes).toHaveLength(32)
    expect(sizes[0]).toEqual({ keys: 100, versions: 100 })
  })

  it('tries the action on the first rows if it is declared with preview', async () => {
    const plan = (await jobs.job(await planMany('parcels/move_with_preview', { row_actions: 'keys' }))).result.plan
    expect(plan).not.toHaveProperty('sample_omitted')
    expect(plan.sample).toHaveLength(20)
    const row = { actions: { show_details: {} }, path_id: '1' }
    expect(plan.sample[0]).toEqual({
      id: 1,
      before: expect.objectContaining({ id: 1, moves: 0, row }),
      after: expect.objectContaining({ id: 1, moves: 1, row }),
    })
    expect(await countMoved()).toBe(0)
  })

  it('shows no row of its plan to the same subject with other claims, in no event either', async () => {
    const selected = Array.from({ length: parcelCount + 2 }, (_, index) => index + 1)
    const id = await planMany('parcels/move_with_preview', { selected_ids: selected })
    const { plan, ...facts } = (await jobs.job(id)).result
    await jobs.sql`insert into table_control.job_events (job_id, seq, event, data)
      select id, 1, 'bulk_action.completed', result from table_control.jobs where id = ${id}`
    const read = async (as: typeof nora) => (await jobs.get(`jobs/${id}?after=0`, { as })).json
    const refused = plan.refused.map((group: object) => ({ ...group, sample_ids: [] }))
    const shown = { ...facts, plan: { ...plan, refused, sample: [], sample_omitted: 'rights_changed' } }
    const { job, events } = await read({ ...nora, tenant: 'south' })
    expect([job.result, events[0].data]).toEqual([shown, shown])
    const { result } = (await jobs.post(`jobs/${id}/cancel`, {}, { as: { ...nora, role: 'clerk' } })).json.job
    expect(result).toEqual(shown)
    const own = await read(nora)
    expect([own.job.result, own.events[0].data]).toEqual([
      { ...facts, plan },
      { ...facts, plan },
    ])
  })

  it('lists the picked rows that are missing', async () => {
    const selected = Array.from({ length: parcelCount + 2 }, (_, index) => index + 1)
    const { plan } = (await jobs.job(await planMany('parcels/move', { selected_ids: selected }))).result
    expect(plan).toMatchObject({ rows: parcelCount + 2, applicable: parcelCount })
    const ids = [parcelCount + 1, parcelCount + 2]
    expect(plan.refused).toEqual([{ code: 'row_not_found', text: expect.any(String), count: 2, sample_ids: ids }])
  })

  it.each<[string, string, object, string]>([
    ['an action that is all or nothing', 'parcels/move_all_or_none', {}, 'selection_too_large'],
    ['more rows than the action takes', 'parcels/move_few', {}, 'selection_too_large'],
    ['another number of rows than expected', 'parcels/move', { expected_count: 5 }, 'unexpected_count'],
    ['an action that works at once', 'parcels/move_now', {}, 'selection_too_large'],
  ])('refuses %s before there is a job', async (_what, action, body, code) => {
    const refused = await post(action, { plan: true, ...body })
    expectFailure(refused, failure(422, code))
    expect(await jobs.sql`select from table_control.jobs`).toHaveLength(0)
  })

  it('names the fix if the action is all or nothing', async () => {
    const { json } = await post('parcels/move_all_or_none', { plan: true })
    expect(json.message).toBe('An action that is all or nothing can be planned for up to 3000 rows; select fewer rows')
  })

  it('fails if the rows that it selects are not the expected ones', async () => {
    const id = await jobs.ask('parcels/move', { plan: true, expected_count: parcelCount })
    await jobs.sql`insert into parcels values (9000, 'late', 'large', 0)`
    await jobs.work([id])
    await jobs.sql`delete from parcels where id = 9000`
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'unexpected_count' })
    expect(await jobs.sql`select from table_control.job_chunks`).toHaveLength(0)
    expectFailure(await post('parcels/move', { plan_id: id }), failure(404, 'plan_not_found'))
    expect((await readAudit()).at(-2)).toEqual([0, 'unexpected_count'])
  })

  it('fails with the rights of its caller, and stops when it is cancelled', async () => {
    const { json } = await post('parcels/move', { plan: true })
    rolesNow.set('nora', undefined)
    await jobs.work([json.job.id])
    expect(await jobs.job(json.job.id)).toMatchObject({ status: 'failed' })
    rolesNow.clear()
    const cancelled = await jobs.ask('parcels/move', { plan: true })
    await jobs.post(`jobs/${cancelled}/cancel`, {})
    expect(await jobs.job(cancelled)).toMatchObject({ status: 'cancelled' })
    expectFailure(await post('parcels/move', { plan_id: cancelled }), failure(404, 'plan_not_found'))
  })
})

describe('a job that ends without its plan', () => {
  it('leaves no plan if the action fails while it is tried', async () => {
    const id = await planMany('parcels/break_when_tried')
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'internal_error' })
    expectFailure(await post('parcels/break_when_tried', { plan_id: id }), failure(404, 'plan_not_found'))
  })

  it('leaves no plan if it is cancelled after a worker has stored the rows and was killed', async () => {
    const id = await planMany('parcels/move')
    await jobs.sql`update table_control.jobs set state = 'queued', finished_at = null, result = null where id = ${id}`
    await jobs.post(`jobs/${id}/cancel`, {})
    expect(await jobs.job(id)).toMatchObject({ status: 'cancelled' })
    expectFailure(await post('parcels/move', { plan_id: id }), failure(404, 'plan_not_found'))
  })
})

describe('plan_id of a plan that a job has made', () => {
  it('runs as a job on the frozen rows, once', async () => {
    const id = await planMany('parcels/move')
    await jobs.sql`insert into parcels values (9000, 'late', 'large', 0)`
    const first = await post('parcels/move', { plan_id: id })
    expect(first.json.job.status).toBe('queued')
    await jobs.work([first.json.job.id])
    expect(await jobs.job(first.json.job.id)).toMatchObject({
      status: 'succeeded',
      done: parcelCount,
      total: parcelCount,
      result: { counts: { selected: parcelCount, succeeded: parcelCount, failed: 0 } },
    })
    const again = await post('parcels/move', { plan_id: id })
    expect(again.json).toEqual({ code: 'plan_already_applied', replayed: true, ...first.json })
    expect(await countMoved()).toBe(parcelCount)
    await jobs.sql`delete from parcels where id = 9000`
  })

  it('checks each chunk again and counts the skipped rows by reason', async () => {
    const id = await planMany('parcels/move')
    await jobs.sql`update parcels set name = 'other' where id % 100 = 7`
    await jobs.sql`delete from parcels where id in (50, 3000)`
    const job = await apply('parcels/move', id)
    await jobs.sql`insert into parcels values (50, 'parcel 50', 'large', 0), (3000, 'parcel 3000', 'large', 0)`
    const counts = { selected: parcelCount, succeeded: parcelCount - 34, failed: 34 }
    expect(job).toMatchObject({ status: 'succeeded', result: { counts } })
    expect(job.result.refused).toEqual([
      {
        code: 'plan_outdated',
        text: expect.any(String),
        count: 32,
        sample_ids: [7, 107, 207, 307, 407, 507, 607, 707, 807, 907],
      },
      { code: 'row_not_found', text: expect.any(String), count: 2, sample_ids: [50, 3000] },
    ])
    expect(job.result.results).toHaveLength(34)
    expect(await countMoved()).toBe(parcelCount - 34)
    const [other] = await jobs.sql`select count(*)::int as count from parcels where name = 'other' and moves > 0`
    expect(other?.['count']).toBe(0)
  })

  it('ends with its counts and a link to the most frequent reasons if each refused row has a reason of its own', async () => {
    const id = await planMany('parcels/refuse_each')
    await jobs.sql`update parcels set name = 'other' where id in (2, 3, 2003)`
    const job = await apply('parcels/refuse_each', id)
    expect(job).toMatchObject({ status: 'succeeded', done: parcelCount })
    const counts = { selected: parcelCount, succeeded: 2_397, failed: 803 }
    expect(job.result).toMatchObject({ counts, data: { url: expect.stringContaining('/downloads/') } })
    expect(job.result).not.toHaveProperty('refused')
    const { pathname } = new URL(job.result.data.url)
    const { headers } = await jobs.request({ method: 'GET', path: pathname }, { as: null })
    const file = await fetch(String(headers['location']))
    const { refused } = JSON.parse(await file.text())
    expect(refused).toHaveLength(20)
    expect(refused[0]).toMatchObject({ code: 'plan_outdated', count: 3, sample_ids: [2, 3, 2003] })
    expect(refused[1]).toEqual({ code: 'action_failed', text: 'No. 4 is locked', count: 1, sample_ids: [4] })
    const [notification] =
      await jobs.sql`select data from table_control.notifications where dedupe_key = ${`job:${job.id}`}`
    expect(notification?.['data']).toMatchObject({ counts, url: job.result.data.url })
  })

  it('runs with the scope that its caller has by then', async () => {
    await jobs.sql`delete from grants`
    await jobs.sql`insert into grants values ('nora', 'small'), ('nora', 'large')`
    const id = await planMany('granted/move')
    await jobs.sql`delete from grants where depot = 'large'`
    const job = await apply('granted/move', id)
    expect(job.result.counts).toEqual({ selected: parcelCount, succeeded: 10, failed: parcelCount - 10 })
    expect(job.result.refused).toMatchObject([{ code: 'row_not_found', count: parcelCount - 10 }])
    expect(await countMoved()).toBe(10)
  })

  it('selects and runs by the params of the request', async () => {
    const params = { depot: 'large' }
    const id = await jobs.ask('params_parcels/move', { plan: true, params })
    await jobs.work([id])
    expect((await jobs.job(id)).result.plan).toMatchObject({ applicable: parcelCount - 10 })
    expectFailure(await post('params_parcels/move', { plan_id: id }), failure(404, 'plan_not_found'))
    const applied = await jobs.ask('params_parcels/move', { plan_id: id, params })
    await jobs.work([applied])
    expect((await jobs.job(applied)).result.counts).toMatchObject({ succeeded: parcelCount - 10, failed: 0 })
    expect(await jobs.sql`select distinct name from parcels where moves > 0`).toEqual([{ name: 'large' }])
    const planned = await post('params_parcels/move', { plan: true, params, selected_ids: [11, 12] })
    const job = await jobs.ask('params_parcels/move', { plan_id: planned.json.plan.id, params })
    await jobs.work([job])
    expect((await jobs.job(job)).result.counts).toMatchObject({ succeeded: 2, failed: 0 })
  })

  it('keeps the fields of the form sealed, and runs with them', async () => {
    const id = await planMany('parcels/move_and_mail', { by: 7_654_321 })
    const stored = JSON.stringify([
      await jobs.sql`select request, result from table_control.jobs`,
      await jobs.sql`select * from table_control.plans`,
    ])
    expect(stored).not.toContain('7654321')
    await apply('parcels/move_and_mail', id)
    expect(await jobs.sql`select distinct moves from parcels`).toEqual([{ moves: 7_654_321 }])
  })

  it('is found by no other caller and at no other action, and not before it is made', async () => {
    const waiting = await jobs.ask('parcels/move', { plan: true })
    const id = await planMany('parcels/move')
    for (const refused of [
      await post('parcels/move', { plan_id: waiting }),
      await post('parcels/move', { plan_id: id }, { as: sami }),
      await post('parcels/move', { plan_id: id }, { guard: 'web' }),
      await post('parcels/move_and_tell', { plan_id: id }),
      await post('parcels/move', { plan_id: '00000000-0000-4000-8000-000000000000' }),
    ])
      expectFailure(refused, failure(404, 'plan_not_found'))
    expect((await jobs.get(`jobs/${id}`, { as: sami })).status).toBe(404)
  })

  it('has expired after its time', async () => {
    const id = await planMany('parcels/move')
    await jobs.sql`update table_control.plans set expires_at = now() - interval '1 second'`
    expectFailure(await post('parcels/move', { plan_id: id }), failure(422, 'plan_expired'))
  })

  it('is removed with its chunks and its sample a day later', async () => {
    const id = await planMany('parcels/move_with_preview')
    await jobs.sql`update table_control.plans set expires_at = now() - interval '25 hours'`
    await jobs.sql`update table_control.jobs set created_at = now() - interval '26 hours', finished_at = now() - interval '25 hours'`
    await jobs.sweep()
    expect(await jobs.sql`select from table_control.plans`).toHaveLength(0)
    expect(await jobs.sql`select from table_control.job_chunks`).toHaveLength(0)
    const { plan } = (await jobs.job(id)).result
    expect(plan).toMatchObject({ applicable: parcelCount })
    expect(plan.sample).toEqual([])
  })

  it('can be applied again if the queue did not take its job', async () => {
    const id = await planMany('parcels/move')
    jobs.queue.faults.add({ action: 'SendMessage', times: 2, status: 500, code: 'InternalError' })
    expectFailure(await post('parcels/move', { plan_id: id }), failure(503, 'unavailable'))
    expect(await apply('parcels/move', id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(await jobs.sql`select distinct moves from parcels`).toEqual([{ moves: 1 }])
  })

  it('makes one job of a request that is repeated with its key', async () => {
    const options = { as: nora, headers: { 'idempotency-key': 'plan-1' } }
    const first = await post('parcels/move', { plan: true }, options)
    const again = await post('parcels/move', { plan: true }, options)
    expect(again.json).toEqual(first.json)
    expect(again.headers['idempotency-replayed']).toBe('true')
  })
})
