import { code128 } from 'bwip-js/node'

const maxTextLength = 80

/**
 * Returns the Code 128 barcode of a text as a base64 PNG, or an empty text if it has none: it is empty, longer than 80
 * characters, or beyond Latin-1.
 */
export async function barcodePng(text: string): Promise<string> {
  const encodable = text !== '' && text.length <= maxTextLength && /^[\u0020-\u00ff]+$/.test(text)
  if (!encodable) return ''
  const png = await code128({ bcid: 'code128', text, scale: 2, height: 10, includetext: false })
  return png.toString('base64')
}
