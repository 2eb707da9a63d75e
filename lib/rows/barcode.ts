import { code128 } from 'bwip-js/node'

const maxTextLength = 80

/**
 * The Code 128 barcode of a text as a base64 PNG. A text that has no barcode (empty, longer than 80 characters, or beyond
 * Latin-1) gives an empty picture's place: the empty text.
 */
export async function barcodePng(text: string): Promise<string> {
  const encodable = text !== '' && text.length <= maxTextLength && /^[\u0020-\u00ff]+$/.test(text)
  if (!encodable) return ''
  const png = await code128({ bcid: 'code128', text, scale: 2, height: 10, includetext: false })
  return png.toString('base64')
}
