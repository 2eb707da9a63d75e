import type { LoggedRequest } from '../service/request-log.ts'

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The request for a shell; the token is what `$TOKEN` holds there. */
export function asCurl({ method, path, body, language }: LoggedRequest): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(location.origin + path)}`,
    `-H "authorization: Bearer $TOKEN"`,
    `-H ${quote(`ln: ${language}`)}`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

/** The request for a program that has the token in `token`. */
export function asTypeScript({ method, path, body, language }: LoggedRequest): string {
  const sent =
    body === undefined ? '' : `\n  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`
  const type = body === undefined ? '' : ", 'content-type': 'application/json'"
  return `const response = await fetch(${JSON.stringify(location.origin + path)}, {
  method: '${method}',
  headers: { authorization: \`Bearer \${token}\`, ln: '${language}'${type} },${sent}
})
const body = await response.json()
`
}
