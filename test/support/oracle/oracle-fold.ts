/** Folded texts: each search of hundreds is compared with the same rows. */
const folded = new Map<string, string>()
const maxTexts = 50_000

/** The texts of parcels as a search compares them; their letters need no more than this. */
export function foldWord(text: string): string {
  const known = folded.get(text)
  if (known !== undefined) return known
  if (folded.size >= maxTexts) folded.clear()
  const word = text
    .normalize('NFKD')
    .replace(/[\p{M}ـ]/gu, '')
    .toLowerCase()
    .replaceAll('ة', 'ه')
    .normalize('NFKC')
  folded.set(text, word)
  return word
}
