import { hash } from 'node:crypto'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { createHttpHandler, createRequest, type Handler, toResponse } from '../http/endpoint.ts'
import { processService, type Service } from '../http/service.ts'
import { callerLanguage, type Language, languages } from '../i18n/language.ts'
import { prefersType } from '../operations/preferred-type.ts'
import type { PublicOperation } from '../operations/table-request.ts'
import type { EndpointName } from '../routes.ts'
import { endStage } from '../telemetry/invocation.ts'

/** Creates the Lambda handler of a signed link, which needs no token. A browser sees its failures as a page. */
export const publicEndpoint = (
  { name, run }: { readonly name: EndpointName; readonly run: PublicOperation },
  service: () => Service = processService,
): Handler =>
  createHttpHandler(
    name,
    service,
    async (running, event, request, invocation) => {
      const outcome = await run(createRequest(running, event, request, invocation))
      endStage(invocation, 'work')
      return toResponse(outcome)
    },
    { present: (response, { headers }) => presentLinkFailure(response, headers, callerLanguage(headers)) },
  )

type GatewayResult = APIGatewayProxyStructuredResultV2
type Headers = Readonly<Record<string, string | undefined>>

interface PageTexts {
  readonly title: string
  readonly advice: string
}

const dead: Readonly<Record<Language, PageTexts>> = {
  en: {
    title: 'This link no longer works',
    advice:
      'It has expired, was withdrawn, or was not copied completely. Ask the person who sent it to you for a new link, or create the report again.',
  },
  ar: {
    title: 'لم يعد هذا الرابط يعمل',
    advice: 'انتهت صلاحيته أو أُلغي أو لم يُنسخ كاملًا. اطلب رابطًا جديدًا ممن أرسله إليك، أو أنشئ التقرير من جديد.',
  },
}

const failed: Readonly<Record<Language, PageTexts>> = {
  en: {
    title: 'The file cannot be opened right now',
    advice: 'Please open the link again in a few minutes.',
  },
  ar: {
    title: 'يتعذّر فتح الملف الآن',
    advice: 'يُرجى فتح الرابط مرة أخرى بعد بضع دقائق.',
  },
}

const style = `body{margin:0;background:#f4f5f7;color:#1d2733;font:16px/1.6 'Segoe UI',Tahoma,Arial,sans-serif}
main{max-width:36rem;margin:12vh auto;padding:2rem;background:#fff;border-radius:8px}
section+section{margin-top:2rem;padding-top:2rem;border-top:1px solid #dfe3e8}
h1,h2{margin:0 0 .5rem;font-size:1.25rem}p{margin:0}`

const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/**
 * Turns the failure of a link into a page in both languages, the caller's first, where the request comes from a
 * browser. Other responses, and those to programs, stay as they are.
 */
function presentLinkFailure(response: GatewayResult, headers: Headers, language: Language): GatewayResult {
  const { statusCode = 200 } = response
  if (statusCode < 400) return response
  const varying = { ...response.headers, vary: 'accept' }
  if (!prefersType(headers['accept'], 'text/html')) return { ...response, headers: varying }
  const own = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  }
  return { ...response, headers: { ...varying, ...own }, body: html(statusCode === 404 ? dead : failed, language) }
}

function html(texts: Readonly<Record<Language, PageTexts>>, first: Language): string {
  const sections = [...languages]
    .sort((a, b) => Number(b === first) - Number(a === first))
    .map((language, index) => {
      const { title, advice } = texts[language]
      const heading = index === 0 ? 'h1' : 'h2'
      return `<section ${direction(language)}><${heading}>${title}</${heading}><p>${advice}</p></section>`
    })
  return [
    `<!DOCTYPE html><html ${direction(first)}><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">',
    `<title>${texts[first].title}</title><style>${style}</style></head>`,
    `<body><main>${sections.join('')}</main></body></html>`,
  ].join('')
}

const direction = (language: Language): string => `lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"`
