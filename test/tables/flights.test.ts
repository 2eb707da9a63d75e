import { flightsTable } from '../../tables/flights.ts'
import { tableContract } from '../support/contract/table-contract.ts'

tableContract(flightsTable)
