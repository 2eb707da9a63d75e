import xss from 'xss'

/** The package is CommonJS: at run time everything hangs on its default export, which its types do not say. */
const { FilterXSS, getDefaultWhiteList } = xss as unknown as typeof import('xss')

const filter = new FilterXSS({
  whiteList: getDefaultWhiteList(),
  stripIgnoreTag: true,
  stripIgnoreTagBody: ['script', 'style', 'iframe', 'object', 'embed', 'noscript', 'template'],
  css: false,
})

/** HTML without scripts, event handlers, styles and foreign frames, for cells that clients write into a page as they are. */
export const sanitisedHtml = (html: string): string => filter.process(html)
