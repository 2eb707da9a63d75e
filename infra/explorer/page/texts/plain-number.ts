/**
 * Reads a number as people write it, with Arabic digits and thousands separators, into the digits that the service
 * reads.
 */
export const plainNumber = (text: string): string =>
  text
    .trim()
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/٫/g, '.')
    .replace(/[٬،,\s\u00a0\u202f\u200e\u200f]/g, '')
    .replace(/^\u2212/, '-')
