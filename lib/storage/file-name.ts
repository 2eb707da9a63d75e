/** Controls, line breaks, halves of characters, and the marks that turn the reading direction and so disguise an extension. */
const unwritable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu

/** What some file system or shell reads as something else than a name. */
const reserved = /[/\\:*?"<>|]+/g

const longestName = 120
const longestExtension = 10

/**
 * A name under which a file can be saved anywhere and written into any header: on one line, without a path, 120 characters
 * at most with its extension kept. Letters of every script stay as they are.
 */
export function safeFileName(name: string): string {
  // The trimming below takes long over a name of a hundred thousand dots.
  const bounded = name.length > 1_000 ? name.slice(0, 900) + name.slice(-100) : name
  const clean = bounded.replace(unwritable, ' ').replace(reserved, '-').replace(/ +/g, ' ')
  const trimmed = clean.replace(/^[ .]+|[ .]+$/g, '')
  if (trimmed === '') return 'file'
  const characters = [...trimmed]
  if (characters.length <= longestName) return trimmed
  const extension = /\.[A-Za-z0-9]+$/.exec(trimmed)?.[0] ?? ''
  const kept = extension.length <= longestExtension ? extension : ''
  const start = characters.slice(0, longestName - kept.length).join('')
  return start.replace(/[ .]+$/, '') + kept
}

/** A text for a header: on one line, without controls, cut at so many characters. */
export const singleLine = (text: string, most: number): string =>
  [...text.replace(unwritable, ' ').replace(/ +/g, ' ').trim()].slice(0, most).join('').trim()

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
