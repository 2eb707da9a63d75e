/** The texts of parcels as a search compares them; their letters need no more than this. */
export const foldWord = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}ـ]/gu, '')
    .toLowerCase()
    .replaceAll('ة', 'ه')
    .normalize('NFKC')
