import { parseArgs } from 'node:util'
import { mintToken, type TokenRequest } from './identity/mint-token.ts'
import { loadSigningKey } from './identity/signing-key.ts'
import { localDirectory } from './local-directory.ts'
import { refuseLostOutput } from './lost-output.ts'

const usage = `Usage: npm run --silent token -- --sub <subject> [--claim <name>=<value>]... [--expires <seconds>]
  --claim    a value with a comma is a list: states=Texas,Ohio (of one: states=Texas,)
  --expires  lifetime in seconds (3600); a negative number gives a token that has expired`

/** parseArgs takes a value that begins with a hyphen only behind an equals sign. */
const joinNegative = (args: readonly string[]) =>
  args.flatMap((arg, at) => {
    if (arg === '--expires' && /^-\d/.test(args[at + 1] ?? '')) return []
    return args[at - 1] === '--expires' && /^-\d/.test(arg) ? [`--expires=${arg}`] : [arg]
  })

function readRequest(args: readonly string[]): TokenRequest {
  const options = {
    sub: { type: 'string' },
    claim: { type: 'string', multiple: true },
    expires: { type: 'string' },
  } as const
  const { values } = parseArgs({ args: joinNegative(args), options })
  if (!values.sub) throw new Error('--sub is needed: the subject of the token')
  if (values.expires !== undefined && !/^-?\d{1,9}$/.test(values.expires)) {
    throw new Error(`--expires is a whole number of seconds, not "${values.expires}"`)
  }
  return {
    subject: values.sub,
    claims: readClaims(values.claim ?? []),
    ...(values.expires !== undefined && { expiresInSeconds: Number(values.expires) }),
  }
}

function readClaims(claims: readonly string[]): Readonly<Record<string, unknown>> {
  const read = new Map<string, unknown>()
  for (const claim of claims) {
    const mark = claim.indexOf('=')
    const name = claim.slice(0, mark)
    const value = claim.slice(mark + 1)
    if (mark < 1) throw new Error(`--claim is <name>=<value>, not "${claim}"`)
    if (read.has(name)) throw new Error(`--claim ${name} is given twice; a list is ${name}=first,second`)
    read.set(name, value.includes(',') ? value.split(',').filter((part) => part !== '') : value)
  }
  return Object.fromEntries(read)
}

refuseLostOutput()
try {
  const given = process.argv.slice(2)
  console.log(given.includes('--help') ? usage : mintToken(loadSigningKey(localDirectory()), readRequest(given)))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 1
}
