import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogateCount = 0x800

/**
 * `unit: 'binary'` of fast-check draws the same characters, but first builds a map of all of them: a second of a
 * processor, and 115 MB.
 */
const character = fc.nat({ max: 0x10ffff - surrogateCount }).map(
  (place) => String.fromCodePoint(place < firstSurrogate ? place : place + surrogateCount),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('not one character')
    if (point < firstSurrogate) return point
    if (point < firstSurrogate + surrogateCount) throw new Error('half of a surrogate pair')
    return point - surrogateCount
  },
)

/** Texts of any Unicode characters, null characters included, without halves of surrogate pairs. */
export const anyText = (constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character })

const unescaped = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?"]

/** Escapes any character, also one that needs none. */
function escapeCharacter(text: string): string {
  const escaped = encodeURIComponent(text)
  return escaped === text ? `%${text.charCodeAt(0).toString(16)}` : escaped
}

/**
 * Query strings of all characters that a URL has there, and of any escaped ones, as `webQueryParameters` draws them.
 */
export const anyQuery = (): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      { arbitrary: fc.constantFrom(...unescaped), weight: 8 },
      { arbitrary: character.map(escapeCharacter), weight: 1 },
    ),
  })
