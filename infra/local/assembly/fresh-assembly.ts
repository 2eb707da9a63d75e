import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockFile } from '../lock-file.ts'
import { readTemplate, templateFile } from './template.ts'

const project = resolve(import.meta.dirname, '../../..')
const output = join(project, 'cdk.out')

/** The folders and files from which a template is made. */
const sources = [
  'functions',
  'lib',
  'tables',
  'infra',
  'cdk.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]

interface Synthesis {
  readonly stage: string
  readonly report: (line: string) => void
  readonly signal: AbortSignal
}

/**
 * The cloud assembly of a stage, which `npm run synth` writes to cdk.out: the one that is there when it is newer than
 * every source, or a new one. Of several processes that need a new one, the first makes it. Rejects with what the CDK
 * printed.
 */
export async function freshAssembly({ stage, report, signal }: Synthesis): Promise<string> {
  const unlock = await lockFile(join(project, '.local', 'synth.lock'), signal)
  try {
    if (isFreshAssembly(output, stage)) report(`running what is in cdk.out, of stage ${stage}`)
    else {
      report(`synthesizing stage ${stage}`)
      await synthesize(stage, signal)
    }
  } finally {
    unlock()
  }
  return output
}

/** Returns whether an assembly is newer than every source, and whole: a full disk leaves a part of a file. */
export function isFreshAssembly(directory: string, stage: string): boolean {
  try {
    readTemplate(directory, stage)
    const written = statSync(templateFile(directory, stage)).mtimeMs
    return sources.every((source) => newest(join(project, source)) < written)
  } catch {
    return false
  }
}

function newest(path: string): number {
  // The local service is not deployed.
  if (path === join(project, 'infra/local')) return 0
  const stat = statSync(path)
  // A folder changes when a file is removed from it.
  return stat.isDirectory()
    ? Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
    : stat.mtimeMs
}

async function synthesize(stage: string, signal: AbortSignal): Promise<void> {
  // The rules of CloudFormation take five seconds of a processor; `npm run synth` and each deployment apply them.
  const args = ['synth', '--quiet', '--no-validation', '--output', output, '-c', `stage=${stage}`]
  const child = spawn(join(project, 'node_modules/.bin/cdk'), args, { cwd: project, signal, stdio: 'pipe' })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The synthesis of stage ${stage} failed:\n${printed.trim()}`)
}
