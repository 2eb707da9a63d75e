/**
 * Controls, line breaks, halves of characters, and the marks that turn the reading direction and so disguise an
 * extension.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]+/gu

/** Characters with a meaning in some file system or shell. */
const reserved = /[/\\:*?"<>|]+/g

const maxNameLength = 120
const maxExtensionLength = 10

/**
 * Returns a name that is safe for any file system and header: one line, no path, at most 120 characters with its
 * extension. Letters of every script stay.
 */
export function safeFileName(name: string): string {
  // Trimming a name of a hundred thousand dots takes long.
  const bounded = name.length > 1_000 ? name.slice(0, 900) + name.slice(-100) : name
  const clean = bounded.replace(unsafe, ' ').replace(reserved, '-').replace(/ +/g, ' ')
  const trimmed = clean.replace(/^[ .]+|[ .]+$/g, '')
  if (trimmed === '') return 'file'
  const characters = [...trimmed]
  if (characters.length <= maxNameLength) return trimmed
  const extension = /\.[A-Za-z0-9]+$/.exec(trimmed)?.[0] ?? ''
  const kept = extension.length <= maxExtensionLength ? extension : ''
  const start = characters.slice(0, maxNameLength - kept.length).join('')
  return start.replace(/[ .]+$/, '') + kept
}

/** Returns a text for a header: one line, without controls, cut at `maxLength` characters. */
export const singleLine = (text: string, maxLength: number): string =>
  [...text.replace(unsafe, ' ').replace(/ +/g, ' ').trim()].slice(0, maxLength).join('').trim()

/** Returns the `Content-Disposition` of a download (RFC 6266), with the safe name in UTF-8 and in ASCII. */
export function attachmentDisposition(name: string): string {
  const fileName = safeFileName(name)
  return `attachment; filename="${asciiName(fileName)}"; filename*=UTF-8''${encodeExtended(fileName)}`
}

/** encodeURIComponent leaves some characters that RFC 5987 does not allow. */
const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Removes accents; a name of another script becomes `file` with its extension. */
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
