/**
 * Keeps dates and negative numbers, such as 2026-01-31 and -5, in their order: behind an Arabic letter they are shown
 * backwards.
 */
export const keepNumbers = (text: string): string =>
  text.replace(/(?<=(?:^|[^\p{L}\d\u200e-])و?)(?=-\d|\d+-\d)/gu, '\u200e')
