import { createServer } from 'node:https'
import { resolve } from 'node:path'
import { type BundledFunction, bundleFunctions } from '../../../infra/bundle/bundle.ts'
import { loadSigningKey } from '../../../infra/local/identity/signing-key.ts'
import { bindPort } from '../../support/network/bind-port.ts'
import { createTlsIdentity } from '../../support/network/tls-identity.ts'
import { startCold } from '../cold-start.ts'
import { atMost, type Figure, type Question } from '../figure.ts'
import { flightsEvent, indexedQuery } from '../flights-request.ts'
import { benchDirectory, environment, token } from '../installation.ts'
import { interleave, median } from '../rounds.ts'

const rounds = 21

/** Keys behind https, as every identity provider has them; the children trust the certificate. */
async function startSecureKeys() {
  const identity = createTlsIdentity('localhost')
  const document = JSON.stringify({ keys: [loadSigningKey(benchDirectory).publicKey] })
  const server = createServer(identity, (_, response) => response.end(document))
  const port = await bindPort(server)
  return { authority: identity.cert, url: `https://localhost:${port}/jwks.json`, stop: () => server.close() }
}

const holds = ({ inputs }: BundledFunction, ...packages: readonly string[]) =>
  packages.filter((name) => inputs.some((input) => input.includes(`node_modules/${name}`)))

function sizeFigures(bundle: BundledFunction): readonly Figure[] {
  const unwanted = holds(bundle, 'exceljs', '@aws-sdk/')
  return [
    { name: 'bundle', measured: `${(bundle.bytes / 1024).toFixed(0)} KB in ${bundle.modules} modules` },
    atMost(
      'bundle, deflated',
      bundle.deflatedBytes / 1024,
      150,
      `${(bundle.deflatedBytes / 1024).toFixed(1)} KB`,
      ' KB',
    ),
    atMost('exceljs and AWS clients in it', unwanted.length, 0, unwanted.join(', ') || 'none'),
  ]
}

/** A function's first request in a process that has just begun. */
export const coldFunction: Question = {
  id: 'cold-function',
  asks: 'How long does a cold query-table take from the start of its process?',
  method: `Its deployment bundle in a fresh Node process, ${rounds} rounds alternating with a process that loads nothing; the first response includes the keys over https, the log-in to Postgres (SCRAM) and both statements.`,
  measure: async ({ databaseUrl, report }) => {
    report('bundling')
    const bundles = await bundleFunctions({ outdir: resolve(benchDirectory, 'bundle'), functions: ['query-table'] })
    const [bundle] = bundles
    if (bundle === undefined) throw new Error('there is no bundle of query-table')
    const keys = await startSecureKeys()
    const env = environment({ databaseUrl, jwksUrl: keys.url }, 1)
    const event = flightsEvent(token(), indexedQuery)
    report('starting processes')
    const samples = await interleave(rounds, {
      bare: () => startCold(env),
      cold: () => startCold(env, bundle.file, event, keys.authority),
    })
    keys.stop()
    if (samples.cold.some(({ status }) => status !== 200)) throw new Error('a cold query-table did not answer 200')
    const middle = (side: 'bare' | 'cold', key: 'readyMs' | 'responseMs' | 'loaded') =>
      median(samples[side].map((sample) => sample[key]))
    const bare = middle('bare', 'readyMs')
    const ready = middle('cold', 'readyMs')
    const call = middle('cold', 'responseMs')
    return [
      ...sizeFigures(bundle),
      { name: 'modules of Node itself that it loads', measured: String(middle('cold', 'loaded')) },
      { name: 'bare Node', measured: `${bare.toFixed(1)} ms` },
      atMost('ready to be called, over bare Node', ready - bare, 50, `${(ready - bare).toFixed(1)} ms`, ' ms'),
      {
        name: 'first response, over bare Node',
        measured: `${(ready - bare + call).toFixed(1)} ms, of which the call itself ${call.toFixed(1)} ms`,
      },
    ]
  },
}
