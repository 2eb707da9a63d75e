import xss from 'xss'

/** The package is CommonJS: at run time everything hangs on its default export, which its types do not say. */
const { FilterXSS } = xss as unknown as typeof import('xss')

const filter = new FilterXSS({
  whiteList: {},
  stripIgnoreTag: true,
  stripIgnoreTagBody: ['script', 'style', 'iframe', 'object', 'embed', 'noscript', 'template'],
})

const lineEnds = /<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6])\s*>/gi
const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const lastCodePoint = 0x10ffff

/** What a reader sees of HTML: the text without tags and scripts, its entities resolved, blocks on lines of their own. */
export function plainHtml(html: string): string {
  const text = filter.process(html.replace(lineEnds, '$&\n'))
  return text
    .replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name.toLowerCase()] ?? whole
      const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return point > 0 && point <= lastCodePoint ? String.fromCodePoint(point) : whole
    })
    .trim()
}
