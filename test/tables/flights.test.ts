import { flightsTable } from '../../tables/flights.ts'
import { tableContract } from '../support/table-contract.ts'

tableContract(flightsTable)
