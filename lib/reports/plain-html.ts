import { compile } from 'html-to-text'

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const invisible = ['img', 'iframe', 'object', 'embed', 'noscript', 'template', 'svg', 'head']

const convert = compile({
  wordwrap: false,
  // Elements of an author's data may be nested more deeply than a stack can hold.
  limits: { maxDepth: 100 },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'p', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'ul', options: { leadingLineBreaks: 1, trailingLineBreaks: 1, itemPrefix: '• ' } },
    { selector: 'ol', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false, colSpacing: 2 } },
    ...headings.map((selector) => ({
      selector,
      options: { uppercase: false, leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    ...invisible.map((selector) => ({ selector, format: 'skip' })),
  ],
})

const markup = /[<&]/

/** Returns what a reader sees of HTML: its text without tags and scripts, blocks and rows of tables on lines of their own. */
export const plainHtml = (html: string): string => (markup.test(html) ? convert(html) : html).trim()
