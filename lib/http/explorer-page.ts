import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Config, loadConfig } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { type ContentCoding, compress, preferredCoding } from '../operations/content-coding.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'
import { matchesTag } from './entity-tag.ts'
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

async function page(config: Config, files: ExplorerFiles, event: APIGatewayProxyEventV2): Promise<Answer> {
  const html = Buffer.from(explorerHtml(config, files))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': explorerPolicy(config),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  const tag = createHash('sha256').update(html).digest('base64url').slice(0, 27)
  return encoded(event, tag, headers, async (coding) =>
    (coding === undefined ? html : await compress(html, coding)).toString('base64'),
  )
}

const fileAnswer = ({ name, type, br, gzip }: ExplorerFile, event: APIGatewayProxyEventV2): Promise<Answer> => {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
  const bodies = { br, gzip }
  return encoded(event, name, headers, async (coding) => (coding === undefined ? identity(gzip) : bodies[coding]))
}

/** The content, as base64, in the coding that the browser prefers, and without it where the browser has it already (`tag`). */
async function encoded(
  event: APIGatewayProxyEventV2,
  tag: string,
  own: Readonly<Record<string, string>>,
  body: (coding: ContentCoding | undefined) => Promise<string>,
): Promise<Answer> {
  const coding = preferredCoding(event.headers['accept-encoding'])
  const etag = `W/"${tag}"`
  const headers = { ...safeHeaders, ...own, etag, vary: 'accept-encoding' }
  if (matchesTag(event.headers['if-none-match'], etag)) return { statusCode: 304, headers }
  const encoding = coding === undefined ? {} : { 'content-encoding': coding }
  return { statusCode: 200, headers: { ...headers, ...encoding }, body: await body(coding), isBase64Encoded: true }
}

const identity = (gzip: string): string => gunzipSync(Buffer.from(gzip, 'base64')).toString('base64')
