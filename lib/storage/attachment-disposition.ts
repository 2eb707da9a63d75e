import { safeFileName } from './file-name.ts'

/**
 * The `Content-Disposition` of a download (RFC 6266): the name in UTF-8, and in ASCII for whoever reads nothing else. The
 * name is made safe first.
 */
export function attachmentDisposition(name: string): string {
  const fileName = safeFileName(name)
  return `attachment; filename="${asciiName(fileName)}"; filename*=UTF-8''${encoded(fileName)}`
}

/** encodeURIComponent leaves some characters that RFC 5987 does not allow. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Accents are taken off; a name of another script becomes `file` and keeps its extension. */
function asciiName(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  const stem = name
    .slice(0, name.length - extension.length)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // A percent sign is read as an encoding by some browsers.
    .replace(/[^ -~]+|[%"\\;]/g, '_')
  return (/[A-Za-z0-9]/.test(stem) ? stem : 'file') + extension
}
