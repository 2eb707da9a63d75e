import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Config, loadConfig } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'
import type { ExplorerFile, ExplorerFiles } from './explorer-files.ts'
import { explorerHtml } from './explorer-html.ts'
import { explorerPolicy } from './explorer-policy.ts'
import { observed } from './observed.ts'

type Answer = APIGatewayProxyStructuredResultV2

/**
 * The Lambda handler of the explorer: the page itself, and its files, which a browser may keep for ever since their names change
 * with them. 404 where the setting `EXPLORER` is off. `files` is asked for each page, so that it may build them anew.
 */
export function explorerPage(files: () => Promise<ExplorerFiles>, config: () => Config = loadConfig) {
  let settings: Config | undefined
  return (event: APIGatewayProxyEventV2): Promise<Answer> => {
    const { http, requestId } = event.requestContext
    const invocation = beginInvocation('explorer', requestId)
    return observed({ invocation, language: () => callerLanguage(event.headers) }, async () => {
      settings ??= config()
      beginLog(settings)
      if (settings.EXPLORER === 'off') throw notFound(http)
      const { script, style } = await files()
      const asked = event.pathParameters?.['file']
      if (asked === undefined) return page(settings, { script, style }, event)
      const file = [script, style].find(({ name }) => name === asked)
      if (file === undefined) throw notFound(http)
      return fileAnswer(file, event)
    })
  }
}

const notFound = ({ method, path }: { readonly method: string; readonly path: string }) =>
  new RequestError('route_not_found', { method, path })

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

function page(config: Config, files: ExplorerFiles, event: APIGatewayProxyEventV2): Answer {
  const html = explorerHtml(config, files)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': explorerPolicy(config),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 27)
  return encoded(event, tag, headers, { gzip: gzipSync(html).toString('base64') })
}

const fileAnswer = ({ name, type, br, gzip }: ExplorerFile, event: APIGatewayProxyEventV2): Answer =>
  encoded(event, name, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }, { br, gzip })

/** The content in the best encoding that the browser takes, and without it where the browser has it already (`tag`). */
function encoded(
  event: APIGatewayProxyEventV2,
  tag: string,
  own: Readonly<Record<string, string>>,
  bodies: { readonly br?: string; readonly gzip: string },
): Answer {
  const accepted = event.headers['accept-encoding'] ?? ''
  const takes = (encoding: string) => new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted)
  const encoding = bodies.br !== undefined && takes('br') ? 'br' : takes('gzip') ? 'gzip' : undefined
  const etag = `"${tag}${encoding === undefined ? '' : `.${encoding}`}"`
  const headers = {
    ...safeHeaders,
    ...own,
    ...{ etag, vary: 'accept-encoding' },
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  }
  const known = (event.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (known.includes(etag)) return { statusCode: 304, headers }
  const body = encoding === undefined ? identity(bodies.gzip) : (bodies[encoding] ?? '')
  return { statusCode: 200, headers, body, isBase64Encoded: true }
}

const identity = (gzip: string): string => gunzipSync(Buffer.from(gzip, 'base64')).toString('base64')
