import { afterAll, beforeAll, expect, it } from 'vitest'
import { birdStrikesTable } from '../../tables/bird-strikes.ts'
import { type ContractSubject, startContract } from '../support/contract/contract-subject.ts'

let subject: ContractSubject
beforeAll(async () => {
  const callers = { 'a supervisor': { claims: { role: 'supervisor' } } }
  subject = await startContract(birdStrikesTable, {
    values: { status: ['open', 'reviewed'], archived: [false] },
    callers,
  })
})
afterAll(() => subject.stop())

/** Asks the supervisor's strike of a status to be marked as reviewed. */
const markReviewed = (status: string) => {
  const [caller] = subject.callers
  const id = caller?.rows.find(({ own }) => own['status'] === status)?.own['id']
  return subject.api.post(`row-table-action/bird_strikes/mark_reviewed/${id}`, {}, { as: caller?.identity ?? null })
}

it('an open strike can be marked as reviewed', async () => {
  const { json } = await markReviewed('open')
  expect(json.data.row).toMatchObject({ status: 'reviewed' })
})

it('a reviewed strike cannot be marked again', async () => {
  expect((await markReviewed('reviewed')).status).toBe(422)
})
