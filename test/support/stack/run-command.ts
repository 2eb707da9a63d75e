import { execFile } from 'node:child_process'
import { resolve } from 'node:path'

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const project = resolve(import.meta.dirname, '../../..')

/** Runs `npm run --silent <script> -- <args>` as an operator does, with `variables` beside those of this process. */
export function runScript(
  script: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const { DATABASE_URL: _, ...inherited } = process.env
  const options = { cwd: project, env: { ...inherited, NO_COLOR: '1', ...variables }, maxBuffer: 8_000_000 }
  return new Promise((done) => {
    const child = execFile('npm', ['run', '--silent', script, '--', ...args], options, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode ?? 1, stdout, stderr }),
    )
  })
}
