/**
 * CSV by RFC 4180, read character by character: a reader that shares nothing with the writer. Throws where it is none.
 */
export function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let [row, at]: [string[], number] = [[], 0]
  while (at < text.length) {
    const field = text[at] === '"' ? quotedField(text, at) : bareField(text, at)
    row.push(field.value)
    at = field.end
    if (text[at] === ',') {
      at += 1
      if (at === text.length) throw new Error('the text ends after a comma')
      continue
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no CR LF at ${at}`)
    at += 2
    rows.push(row)
    row = []
  }
  return rows
}

interface Field {
  readonly value: string
  readonly end: number
}

function bareField(text: string, start: number): Field {
  let end = start
  while (end < text.length && !',\r\n'.includes(text.charAt(end))) {
    if (text[end] === '"') throw new Error(`a quote inside a bare field at ${end}`)
    end += 1
  }
  return { value: text.slice(start, end), end }
}

function quotedField(text: string, start: number): Field {
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') value += text[at]
    else if (text[at + 1] === '"') {
      value += '"'
      at += 1
    } else return { value, end: at + 1 }
  }
  throw new Error('a quoted field does not end')
}
