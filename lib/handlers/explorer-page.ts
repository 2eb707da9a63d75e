import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Config, loadConfig } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { matchesTag } from '../http/entity-tag.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { callerLanguage } from '../i18n/language.ts'
import { type ContentCoding, compress, preferredCoding } from '../operations/content-coding.ts'
import { guardBasePath } from '../routes.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'

type GatewayResult = APIGatewayProxyStructuredResultV2

/**
 * The Lambda handler of the explorer: the page itself, and its files, which a browser may keep for ever since their
 * names change with them; that of the licences does not. 404 where the setting `EXPLORER` is off. `files` is asked for
 * each page, so that it may build them anew.
 */
export function explorerPage(files: () => Promise<ExplorerFiles>, config: () => Config = loadConfig) {
  let settings: Config | undefined
  return (event: APIGatewayProxyEventV2): Promise<GatewayResult> => {
    const { http, requestId } = event.requestContext
    const invocation = beginInvocation('explorer', requestId)
    return respondAndLog({ invocation, language: () => callerLanguage(event.headers) }, async () => {
      settings ??= config()
      beginLog(settings)
      if (settings.EXPLORER === 'off') throw notFound(http)
      const built = await files()
      const asked = event.pathParameters?.['file']
      if (asked === undefined) return page(settings, built, event)
      if (asked === built.licenses.name) return licensesResponse(built.licenses, event)
      const file = [built.script, built.style, ...built.parts].find(({ name }) => name === asked)
      if (file === undefined) throw notFound(http)
      return fileResponse(file, event)
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

async function page(config: Config, files: ExplorerFiles, event: APIGatewayProxyEventV2): Promise<GatewayResult> {
  const html = Buffer.from(explorerHtml(config, files))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': explorerPolicy(config),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  return encodeFile(event, createTag(html), headers, async (coding) =>
    (coding === undefined ? html : await compress(html, coding)).toString('base64'),
  )
}

const fileResponse = (file: ExplorerFile, event: APIGatewayProxyEventV2): Promise<GatewayResult> =>
  encodeFile(event, file.name, fileHeaders(file, 'public, max-age=31536000, immutable'), readBody(file))

const licensesResponse = (file: ExplorerFile, event: APIGatewayProxyEventV2): Promise<GatewayResult> =>
  encodeFile(event, createTag(file.gzip), fileHeaders(file, 'no-cache'), readBody(file))

const fileHeaders = ({ type }: ExplorerFile, cache: string) => ({ 'content-type': type, 'cache-control': cache })

const readBody =
  ({ br, gzip }: ExplorerFile) =>
  async (coding: ContentCoding | undefined): Promise<string> =>
    coding === undefined ? identity(gzip) : { br, gzip }[coding]

const createTag = (content: string | Buffer): string => hash('sha256', content, 'base64url').slice(0, 27)

/**
 * The content, as base64, in the coding that the browser prefers, and without it where the browser has it already
 * (`tag`).
 */
async function encodeFile(
  event: APIGatewayProxyEventV2,
  tag: string,
  own: Readonly<Record<string, string>>,
  body: (coding: ContentCoding | undefined) => Promise<string>,
): Promise<GatewayResult> {
  const coding = preferredCoding(event.headers['accept-encoding'])
  const etag = `W/"${tag}"`
  const headers = { ...safeHeaders, ...own, etag, vary: 'accept-encoding' }
  if (matchesTag(event.headers['if-none-match'], etag)) return { statusCode: 304, headers }
  const encoding = coding === undefined ? {} : { 'content-encoding': coding }
  return { statusCode: 200, headers: { ...headers, ...encoding }, body: await body(coding), isBase64Encoded: true }
}

const identity = (gzip: string): string => gunzipSync(Buffer.from(gzip, 'base64')).toString('base64')

const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#2458d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='#fff' stroke-width='1.6' stroke-linecap='round'/></svg>`

/**
 * The document around the explorer's script. What the script must know of the deployment stands in `meta`, because
 * nothing inline may run. The first screen is drawn before the script is there.
 */
const explorerHtml = (config: Config, { script, style, licenses }: Omit<ExplorerFiles, 'parts'>): string =>
  `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Every table of this service, drawn from what its structure tells.">
<meta name="explorer-base" content="${escapeHtml(guardBasePath(findGuard(config)))}">
<meta name="explorer-demo-users" content="${escapeHtml(config.EXPLORER_DEMO_USERS ?? '')}">
<title>Table explorer</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<link rel="license" href="explorer/${licenses.name}">
<link rel="stylesheet" href="explorer/${style.name}">
<script type="module" src="explorer/${script.name}"></script>
</head>
<body>
<div id="explorer"><div class="boot" aria-hidden="true"></div></div>
<noscript>
<p>This page draws tables in the browser and needs JavaScript.</p>
<p lang="ar" dir="rtl">تعرض هذه الصفحة الجداول في المتصفح، وتحتاج إلى JavaScript.</p>
</noscript>
</body>
</html>
`

/** A browser is a web client. */
const findGuard = ({ GUARDS }: Config): string => (GUARDS.includes('web') ? 'web' : (GUARDS[0] ?? 'web'))

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * Writes the Content-Security-Policy of the explorer. Code and styles come from its own files alone, pictures from any
 * address of a table. Requests go to its own service, the WebSocket, the storage of uploaded files and, locally, to the
 * issuer of the demo users' tokens.
 */
function explorerPolicy({ SOCKET_URL, EXPLORER_DEMO_USERS, UPLOAD_ORIGINS }: Config): string {
  const connected = [SOCKET_URL, EXPLORER_DEMO_USERS, ...UPLOAD_ORIGINS].flatMap((url) =>
    url === undefined ? [] : [readOrigin(url)],
  )
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...connected].join(' ')}`,
    "img-src 'self' data: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types explorer',
  ].join('; ')
}

/** The scheme and host of a URL; `origin` itself is null for WebSockets. */
function readOrigin(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

/** A file of the page, named by its content, with its body in both encodings as base64. */
interface ExplorerFile {
  readonly name: string
  readonly type: string
  readonly br: string
  readonly gzip: string
}

interface ExplorerFiles {
  readonly script: ExplorerFile
  readonly style: ExplorerFile
  /** Scripts that the page loads when it needs them. */
  readonly parts: readonly ExplorerFile[]
  /** The licences of the packages in the scripts, for people; its name stays the same. */
  readonly licenses: ExplorerFile
}
