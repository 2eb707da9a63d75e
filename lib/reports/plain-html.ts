import { compile, type Formatter } from 'html-to-text'
import { sanitiseHtml } from '../rows/sanitise-html.ts'

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const invisible = ['img', 'iframe', 'object', 'embed', 'noscript', 'template', 'svg', 'head']
const cells = ['td', 'th']

/**
 * Writes a row of a table as a line with its cells two spaces apart. The package's own tables align their columns,
 * which takes quadratic time and as much memory as the cells claim to span.
 */
const tableRow: Formatter = ({ children }, walk, builder) => {
  builder.openTable()
  builder.openTableRow()
  for (const child of children) {
    if (!cells.includes(child.name ?? '')) continue
    builder.openTableCell()
    walk(child.children, builder)
    builder.closeTableCell()
  }
  builder.closeTableRow()
  const tableToString = ([row = []]: readonly (readonly { readonly text: string }[])[]) =>
    row
      .map(({ text }) => text)
      .join('  ')
      .trimEnd()
  builder.closeTable({ tableToString, leadingLineBreaks: 1, trailingLineBreaks: 1 })
}

const convert = compile({
  wordwrap: false,
  // Elements of an author's data may be nested more deeply than a stack can hold.
  limits: { maxDepth: 100 },
  formatters: { tableRow },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'p', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'ul', options: { leadingLineBreaks: 1, trailingLineBreaks: 1, itemPrefix: '• ' } },
    { selector: 'ol', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'tableRow' },
    ...headings.map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    ...invisible.map((selector) => ({ selector, format: 'skip' })),
  ],
})

const markup = /[<&]/
const tag = /<[^<>]*>/g

/** The time and the memory of the package grow faster than the number of tags. */
const maxTags = 10_000

/**
 * Returns what a reader sees of HTML: its text without tags and scripts, blocks and rows of tables on lines of their
 * own. The text of HTML of more than 10,000 tags is one line.
 */
export function plainHtml(html: string): string {
  if (!markup.test(html)) return html.trim()
  return (html.split('<').length > maxTags ? convertText(html) : convertSafely(html)).trim()
}

/** Some attributes make the package throw, such as the start of a list that has no Roman numeral. */
function convertSafely(html: string): string {
  try {
    return convert(html)
  } catch {
    return convertText(html)
  }
}

const convertText = (html: string): string => convert(sanitiseHtml(html).replace(tag, ' '))
