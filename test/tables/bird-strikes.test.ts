import { birdStrikesTable } from '../../tables/bird-strikes.ts'
import { tableContract } from '../support/contract/table-contract.ts'

tableContract(birdStrikesTable, {
  values: { origin_state: ['Texas', 'Ohio', 'Utah', null], archived: [false, false, false, true] },
  callers: {
    'an analyst of Texas': {
      claims: { states: ['Texas'] },
      sees: (row) => row['archived'] === false && row['origin_state'] === 'Texas',
    },
    'an analyst of two states': {
      claims: { states: 'Texas, Ohio' },
      sees: (row) => row['archived'] === false && ['Texas', 'Ohio'].includes(String(row['origin_state'])),
    },
    'an analyst of no state': { sees: () => false },
    'a supervisor': { claims: { role: 'supervisor' }, sees: (row) => row['archived'] === false },
  },
})
