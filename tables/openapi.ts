import { parseArgs } from 'node:util'
import { wholeDocument } from '#lib'
import { registry } from './index.ts'

const usage = `Usage: npm run --silent openapi [-- options] > openapi.json
  --url       scheme and host of the service, such as https://tables.example.com
  --guards    optional; default api,web. The first one is described
  --service   what SERVICE_NAME says; optional; default table_control
  --language  of labels: en (by default) or ar`

function printDocument(): string {
  const text = { type: 'string' } as const
  const options = { url: text, guards: text, service: text, language: text, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ options })
  const { url = '', guards = 'api,web', service = 'table_control', language = 'en' } = values
  if (values.help) return usage
  if (language !== 'en' && language !== 'ar') throw new Error(`--language is en or ar, not "${language}"`)
  if (!guards.split(',').every((guard) => /^[\w-]+$/.test(guard)))
    throw new Error(`--guards is a list of words such as api,web, not "${guards}"`)
  if (url !== '' && !(/^https?:/.test(url) && URL.canParse(url)))
    throw new Error(`--url is a URL such as https://tables.example.com, not "${url}"`)
  const named = { SERVICE_NAME: service, GUARDS: guards.split(','), ITEM_ACTIONS: 'both' } as const
  return JSON.stringify(
    wholeDocument(registry, {
      service: named,
      guard: named.GUARDS[0] ?? 'api',
      baseUrl: url.replace(/\/+$/, ''),
      language,
    }),
    null,
    2,
  )
}

// The console keeps to itself that a disk is full, and a part of the document would look like all of it.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return
  console.error(`The output could not be written: ${message}`)
  process.exitCode = 1
})
try {
  console.log(printDocument())
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 1
}
