import xss from 'xss'

/** The package is CommonJS: at run time everything hangs on its default export, which its types do not say. */
const { FilterXSS, getDefaultWhiteList } = xss as unknown as typeof import('xss')

const filter = new FilterXSS({
  whiteList: getDefaultWhiteList(),
  stripIgnoreTag: true,
  stripIgnoreTagBody: ['script', 'style', 'iframe', 'object', 'embed', 'noscript', 'template'],
  css: false,
  onTag: (_, html) => (isTooBroken(html) ? '' : undefined),
})

const maxSpacesInTag = 40

/** The library's time for a tag grows with its length times its spaces: a tag with unusually many is removed. */
const isTooBroken = (tag: string): boolean => (tag.match(/\s/g)?.length ?? 0) > maxSpacesInTag

/**
 * HTML without scripts, event handlers, styles and foreign frames, for cells that clients write into a page as they
 * are.
 */
export const sanitiseHtml = (html: string): string => filter.process(html)
