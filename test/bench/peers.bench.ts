import { markdownTable } from '../../infra/figures/markdown-table.ts'
import { replaceSection } from '../../infra/figures/readme-section.ts'
import { drawChart } from './chart.ts'
import { compareExports, type ExportFigure } from './export-comparison.ts'
import { circumstances, describeRun } from './figure.ts'
import { withBench } from './flights-database.ts'
import type { Coding } from './http-connection.ts'
import { clientCounts, codings, comparePages, type PageFigure } from './page-comparison.ts'
import { readChartOptions } from './read-chart-options.ts'
import { readResults, writeResults } from './results.ts'

const values = readChartOptions('bench:peers')
const extent = values.quick
  ? { rounds: 3, milliseconds: 250, warmUpMs: 1_000 }
  : { rounds: 5, milliseconds: 800, warmUpMs: 2_000 }

const peers = ['PostGraphile', 'DataTables Editor', 'nestjs-paginate']

interface Result {
  readonly began: string
  readonly ended: string
  readonly extent: typeof extent
  readonly pages: readonly PageFigure[]
  readonly exports: readonly ExportFigure[]
}

const codingNames = { none: 'no compression', br: 'Brotli' } as const

const nameClients = (count: number): string => `${count} client${count === 1 ? '' : 's'}`
const clientNames = clientCounts.map(nameClients)

const integer = (value: number): string => Math.round(value).toLocaleString('en')

function pageTable(pages: readonly PageFigure[], coding: Coding): string {
  const forms = [...new Set(pages.map(({ form }) => form))]
  const rows = forms.map((form) => {
    const figures = pages.filter((figure) => figure.form === form && figure.coding === coding)
    const ten = figures.find(({ clients }) => clients === 10)
    return [
      form,
      integer(figures[0]?.bytes ?? 0),
      ...figures.map(({ ratePerSecond, p50Ms }) => `${integer(ratePerSecond)}/s (${p50Ms.toFixed(1)} ms)`),
      `${ten?.ofLimit.toFixed(2)} x`,
      ten?.cpuMicros === undefined ? '' : `${integer(ten.cpuMicros)} us`,
    ]
  })
  const clients = clientCounts.map((count) => `${count} client${count === 1 ? '' : 's'}`)
  const head = [
    codingNames[coding],
    'bytes',
    ...clients,
    'beside by hand, 10 clients',
    'CPU of its process, 10 clients',
  ]
  return markdownTable(head, rows)
}

const exportTable = (exports: readonly ExportFigure[]): string =>
  markdownTable(
    ['workbook of flights', 'rows', 'seconds', 'rows/s', 'beside XML by hand', 'peak memory'],
    exports.map(({ writer, rows, seconds, rowsPerSecond, ofLimit, peakMegabytes }) => [
      writer,
      integer(rows),
      seconds.toFixed(1),
      integer(rowsPerSecond),
      `${ofLimit.toFixed(2)} x`,
      `${integer(peakMegabytes)} MB`,
    ]),
  )

interface Comparison {
  readonly name: string
  readonly value: number
  readonly min: number
}

/** Computes what the targets are about: each at 10 clients. */
function compareWithTargets(pages: readonly PageFigure[]): readonly Comparison[] {
  const rate = (form: string, coding: Coding) =>
    pages.find((figure) => figure.form === form && figure.coding === coding && figure.clients === 10)?.ratePerSecond ??
    Number.NaN
  const ofLimit = (form: string, coding: Coding) =>
    pages.find((figure) => figure.form === form && figure.coding === coding && figure.clients === 10)?.ofLimit ??
    Number.NaN
  return codings.flatMap((coding) =>
    ['Table Control', 'Table Control, action keys'].flatMap((form) => [
      {
        name: `${form}, ${codingNames[coding]}: beside the fastest peer`,
        value: rate(form, coding) / Math.max(...peers.map((peer) => rate(peer, coding))),
        min: 1.6,
      },
      { name: `${form}, ${codingNames[coding]}: beside the handler by hand`, value: ofLimit(form, coding), min: 0.9 },
    ]),
  )
}

const comparisonTable = (pages: readonly PageFigure[]): string =>
  markdownTable(
    ['10 clients', 'measured', 'target', ''],
    compareWithTargets(pages).map(({ name, value, min }) => [
      name,
      `${value.toFixed(2)} x`,
      `>= ${min} x`,
      value >= min ? 'met' : '**missed**',
    ]),
  )

const section = ({ began, ended, pages, exports }: Result): string =>
  [
    describeRun(began, ended),
    comparisonTable(pages),
    ...codings.map((coding) => pageTable(pages, coding)),
    exportTable(exports),
  ].join('\n\n')

async function drawPages({ pages, began }: Result): Promise<void> {
  await drawChart('peers-pages', {
    title: {
      text: 'One page of 3,000,000 flights: 20 rows, two relations, exact total',
      subtitle: `Requests per second over HTTP, the same Postgres for all. ${began}`,
    },
    data: {
      values: pages.map((figure) => ({
        ...figure,
        coding: codingNames[figure.coding],
        clients: nameClients(figure.clients),
      })),
    },
    facet: {
      column: { field: 'clients', title: null, sort: clientNames },
      row: { field: 'coding', title: null, sort: Object.values(codingNames) },
    },
    spec: {
      width: 190,
      height: { step: 20 },
      layer: [
        {
          mark: { type: 'bar', height: 14 },
          encoding: {
            color: {
              condition: [
                { test: "indexof(datum.form, 'Table Control') == 0", value: '#0f766e' },
                { test: "indexof(datum.form, 'by hand') == 0", value: '#94a3b8' },
              ],
              value: '#d97706',
            },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 3, fontSize: 10 },
          encoding: { text: { field: 'ratePerSecond', format: ',.0f' } },
        },
      ],
      encoding: {
        y: { field: 'form', type: 'nominal', sort: null, title: null },
        x: { field: 'ratePerSecond', type: 'quantitative', title: 'requests/s', axis: { tickCount: 3 } },
      },
    },
  })
}

async function drawExports({ exports, began }: Result): Promise<void> {
  await drawChart('peers-exports', {
    title: {
      text: 'Workbooks of flights: nine columns, two relations',
      subtitle: `Rows per second from Postgres to a file, and the peak memory of the process. ${began}`,
    },
    data: {
      values: exports.flatMap(({ writer, rows, rowsPerSecond, peakMegabytes }) => [
        { writer, rows: `${integer(rows)} rows`, figure: 'rows/s', value: rowsPerSecond },
        { writer, rows: `${integer(rows)} rows`, figure: 'peak MB', value: peakMegabytes },
      ]),
    },
    facet: {
      column: { field: 'figure', title: null, sort: ['rows/s', 'peak MB'] },
      row: { field: 'rows', title: null, sort: [...new Set(exports.map(({ rows }) => `${integer(rows)} rows`))] },
    },
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: 280,
      height: { step: 22 },
      layer: [
        {
          mark: { type: 'bar', height: 15 },
          encoding: {
            color: {
              condition: [
                { test: "datum.writer == 'Table Control'", value: '#0f766e' },
                { test: "datum.writer == 'sheet XML by hand'", value: '#94a3b8' },
              ],
              value: '#d97706',
            },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 3, fontSize: 10 },
          encoding: { text: { field: 'value', format: ',.0f' } },
        },
      ],
      encoding: {
        y: { field: 'writer', type: 'nominal', sort: null, title: null },
        x: { field: 'value', type: 'quantitative', title: null, axis: { tickCount: 4 } },
      },
    },
  })
}

async function publish(result: Result): Promise<void> {
  await writeResults('peers', result)
  await replaceSection(new URL('./README.md', import.meta.url), 'npm run bench:peers', section(result))
  await Promise.all([drawPages(result), drawExports(result)])
}

const measure = (): Promise<Result> =>
  withBench('all', async (bench) => {
    const began = circumstances()
    const pages = await comparePages(bench, extent)
    const exports = await compareExports(bench, values.quick)
    return { began, ended: circumstances(), extent, pages, exports }
  })

if (values.draw) await publish(await readResults('peers'))
else {
  const result = await measure()
  console.log(section(result))
  if (values.write) await publish(result)
}
