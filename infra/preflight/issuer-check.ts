import type { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import * as z from 'zod'
import { fetchJwks, parseJwks } from '../../lib/auth/jwks-source.ts'
import type { TokenRules } from '../../lib/auth/token-check.ts'
import { createTokenRules } from '../../lib/auth/token-verifier.ts'
import { errorCode, errorMessage } from '../local/error-message.ts'
import { stageConfig } from '../settings/function-environment.ts'
import type { Stage } from '../settings/stage-settings.ts'
import type { Check } from './check.ts'
import { fault, type NewFinding, ok, unknown, warning } from './finding.ts'
import { hasOwnIssuer } from './placeholder-check.ts'
import { tokenFinding } from './token-finding.ts'

/**
 * Reads the issuer's keys as the functions will, and compares the issuer's own spelling with the stage. Asks nothing of
 * AWS.
 */
export const issuerCheck: Check = {
  name: 'issuer',
  actions: [],
  concerns: ({ stage }) => hasOwnIssuer(stage),
  run: async ({ plan: { stage }, dns, token }) => {
    const config = stageConfig(stage)
    const rules = createTokenRules(config)
    const keys = await readKeys(stage, rules)
    const findings = [keys, ...(await readAddress(stage, new URL(rules.jwksUrl).hostname, dns))]
    if (token !== undefined && keys.level === 'ok') findings.push(await tokenFinding(config, token))
    if ('issuer' in stage.auth) findings.push(...(await compareIssuer(stage.auth, token !== undefined)))
    return findings
  },
}

const urlSetting = ({ auth }: Stage): string => ('jwksUrl' in auth ? 'auth.jwksUrl' : 'auth.userPoolId')

const usableKeys = 'RSA of at least 2,048 bits, EC (P-256, P-384, P-521) or Ed25519, with a kid, not for encryption'

async function readKeys(stage: Stage, { jwksUrl }: TokenRules): Promise<NewFinding> {
  let document: string
  try {
    document = new TextDecoder().decode(await fetchJwks(jwksUrl))
  } catch (error) {
    return notRead(stage, jwksUrl, error)
  }
  try {
    const { size } = parseJwks(document)
    if (size > 0) return ok(`${jwksUrl} has ${size} ${size === 1 ? 'key' : 'keys'} that can verify tokens`)
    return fault(`${jwksUrl} has no key that can verify a token`, `Let the issuer publish a key: ${usableKeys}`)
  } catch {
    return fault(
      `${jwksUrl} answers, but not with a JWKS: {"keys": […]}`,
      `Correct ${urlSetting(stage)}: the issuer's discovery document names it as jwks_uri`,
    )
  }
}

function notRead(stage: Stage, jwksUrl: string, error: unknown): NewFinding {
  const code = errorCode(error)
  const text = `${jwksUrl}: ${errorMessage(error)}`
  if (code === 'ENOTFOUND' || /status|larger than/.test(text)) return fault(text, `Correct ${urlSetting(stage)}`)
  if (/CERT|SELF_SIGNED|ALTNAME/i.test(code))
    return fault(`${text} (${code})`, 'Give the issuer a certificate of an authority that every browser knows')
  const { database } = stage
  if (database.kind === 'existing' && database.vpc !== undefined)
    return warning(
      `${text}: not reached from here`,
      `Run the preflight inside ${database.vpc.id} if the issuer lets in nothing else; otherwise let this machine reach it`,
    )
  return unknown(text, 'Let this machine and the functions reach the issuer, and run it again')
}

/** Functions in a network without a NAT gateway reach other services over IPv6 alone. */
async function readAddress({ database }: Stage, host: string, dns: Resolver): Promise<readonly NewFinding[]> {
  if (database.kind === 'existing' || database.natGateways > 0 || isIP(host) === 6) return []
  const addresses = await dns.resolve6(host).catch(() => [])
  if (addresses.length > 0) return [ok(`${host} has an IPv6 address, which functions without a NAT gateway need`)]
  return [
    fault(
      `${host} has no IPv6 address (AAAA), and without a NAT gateway the functions reach it over IPv6 alone`,
      'Set database.natGateways: 1 (a stage that is deployed with 0 keeps it), or ask the issuer for an AAAA record',
    ),
  ]
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })

const maxFetchMs = 3_000

async function compareIssuer(
  { issuer, jwksUrl }: { readonly issuer: string; readonly jwksUrl: string },
  hasToken: boolean,
): Promise<readonly NewFinding[]> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = await readDiscovery(url)
  if (document === undefined) {
    if (hasToken) return []
    return [
      warning(
        `${url} cannot be read, so that auth.issuer cannot be compared with that of tokens`,
        'Run it again with --token and an access token of the issuer',
      ),
    ]
  }
  const findings: NewFinding[] = []
  if (document.issuer !== issuer)
    findings.push(
      fault(
        `the issuer calls itself "${document.issuer}", auth.issuer is "${issuer}"; tokens must match letter by letter`,
        `Set auth.issuer: '${document.issuer}'`,
      ),
    )
  if (document.jwks_uri !== jwksUrl)
    findings.push(
      warning(
        `the issuer publishes its keys at ${document.jwks_uri}, auth.jwksUrl is ${jwksUrl}`,
        `Set auth.jwksUrl: '${document.jwks_uri}', unless both have the same keys`,
      ),
    )
  return findings.length > 0 ? findings : [ok(`${issuer} is spelled as the issuer spells itself`)]
}

/** Resolves with `undefined` where the issuer publishes none. */
async function readDiscovery(url: string): Promise<z.output<typeof discovery> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(maxFetchMs) })
    return discovery.safeParse(await response.json()).data
  } catch {
    return undefined
  }
}
