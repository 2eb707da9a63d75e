import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runHere } from '../support/infra/command-here.ts'

const project = resolve(import.meta.dirname, '../..')

const run = (file: string, stdout: number | 'pipe') =>
  spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] })

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
  const directory = mkdtempSync(join(tmpdir(), 'table-control-key-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
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
