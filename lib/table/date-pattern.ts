const tokens: Readonly<Record<string, string>> = { yyyy: 'YYYY', MM: 'MM', dd: 'DD', HH: 'HH24', mm: 'MI', ss: 'SS' }

const pattern = /^(yyyy|MM|dd|HH|mm|ss|[ ./:,-])+$/

/** The `to_char` template of a date pattern, or `undefined` for a pattern with anything but yyyy MM dd HH mm ss and separators. */
export const toCharPattern = (text: string): string | undefined =>
  pattern.test(text) ? text.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => tokens[token] ?? token) : undefined
