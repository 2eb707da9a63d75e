import { type ReactNode, useMemo } from 'react'
import type { Column, ShownValue } from '../service/wire.ts'
import { useWords, type Words } from '../texts/language.tsx'
import { formatNumber } from '../texts/number-format.ts'
import { copyText } from '../ui/copy-text.ts'
import { Icon } from '../ui/icon.tsx'
import { plainMarkup } from '../ui/plain-markup.tsx'
import { safeHref } from '../ui/safe-href.ts'

interface CellProps {
  readonly column: Column
  readonly value: unknown
}

/** Draws a text in which the words of a search stand out. */
export type Mark = (text: string) => ReactNode

interface Look {
  readonly mark?: Mark | undefined
  /** With every value of a list, where there is room for it. */
  readonly isWhole?: boolean
}

/**
 * Draws a value as its column's type wants it, always as text and never as markup. It is no component, because a page
 * has hundreds of cells, and components would take most of its time.
 */
export function drawCell(column: Column, value: unknown, words: Words, look: Look = {}): ReactNode {
  if (value === null || value === undefined || value === '') return <span className="missing">{'–'}</span>
  switch (column.value_type) {
    case 'number':
      return <bdi className="number">{numberText(value, column, words)}</bdi>
    case 'date':
    case 'datetime':
      return <bdi className="date">{String(value)}</bdi>
    case 'image':
      return <ImageValue source={safeHref(String(value))} label={column.label} />
    default:
      return drawByType(column, value, look)
  }
}

function drawByType(column: Column, value: unknown, { mark, isWhole = false }: Look): ReactNode {
  switch (column.type) {
    case 'boolean':
      return drawBoolean(column, value === true)
    case 'link':
      return <LinkValue column={column} value={value} />
    case 'barcode':
      return <ImageValue source={`data:image/png;base64,${String(value)}`} label={column.label} />
    case 'datalist':
      return <ListValue value={value} isWhole={isWhole} />
    case 'html':
      return <MarkupValue html={String(value)} />
    default:
      return drawText(column, value, mark)
  }
}

const MarkupValue = ({ html }: { readonly html: string }) => (
  <span dir="auto">{useMemo(() => plainMarkup(html), [html])}</span>
)

function drawText(column: Column, value: unknown, mark: Mark = String): ReactNode {
  const shown = column.values_formating?.[String(value)]
  if (typeof shown !== 'object')
    return <bdi>{typeof value === 'object' ? JSON.stringify(value) : mark(String(value))}</bdi>
  const { showValue, style }: ShownValue = shown
  return style === undefined ? <bdi>{showValue}</bdi> : <bdi className={`badge ${style}`}>{showValue}</bdi>
}

function drawBoolean(column: Column, value: boolean): ReactNode {
  const label = column.values_formating?.[value ? 'trueLabel' : 'falseLabel']
  return (
    <span className={value ? 'boolean on' : 'boolean'}>
      {value && <Icon name="check" />}
      {String(label ?? value)}
    </span>
  )
}

const LinkValue = ({ column, value }: CellProps) => {
  const { t } = useWords()
  const linked = typeof value === 'object' && value !== null ? value : { value }
  const address = String(Reflect.get(linked, 'value') ?? '')
  const label = String(Reflect.get(linked, 'label') ?? '') || String(column['linkText'] ?? '') || address
  const href = safeHref(address)
  if (href === undefined) return <bdi>{label}</bdi>
  return (
    <span className="linked">
      <a className="link" href={href} target="_blank" rel="noopener noreferrer">
        <bdi>{label}</bdi>
      </a>
      {column['showCopyBtn'] === true && (
        <button
          type="button"
          className="button quiet square"
          aria-label={`${t.copy}: ${label}`}
          onClick={() => void copyText(address, t)}
        >
          <Icon name="copy" />
        </button>
      )}
    </span>
  )
}

interface ImageValueProps {
  readonly source: string | undefined
  readonly label: string
}

const ImageValue = ({ source, label }: ImageValueProps) =>
  source === undefined ? null : (
    <img className="picture" src={source} alt={label} loading="lazy" referrerPolicy="no-referrer" />
  )

const shownOfList = 3

const ListValue = ({ value, isWhole }: { readonly value: unknown; readonly isWhole: boolean }) => {
  const { t } = useWords()
  const list = [...new Set(Array.isArray(value) ? value.map(String) : [String(value)])]
  const rest = list.length - shownOfList
  const draw = (one: string) => (
    <bdi key={one} className="badge">
      {one}
    </bdi>
  )
  if (isWhole)
    return (
      <ul className="list">
        {list.map((one) => (
          <li key={one}>{draw(one)}</li>
        ))}
      </ul>
    )
  return (
    <span className="list" title={list.join('\n')}>
      {list.slice(0, shownOfList).map(draw)}
      {rest > 0 && <span className="muted">{t.more(rest)}</span>}
    </span>
  )
}

/** Columns of ids, of the row itself or of another one: people copy and search them as they are. */
const isId = /(^|_)id$/

const exactDigits = /^-?\d+(\.\d+)?$/

/** Numbers that a double would not hold come as text and keep every digit. */
function numberText(value: unknown, { data_src: name, decimals }: Column, words: Words): string {
  const exact = typeof value === 'string' && exactDigits.test(value)
  if (typeof value !== 'number' && !exact) return String(value)
  return formatNumber(words, value, { decimals, useGrouping: !isId.test(name) })
}
