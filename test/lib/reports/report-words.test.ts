import { expect, it } from 'vitest'
import { loadPlanExtensions } from '../../../lib/query/load-plan-extensions.ts'
import { planRows } from '../../../lib/query/plan.ts'
import { filterWords } from '../../../lib/reports/report-words.ts'
import { parcelReport } from './parcel-reports.ts'

const now = Date.parse('2026-11-22T10:00:00Z')

async function words(body: Readonly<Record<string, unknown>>, language: 'en' | 'ar' = 'en') {
  const request = parcelReport({ language })
  const extensions = await loadPlanExtensions(request, body, 'the secret of no group', { now })
  return filterWords({ ...request, plan: planRows(request.view, { ...body, extensions }, 'Asia/Riyadh') })
}

const open = { field: 'state', value: 'open' }
const box = { field: 'name', operator: 'like', value: 'box' }
const scored = { field: 'score', value: [1, 5] }

it('says which rows of groups of filters a report has', async () => {
  const filter_groups = {
    any: [open, { all: [box, scored] }, { none: [scored, { field: 'day_from', operator: 'is null' }] }],
  }
  expect(await words({ filter_groups })).toEqual([
    'State is Open or (Name contains box and Score is between 1 and 5) or none of (Score is between 1 and 5 or Day has no value)',
  ])
  expect(await words({ filters: [open], filter_groups: { any: [open, box] } }, 'ar')).toEqual([
    'الحالة: مفتوح',
    'الحالة: مفتوح أو الاسم: يحتوي على box',
  ])
})

it.each([
  ['score', [1, 5], 'Score is not between 1 and 5', 'Score: خارج ما بين 1 و5'],
  [
    'day_from',
    ['2026-01-01', '2026-02-28'],
    'Day is not between 2026-01-01 and 2026-02-28',
    'اليوم: خارج ما بين 2026-01-01 و2026-02-28',
  ],
  ['day_from', { from: '2026-01-01' }, 'Day is before 2026-01-01', 'اليوم: قبل 2026-01-01'],
  ['day_from', { to: '2026-02-28' }, 'Day is after 2026-02-28', 'اليوم: بعد 2026-02-28'],
])('says what a range leaves out: %s %j', async (field, value, english, arabic) => {
  const filters = [{ field, operator: 'not between', value }]
  expect([...(await words({ filters })), ...(await words({ filters }, 'ar'))]).toEqual([english, arabic])
})

it.each([
  [
    'day_from',
    { from: '2026-01-01T21:00:00.000Z', to: '2026-01-02T21:00:00.000Z' },
    ['from 2026-01-02', 'up to 2026-01-03'],
  ],
  ['day_from', { to: '2026-01-03T20:59:59.999Z' }, ['up to 2026-01-03']],
  [
    'seen_from',
    { from: '2026-01-01T21:00:00.000Z', to: '2026-01-02T21:00:00.000Z' },
    ['from 2026-01-02', 'up to 2026-01-03'],
  ],
  [
    'seen_from',
    { from: '2026-01-01T22:00:00Z', to: '2026-01-01T22:00:00Z' },
    ['from 2026-01-02 01:00', 'before 2026-01-03 01:00'],
  ],
  ['seen_from', { from: '2026-01-02 00:00', to: '2026-01-03 00:00' }, ['from 2026-01-02', 'up to 2026-01-03']],
])('names the days that a person picked, in the time zone of the table: %s %j', async (field, value, said) => {
  const label = field === 'day_from' ? 'Day' : 'Seen'
  expect(await words({ filters: [{ field, value }] })).toEqual(said.map((text) => `${label} is ${text}`))
})

it.each([
  ['day_from', '>=', 1_767_301_200_000, 'Day is from 2026-01-02'],
  ['seen_from', '>=', 1_767_301_200_000, 'Seen is from 2026-01-02'],
  ['seen_from', '<=', '2026-01-01T21:00:00Z', 'Seen is up to 2026-01-02 00:00'],
  ['seen_from', '<=', '2026-01-01T05:30:00-05:00', 'Seen is up to 2026-01-01 13:30'],
  ['seen_from', '>=', '2026-01-01T05:30:15Z', 'Seen is from 2026-01-01 08:30:15'],
])('names the moment of a filter in the time zone of the table: %s %s %s', async (field, operator, value, said) => {
  expect(await words({ filters: [{ field, operator, value }] })).toEqual([said])
})

it('names the days that a person left out', async () => {
  const value = { from: '2026-01-01T21:00:00.000Z', to: '2026-01-02T21:00:00.000Z' }
  const filters = [{ field: 'day_from', operator: 'not between', value }]
  expect(await words({ filters })).toEqual(['Day is not between 2026-01-02 and 2026-01-03'])
})

it('says that a text is searched for "all", which restricts nothing in a choice', async () => {
  const filters = [
    { field: 'name', operator: '=', value: 'all' },
    { field: 'state', value: 'all' },
  ]
  expect(await words({ filters })).toEqual(['Name is all'])
})

it('names the days of a period', async () => {
  const filters = [{ field: 'day_from', operator: 'within', value: 'last_7_days' }]
  expect(await words({ filters })).toEqual(['Day is from 2026-11-15', 'Day is before 2026-11-22'])
})

it.each([
  ['today', 'Pacific/Apia', ['from 2026-11-21 14:00', 'before 2026-11-22 14:00']],
  ['today', 'Asia/Riyadh', ['from 2026-11-22', 'before 2026-11-23']],
  ['day_to_date', 'America/New_York', ['from 2026-11-22 08:00', 'before 2026-11-22 13:00']],
])(
  'names the moments of a period in the time zone of the table, as cells do: %s in %s',
  async (value, time_zone, said) => {
    const filters = [{ field: 'seen_from', operator: 'within', value }]
    expect(await words({ filters, time_zone })).toEqual(said.map((text) => `Seen is ${text}`))
  },
)

it('says what a report was searched for, as it was typed', async () => {
  expect(await words({ search: 'Bóx ab "open door"' })).toEqual([
    'Name contains "Bóx"',
    'Name has a word that begins with "ab"',
    'Name contains "open door"',
  ])
  expect(await words({ search: 'Bóx ab' }, 'ar')).toEqual(['الاسم: يحتوي على «Bóx»', 'الاسم: كلمة تبدأ بـ «ab»'])
})
