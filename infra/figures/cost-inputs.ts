/** What a stage has to do in a month. */
export interface Traffic {
  readonly queries: number
  /** Reports of `exportRows` rows, each as one mail. */
  readonly exports: number
  /** WebSockets that are open all the time. */
  readonly sockets: number
}

export const idle: Traffic = { queries: 0, exports: 0, sockets: 0 }

/** So many times as much of everything. */
export const times = ({ queries, exports, sockets }: Traffic, factor: number): Traffic => ({
  queries: queries * factor,
  exports: exports * factor,
  sockets: sockets * factor,
})

export interface Figure {
  readonly value: number
  readonly unit: string
  /** The question of test/bench/README.md that measured it, or why it is assumed. */
  readonly because: string
}

const figure = (value: number, unit: string, because: string): Figure => ({ value, unit, because })

/** Of test/bench/README.md, 2026-11-21: one core of a machine with two, on which Postgres and clients ran as well. */
export const measured = {
  queryMs: figure(0.774, 'ms', '`in-process`: p50 with 1 in flight on 1 connection'),
  queryCpuMs: figure(0.328, 'ms', '`in-process`: CPU per request with 1 in flight'),
  queryDatabaseCpuMs: figure(
    0.418,
    'ms',
    '`in-process`: what 2 cores have left at 2,928 requests/s, 0.265 ms each taken off',
  ),
  queryBytes: figure(25_844, 'bytes', '`in-process`: bytes answered'),
  coldMs: figure(145.5, 'ms', '`cold-function`: bare Node and the first answer over it'),
  reportRowsPerSecond: figure(134_000, 'rows/s', '`exports`: XLSX, rate'),
  reportDatabaseRowsPerSecond: figure(506_000, 'rows/s', '`exports`: COPY, rate'),
  reportBytesPerRow: figure(59.7, 'bytes', '`exports`: 179 KB for 3,000 rows'),
} as const satisfies Readonly<Record<string, Figure>>

/** What nobody has measured in an account yet. Each is a guess on the expensive side. */
export const assumed = {
  roundTripMs: figure(1, 'ms', 'between a function and the database, in one region'),
  coldShare: figure(0.01, 'of calls', 'functions are warm while there is traffic'),
  peakFactor: figure(10, 'x', 'the busiest second beside the mean of a month: office hours and a rush'),
  jobSeconds: figure(0.5, 's', 'what a job does beside its rows: claims, SES or S3, pushes'),
  actionRoundTrips: figure(8, 'round trips', 'of the request that asks for a report'),
  pollsPerExport: figure(3, 'calls', 'of `job-status`, by a client without a socket'),
  pushesPerExport: figure(6, 'messages', 'started, a few of progress, completed'),
  logBytesPerCall: figure(1_200, 'bytes', "Lambda's own lines of a call and the function's"),
  accessLogBytes: figure(350, 'bytes', 'a line of the access log'),
  traceShare: figure(0.05, 'of calls', 'the sampling rule of X-Ray, above its first call of each second'),
  metrics: figure(40, 'metrics', 'of a mean hour: an idle one has about ten, a busy one a hundred'),
  ioPerQuery: figure(0.1, 'I/O requests', 'nearly all pages of a table in use are in memory'),
  ioPerExport: figure(1_000, 'I/O requests', 'old rows are not'),
  databaseGb: figure(20, 'GB', 'of tables and indexes'),
  unitCores: figure(0.25, 'cores', 'of a capacity unit of 2 GiB, as instances with 8 GiB a core'),
  databaseBusy: figure(0.7, 'of its cores', 'above it, statements wait for each other'),
  pingSeconds: figure(300, 's', 'as the client of functions/README.md does'),
  socketSeconds: figure(7_200, 's', 'API Gateway ends every connection after two hours'),
  socketCallMs: figure(5, 'ms', '`socket-connect` writes one row, `socket-disconnect` removes it'),
  sweepMs: figure(30, 'ms', 'a minute without work'),
  pollingRequests: figure(657_000, 'requests', "Lambda's five pollers of an empty queue, 20 seconds each, in a month"),
  mailOverhead: figure(78 / 57, 'x', 'base64 with its line ends'),
} as const satisfies Readonly<Record<string, Figure>>

/** The rows of the report that is asked about. */
export const exportRows = 100_000

/** A larger file, in bytes, is not in the mail but behind a link: what lib/mail/report-mail.ts says. */
export const maxAttachedBytes = 7_200_000

export const hoursPerMonth = 730
export const secondsPerMonth = hoursPerMonth * 3_600
