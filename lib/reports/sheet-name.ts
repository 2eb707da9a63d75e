const longest = 31

/** A name that every spreadsheet takes: at most 31 characters, none of `[]:*?/\`, no quote at an end; `number` tells sheets apart. */
export function sheetName(label: string, number: number): string {
  const suffix = number === 1 ? '' : ` ${number}`
  const allowed = label
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\ufffe\uffff]+/gu, ' ')
    .trim()
  const name = cutAt(allowed, longest - suffix.length)
    .replace(/^'+|'+$/g, '')
    .trim()
  // Spreadsheets keep this one for themselves.
  return `${name === '' || /^history$/i.test(name) ? `${name} sheet`.trim() : name}${suffix}`
}

const cutAt = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
