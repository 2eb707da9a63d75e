import { markdownTable } from '../../infra/figures/markdown-table.ts'
import { drawChart } from './chart.ts'
import { compareExports, type ExportFigure } from './export-comparison.ts'
import { atLeast, circumstances, describeRun, type Figure, figureTable } from './figure.ts'
import { withBench } from './flights-database.ts'
import type { Coding } from './http-connection.ts'
import { clientCounts, codings, comparePages, type Extent, type PageFigure } from './page-comparison.ts'
import { runChartedBenchmark } from './published-run.ts'

const peers = ['PostGraphile', 'DataTables Editor', 'nestjs-paginate']

interface Result {
  readonly began: string
  readonly ended: string
  readonly extent: Extent
  readonly pages: readonly PageFigure[]
  readonly exports: readonly ExportFigure[]
}

const codingNames = { none: 'no compression', br: 'Brotli' } as const

const nameClients = (count: number): string => `${count} client${count === 1 ? '' : 's'}`

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
  const head = [
    codingNames[coding],
    'bytes',
    ...clientCounts.map(nameClients),
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

/** Computes what the targets are about: each at 10 clients. */
function compareWithTargets(pages: readonly PageFigure[]): readonly Figure[] {
  const find = (form: string, coding: Coding, key: 'ratePerSecond' | 'ofLimit') =>
    pages.find((one) => one.form === form && one.coding === coding && one.clients === 10)?.[key] ?? Number.NaN
  const beside = (name: string, value: number, min: number) => atLeast(name, value, min, `${value.toFixed(2)} x`, ' x')
  return codings.flatMap((coding) => {
    const fastest = Math.max(...peers.map((peer) => find(peer, coding, 'ratePerSecond')))
    return ['Table Control', 'Table Control, action keys'].flatMap((form) => {
      const name = `${form}, ${codingNames[coding]}: beside the`
      return [
        beside(`${name} fastest peer`, find(form, coding, 'ratePerSecond') / fastest, 1.6),
        beside(`${name} handler by hand`, find(form, coding, 'ofLimit'), 0.9),
      ]
    })
  })
}

const section = ({ began, ended, pages, exports }: Result): string =>
  [
    describeRun(began, ended),
    figureTable(['10 clients', 'measured', 'target', ''], compareWithTargets(pages)),
    ...codings.map((coding) => pageTable(pages, coding)),
    exportTable(exports),
  ].join('\n\n')

/** A bar of a chart, in the panel of its column and row. */
interface Bar {
  readonly label: string
  readonly value: number
  readonly column: string
  readonly row: string
}

/** Panels in the order of their bars. */
const panels = (field: 'column' | 'row', bars: readonly Bar[]) => ({
  field,
  title: null,
  sort: [...new Set(bars.map((bar) => bar[field]))],
})

/** Draws bars in the order in which they are given: ours, those by hand and those of others in a colour each. */
const drawBars = (name: string, title: string, subtitle: string, bars: readonly Bar[], xTitle: string | null) =>
  drawChart(name, {
    title: { text: title, subtitle },
    data: { values: [...bars] },
    facet: { column: panels('column', bars), row: panels('row', bars) },
    resolve: { scale: { x: xTitle === null ? 'independent' : 'shared' } },
    spec: {
      width: 200,
      height: { step: 20 },
      layer: [
        {
          mark: { type: 'bar', height: 14 },
          encoding: {
            color: {
              condition: [
                { test: "indexof(datum.label, 'Table Control') == 0", value: '#0f766e' },
                { test: "indexof(datum.label, 'by hand') >= 0", value: '#94a3b8' },
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
        y: { field: 'label', type: 'nominal', sort: null, title: null },
        x: { field: 'value', type: 'quantitative', title: xTitle, axis: { tickCount: 3 } },
      },
    },
  })

const drawCharts = ({ pages, exports, began }: Result) =>
  Promise.all([
    drawBars(
      'peers-pages',
      'One page of 3,000,000 flights: 20 rows, two relations, exact total',
      `Requests per second over HTTP, the same Postgres for all. ${began}`,
      pages.map(({ form, ratePerSecond, clients, coding }) => ({
        label: form,
        value: ratePerSecond,
        column: nameClients(clients),
        row: codingNames[coding],
      })),
      'requests/s',
    ),
    drawBars(
      'peers-exports',
      'Workbooks of flights: nine columns, two relations',
      `Rows per second from Postgres to a file, and the peak memory of the process. ${began}`,
      exports.flatMap(({ writer, rows, rowsPerSecond, peakMegabytes }) => {
        const bar = { label: writer, row: `${integer(rows)} rows` }
        return [
          { ...bar, column: 'rows/s', value: rowsPerSecond },
          { ...bar, column: 'peak MB', value: peakMegabytes },
        ]
      }),
      null,
    ),
  ])

const measure = (quick: boolean): Promise<Result> =>
  withBench('all', async (bench) => {
    const extent = quick
      ? { rounds: 3, milliseconds: 250, warmUpMs: 1_000 }
      : { rounds: 5, milliseconds: 800, warmUpMs: 2_000 }
    const began = circumstances()
    const pages = await comparePages(bench, extent)
    const exports = await compareExports(bench, quick)
    return { began, ended: circumstances(), extent, pages, exports }
  })

await runChartedBenchmark('peers', { measure, section, drawCharts })
