import { airportsTable } from '../../tables/airports.ts'
import { tableContract } from '../support/contract/table-contract.ts'

tableContract(airportsTable, { values: { state: ['TX', 'OH', 'AK', null] } })
