import { describe, expect, it } from 'vitest'
import { plainHtml } from '../../../lib/reports/plain-html.ts'

describe('HTML in a file', () => {
  it.each([
    ['no markup at all', ' a  b ', 'a  b'],
    ['named entities', 'caf&eacute; &mdash; &copy; 2026 &hellip; &euro;5 &rlm;', 'café — © 2026 … €5 \u200f'],
    ['numeric entities', '&#1583; &#x41; &amp;lt;', 'د A &lt;'],
    ['blocks', '<p>one</p><p>two<br>three</p><div>four</div>', 'one\ntwo\nthree\nfour'],
    ['headings as they are written', '<h1>Title</h1><p>text</p>', 'Title\ntext'],
    ['lists', '<ul><li>a</li><li>b</li></ul>', '• a\n• b'],
    ['links by their words', '<a href="https://example.test">Go</a>', 'Go'],
    ['scripts, styles and frames', 'a<script>x()</script><style>b{}</style><iframe>c</iframe>d', 'ad'],
  ])('is read as a person reads it: %s', (_what, html, text) => {
    expect(plainHtml(html)).toBe(text)
  })

  it('keeps the cells of a table apart and its rows on lines', () => {
    const table = '<table><tr><th>Leg</th><th>Delay</th></tr><tr><td>CAI</td><td>12</td></tr></table>'
    expect(
      plainHtml(table)
        .split('\n')
        .map((row) => row.split(/ {2,}/)),
    ).toEqual([
      ['Leg', 'Delay'],
      ['CAI', '12'],
    ])
  })

  it('is read with elements that are nested very deeply', () => {
    expect(() => plainHtml(`${'<div>'.repeat(20_000)}x`)).not.toThrow()
  })

  it('writes a cell once, however many columns and rows it claims to span', () => {
    const table = '<table><tr><td colspan=100000 rowspan=100000><p>CAI</p></td><td>12</td></tr><tr><td>JED</table>'
    expect(plainHtml(table)).toBe('CAI  12\nJED')
  })

  it('is read in linear time, and in one line from 10,000 tags on', () => {
    const row = '<tr><td>x</td><td>y</td></tr>'
    expect(plainHtml(`<table>${row.repeat(1_000)}</table>`)).toBe('x  y\n'.repeat(1_000).trim())
    const words = plainHtml(`<style>b</style><table>${row.repeat(20_000)}</table>&amp;&lt;`).split(/ +/)
    expect(words.splice(-1)).toEqual(['&<'])
    expect(new Set(words)).toEqual(new Set(['x', 'y']))
    expect(words).toHaveLength(40_000)
  })

  it('has its text where a list counts beyond its numerals', () => {
    expect(plainHtml('<ol type=i start=1111111><li>one &amp;</li><li>two</li></ol>')).toMatch(/^one & +two$/)
  })
})
