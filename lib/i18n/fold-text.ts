/** Marks, tatweel, and characters that only direct the text. */
const dropped = new RegExp(
  '[\\u00ad\\u0300-\\u036f\\u0610-\\u061a\\u061c\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8' +
    '\\u06ea-\\u06ed\\u08d3-\\u08e1\\u08e3-\\u08ff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]+',
  'g',
)

const letters = new Map([
  ...zip('ةىٱیکøđðłħŧıς', 'هيايكoddlhtiσ'),
  ...zip('٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789'),
  ...([
    ['ß', 'ss'],
    ['æ', 'ae'],
    ['œ', 'oe'],
    ['þ', 'th'],
  ] as const),
])

function zip(from: string, to: string): readonly (readonly [string, string])[] {
  const folded = [...to]
  return [...from].map((letter, index) => [letter, folded[index] ?? ''])
}

/**
 * Returns the form in which texts are searched: without case, diacritics, tashkeel and tatweel, with one letter for the
 * forms of alef and its like, and with digits of ASCII. Equal to `table_control.fold_text` of the database for all
 * characters that its Unicode has.
 */
export const foldText = (text: string): string =>
  Array.from(text.normalize('NFKD').replace(dropped, '').toLowerCase(), (letter) => letters.get(letter) ?? letter)
    .join('')
    .normalize('NFKC')
