const longest = 31

/** A name that every spreadsheet takes: at most 31 characters, none of `[]:*?/\`, no straight quote; `number` tells sheets apart. */
export function sheetName(label: string, number: number): string {
  const suffix = number === 1 ? '' : ` ${number}`
  const allowed = label
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\ufffe\uffff]+/gu, ' ')
    // Where a name is referred to, as by the rows that every page repeats, quotes stand around it.
    .replace(/'/g, '’')
    .trim()
  const name = cutAt(allowed, longest - suffix.length)
    .replace(/^’+|’+$/g, '')
    .trim()
  // Spreadsheets keep this one for themselves.
  return `${name === '' || /^history$/i.test(name) ? `${name} sheet`.trim() : name}${suffix}`
}

const cutAt = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
