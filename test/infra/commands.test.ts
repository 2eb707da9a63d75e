import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runSmoke } from '../../infra/smoke/run-smoke.ts'
import { callService } from '../../infra/smoke/service-call.ts'
import { createSteps, type StepResult } from '../../infra/smoke/steps.ts'
import { runHere } from '../support/infra/command-here.ts'
import { claimPort } from '../support/stack/claim-port.ts'

const project = resolve(import.meta.dirname, '../..')

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'table-control-commands-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const run = (file: string, stdout: number | 'pipe', ...args: readonly string[]) =>
  spawnSync(process.execPath, [file, ...args], { cwd: project, encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] })

it.runIf(existsSync('/dev/full')).each(['tables/openapi.ts', 'infra/scaffold/routes.ts'])(
  '%s fails where its output cannot be written, such as on a full disk',
  (file) => {
    const { status, stderr } = run(file, openSync('/dev/full', 'w'))
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output could not be written: ENOSPC.*\n$/)])
  },
)

it('costs refuses an unknown option, and --write if npm took it', async () => {
  expect(await runHere('infra/figures/costs.ts', ['--wrte'])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining("Unknown option '--wrte'"),
  })
  expect(await runHere('infra/figures/costs.ts', [], { environment: { npm_config_write: 'true' } })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'npm took --write for itself; write "--" before it.\n',
  })
})

it('token names a key file that holds no key', async () => {
  const directory = createFolder()
  const file = join(directory, 'signing-key.pem')
  writeFileSync(file, '')
  const token = () =>
    runHere('infra/local/token.ts', ['--sub', 'alice'], { environment: { LOCAL_DIRECTORY: directory } })
  const { exitCode, stderr } = await token()
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${file} is no private key; delete it`)])
  rmSync(file)
  expect(await token()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY')
})

it.each([
  [['--guards', ''], '--guards is a list of words such as api,web, not ""'],
  [['--guards', 'api,,web'], '--guards is a list of words'],
  [['--url', 'tables'], '--url is a URL such as https://tables.example.com, not "tables"'],
])('openapi refuses %j', async (args, message) => {
  const { exitCode, stdout, stderr } = await runHere('tables/openapi.ts', args)
  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
})

it.each([
  ['infra/bundle/bundle.ts', '--hlep', "Unknown option '--hlep'; --help lists the options"],
  ['infra/bundle/pack-client.ts', '--hlep', "Unknown option '--hlep'; --help lists the options"],
  ['infra/bundle/pack-client.ts', '/dev/null/folder', "ENOTDIR: not a directory, mkdir '/dev/null/folder'"],
])('%s refuses %s in one line', (file, argument, message) => {
  const { status, stdout, stderr } = run(file, 'pipe', argument)
  expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^.*\n$/)])
  expect(stderr).toContain(message)
})

it.each([
  [
    'test/mutants/run.ts',
    ['--only', 'nothing'],
    '--only: no area and no text of a mutant is "nothing"; the areas are ',
  ],
  ['test/mutants/run.ts', ['--workers', 'two'], '--workers is a whole number from 1 to 256, not "two"'],
  ['test/faults/run.ts', ['--only', 'auth'], '--only is a fault or a list of faults such as F4,F5, not "auth"'],
  ['test/faults/run.ts', ['--seeds', '0'], '--seeds: "0" is no number above 0'],
  ['test/bench/soak.bench.ts', ['--minutes', 'long'], '--minutes and --rate are numbers above 0'],
  ['test/bench/lighthouse.bench.ts', ['none'], 'The number of runs is a whole number from 1 to 1000, not "none"'],
  ['test/bench/figures.bench.ts', ['speed'], 'There is no question speed'],
  ['test/bench/peers.bench.ts', ['--fast'], "Unknown option '--fast'"],
  ['test/browser/draw-explorer.ts', ['--wide'], "Unknown option '--wide'"],
  ['test/upgrade/record-previous.ts', ['2020-01-01', '.'], 'infra/CHANGELOG.md has no version 2020-01-01'],
])('%s refuses %j with its usage, before it begins', (file, args, message) => {
  const { status, stdout, stderr } = run(file, 'pipe', ...args)
  expect([status, stdout]).toEqual([2, ''])
  const [fault, gap, usage] = stderr.split('\n')
  expect([fault, gap, usage]).toEqual([expect.stringContaining(message), '', expect.stringMatching(/^Usage: /)])
})

it.each(['bundle', 'pack-client'])('%s prints its usage on request, and does nothing', (name) => {
  const { status, stdout, stderr } = run(`infra/bundle/${name}.ts`, 'pipe', '--help')
  expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(/^Usage: npm run /), ''])
})

it('smoke says what to do where the stack of a stage cannot be read', async () => {
  const environment = { SMOKE_TOKEN: 'token', AWS_EC2_METADATA_DISABLED: 'true', HOME: '/dev/null' }
  const { exitCode, stderr } = await runHere('infra/smoke/smoke.ts', ['--stage', 'dev'], { environment })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^table-control-dev: .*use --base-url\.\n$/)])
})

it('start says what to do on a machine without an embedded Postgres', async () => {
  const directory = createFolder()
  const other = `data:text/javascript,Object.defineProperty(process, 'arch', { value: 'mips' })`
  const { status, stderr } = spawnSync(process.execPath, ['--import', other, 'infra/local/start.ts'], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, LOCAL_DIRECTORY: directory, DATABASE_URL: '', PORT: String(await claimPort()) },
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/no embedded Postgres .* set DATABASE_URL .*\n$/)])
})

it('start says what to do where the folder of its data cannot be written', async () => {
  const environment = { ...process.env, LOCAL_DIRECTORY: '/dev/null/folder', PORT: String(await claimPort()) }
  const { status, stderr } = spawnSync(process.execPath, ['infra/local/start.ts'], {
    cwd: project,
    encoding: 'utf8',
    env: environment,
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('/dev/null/folder cannot be written: ENOTDIR')])
  expect(stderr).toMatch(/; set LOCAL_DIRECTORY to a folder that can be written\n$/)
})

it('smoke does not blame the name of a service that accepts a request and never responds', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new DOMException('late', 'TimeoutError')))
  onTestFinished(() => void vi.unstubAllGlobals())
  const target = { baseUrl: 'http://127.0.0.1:3000', guards: ['api'], token: 'token', origin: undefined }
  await expect(callService(target, '/api')).rejects.toMatchObject({
    message: 'GET http://127.0.0.1:3000/api: late',
    advice: { likely: 'Something listens there, and gives no response in 35 s' },
  })
})

it.each([
  ['never responds', 0, 'failed,skipped,skipped'],
  ['responds to the first request alone', 1, 'failed,failed,failed,skipped,skipped'],
])('smoke gives up on a service that %s', async (_, responses, outcomes) => {
  let requests = 0
  vi.stubGlobal('fetch', async () => {
    requests += 1
    if (requests > responses) throw new DOMException('late', 'TimeoutError')
    return new Response('no envelope', { status: 500 })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const target = { baseUrl: 'http://127.0.0.1:3000', guards: ['api'], token: 'token', origin: undefined }
  const options = { table: undefined, toggle: undefined, waitMs: 1, mailTo: undefined, isExport: () => false }
  const ended: StepResult[] = []
  await runSmoke(target, { ...options, liveTriggers: new Map() }, { ended: (result) => void ended.push(result) })
  expect(ended.map(({ outcome }) => outcome).join()).toMatch(new RegExp(`^${outcomes}(,skipped)+$`))
  expect(ended.at(-1)).toMatchObject({ detail: 'the service gives no response', ms: 0 })
})

it('smoke names a step that takes longer than five seconds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const slow: string[] = []
  const steps = createSteps({ ended: () => undefined, slow: (name) => void slow.push(name) })
  const { promise, resolve } = Promise.withResolvers<{ seen: boolean; detail: string }>()
  const step = steps.take({ name: 'page', advice: { likely: '', fix: '' }, given: true, run: () => promise })
  vi.advanceTimersByTime(5_000)
  resolve({ seen: true, detail: '' })
  await step
  expect([slow, vi.getTimerCount()]).toEqual([['page'], 0])
})
