import type { ReactNode } from 'react'
import type { Pagination } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import { pageSizes, type View } from '../state/view.ts'
import { useWords, type Words } from '../texts/language.tsx'
import { plainNumber } from '../texts/plain-number.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useFieldValue } from '../ui/use-field-value.ts'

interface PagerProps {
  readonly view: View
  readonly pagination: Pagination | undefined
  readonly change: Change
  /** Whether the rows are live. */
  readonly children: ReactNode
}

/** How many rows there are, in words that promise no more than the service does. */
export function totalText({ total, total_kind: kind }: Pagination, { t, number }: Words): string {
  if (kind === 'estimated') return t.about(number(Number(total.toPrecision(2))))
  if (kind === 'at_least') return t.atLeast(number(total))
  return kind === 'capped' ? t.moreThan(number(total)) : number(total)
}

/**
 * The page and the number of rows for screen readers. An exact number that arrives later is not read out on top of it.
 */
export function resultText(pagination: Pagination, words: Words): string {
  const { total, total_kind: kind, current_page: page } = pagination
  const { t, number } = words
  const rows = kind === 'exact' ? t.result(total) : t.rows(totalText(pagination, words))
  return total === 0 ? rows : `${t.page} ${number(page)}${t.comma}${rows}`
}

/** Shows the current page, the ways to others, and the rows per page. */
export const Pager = ({ view, pagination, change, children }: PagerProps) => {
  const words = useWords()
  const { t, number } = words
  const { page, perPage } = view
  const isExact = (pagination?.total_kind ?? 'exact') === 'exact'
  const last = pagination?.last_page ?? 1
  const hasNext = pagination !== undefined && (isExact ? page < last : pagination.next_cursor !== null)
  const goTo = (to: number) => change({ page: to })
  return (
    <nav className="pager" aria-label={t.page}>
      <p className="grow muted count">
        {pagination?.from != null && pagination.to !== null && (
          <bdi>{t.ofRows(number(pagination.from), number(pagination.to), totalText(pagination, words))}</bdi>
        )}
      </p>
      {children}
      <label className="per-page">
        <span className="muted">{t.rowsPerPage}</span>
        <select
          className="field"
          aria-label={t.rowsPerPage}
          value={perPage}
          onChange={({ target }) => change({ perPage: Number(target.value), page: 1 })}
        >
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      <div className="group">
        <Step icon="last" back label={t.first} go={page > 1 && (() => goTo(1))} />
        <Step back label={t.previous} go={page > 1 && (() => goTo(page - 1))} />
        <PageNumber page={page} last={isExact ? last : undefined} goTo={goTo} />
        <Step label={t.next} go={hasNext && (() => goTo(page + 1))} />
        {isExact && <Step icon="last" label={t.last} go={page < last && (() => goTo(last))} />}
      </div>
    </nav>
  )
}

interface StepProps {
  readonly icon?: IconName
  readonly back?: boolean
  readonly label: string
  /** `false` where there is no such page. */
  readonly go: (() => void) | false
}

/** A button that leads to another page. */
export const Step = ({ icon = 'next', back = false, label, go }: StepProps) => (
  <button
    type="button"
    className={`button quiet square${back ? ' back' : ''}`}
    aria-label={label}
    title={label}
    aria-disabled={go === false}
    onClick={go || undefined}
  >
    <Icon name={icon} turns />
  </button>
)

interface PageNumberProps {
  readonly page: number
  readonly last: number | undefined
  readonly goTo: (page: number) => void
}

const PageNumber = ({ page, last, goTo }: PageNumberProps) => {
  const { t, number } = useWords()
  const field = useFieldValue(String(page))
  const enter = (text: string) => {
    const asked = Number(plainNumber(text))
    const next = Number.isInteger(asked) && asked > 0 ? Math.min(asked, last ?? asked) : page
    if (field.current !== null) field.current.value = String(next)
    if (next !== page) goTo(next)
  }
  return (
    <form
      className="page-number"
      onSubmit={(event) => {
        event.preventDefault()
        enter(String(new FormData(event.currentTarget).get('page')))
      }}
    >
      <input
        className="field"
        ref={field}
        name="page"
        inputMode="numeric"
        autoComplete="off"
        aria-label={t.page}
        defaultValue={page}
        style={{ inlineSize: `${String(last ?? page).length + 5}ch` }}
        onBlur={({ target }) => enter(target.value)}
      />
      {last !== undefined && (
        <span className="muted">
          / <bdi>{number(last)}</bdi>
        </span>
      )}
    </form>
  )
}
