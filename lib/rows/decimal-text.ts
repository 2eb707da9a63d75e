/** Removes the zeros at the end of a text, in linear time. */
export function trimEndZeros(text: string): string {
  let end = text.length
  while (text[end - 1] === '0') end -= 1
  return text.slice(0, end)
}

/** Counts the digits of a decimal without the zeros in front of it and at the end of its fraction. */
export function countDigits(decimal: string): number {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return (whole + trimEndZeros(fraction)).replace(/^0+/, '').length
}

/** Returns the one spelling of a decimal's value, such as `-1.5` for `-01.50`. */
export function plainDecimal(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = `${whole.replace(/^0+/, '') || '0'}.${trimEndZeros(fraction)}`
  return digits !== '0.' && decimal.startsWith('-') ? `-${digits}` : digits
}

/** Writes the thousands separators of a decimal. */
export function groupThousands(decimal: string): string {
  const [sign = '', whole = '', rest = ''] = /^(-?)(\d*)(.*)$/s.exec(decimal)?.slice(1) ?? []
  const first = whole.length % 3
  const groups = whole.slice(first).match(/\d{3}/g) ?? []
  return sign + [...(first > 0 ? [whole.slice(0, first)] : []), ...groups].join(',') + rest
}
