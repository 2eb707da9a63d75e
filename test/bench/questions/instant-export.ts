import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { bulkTableAction, createService, type Handler, tableEndpoint } from '#lib'
import { registry } from '#tables'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import { loadConfig } from '../../../lib/config.ts'
import { onlyKeys } from '../../../lib/query/keys-statement.ts'
import { prepareReport } from '../../../lib/reports/report.ts'
import { reportMediaType } from '../../../lib/reports/report-file.ts'
import { exportDatabase, flightsReport } from '../export-request.ts'
import { atMost, type Figure, type Question } from '../figure.ts'
import { flightsEvent } from '../flights-request.ts'
import { environment, token } from '../installation.ts'
import { interleave, measure, median } from '../rounds.ts'

const rounds = 25
const ids = Array.from({ length: 3_000 }, (_, index) => index + 1)
const routeKey = 'POST /api/api-table/control-tables/bulk-table-action/{tableName}/{action}'

/** The statement of the same report, its rows read and thrown away. */
async function queryAlone(databaseUrl: string) {
  const asked = flightsReport('excel', '2001-12-31')
  const plan = onlyKeys(asked.view, asked.plan, ids.map(String))
  const { query } = await prepareReport({ ...asked, plan })
  const database = exportDatabase(databaseUrl)
  return { run: () => measure(() => database.read(query.text, query.parameters)), close: database.close }
}

const createRequest = (handler: Handler, caller: string, accept: string) => {
  const { requestContext, ...event } = flightsEvent(caller, { selected_ids: ids })
  const headers = { ...event.headers, accept }
  const pathParameters = { tableName: 'flights', action: 'export_excel' }
  return () => handler({ ...event, routeKey, headers, pathParameters, requestContext: { ...requestContext, routeKey } })
}

const readBody = ({ statusCode, body = '' }: APIGatewayProxyStructuredResultV2): string => {
  if (statusCode !== 200) throw new Error(`the export answered ${statusCode}: ${body}`)
  return body
}

async function figures(handler: Handler, databaseUrl: string): Promise<readonly Figure[]> {
  const [mediaType = ''] = reportMediaType.excel.split(';')
  const file = createRequest(handler, token(), mediaType)
  const link = createRequest(handler, token(), 'application/json')
  const alone = await queryAlone(databaseUrl)
  const cold = await measure(async () => readBody(await file()))
  const samples = await interleave(rounds, {
    alone: alone.run,
    file: () => measure(async () => Buffer.from(readBody(await file()), 'base64')),
    link: () => measure(async () => JSON.parse(readBody(await link()))),
  })
  await alone.close()
  const query = median(samples.alone)
  const asFile = median(samples.file)
  const asLink = median(samples.link)
  const above = (name: string, ms: number) =>
    atMost(
      name,
      ms - query,
      65,
      `${(ms - query).toFixed(0)} ms (${ms.toFixed(0)} ms, its query ${query.toFixed(0)} ms)`,
      ' ms',
    )
  return [
    { name: 'the first one, which loads the writer of spreadsheets', measured: `${cold.toFixed(0)} ms` },
    above('the file as the response, warm, above its query', asFile),
    above('a link to the file in the storage, warm, above its query', asLink),
  ]
}

/** An export of 3,000 rows, from the request to the last byte of its response. */
export const instantExport: Question = {
  id: 'instant-export',
  asks: 'How long does a client wait for a download of 3,000 rows?',
  method: `\`export_excel\` of 3,000 flights picked by hand, invoked in process, the local S3 beside it; ${rounds} rounds, alternating with the report's statement alone.`,
  measure: async (bench) => {
    const storage = await startQueueAndStorage()
    Object.assign(process.env, accountVariables, { AWS_ENDPOINT_URL_S3: storage.endpoint })
    const stored = { REPORT_BUCKET: storage.bucket, STORAGE_PATH_STYLE: 'on' }
    const service = createService(loadConfig({ ...environment(bench, 2), ...stored }))
    const endpoint = { name: 'bulkTableAction', run: bulkTableAction } as const
    try {
      return await figures(
        tableEndpoint(registry, endpoint, () => service),
        bench.databaseUrl,
      )
    } finally {
      await Promise.all([service.database.close(), storage.stop()])
    }
  },
}
