import { useEffect } from 'react'
import type * as Chart from '../chart.ts'
import type { Structure } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { Step } from '../table/pager.tsx'
import { Skeleton } from '../table/skeleton.tsx'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { GroupFigure } from './group-figure.tsx'
import { GroupTable } from './group-table.tsx'
import { groupingTexts } from './grouping-texts.ts'
import { createMeasures } from './measure.ts'
import { groupKey, groupName, type ShownGroup, useGroups } from './use-groups.ts'

interface GroupsViewProps {
  readonly view: View
  readonly structure: Structure
  readonly change: Change
  /** Grows when an action has changed rows. */
  readonly round: number
  /** Asks for the groups again. */
  readonly refresh: () => void
  /** The part that draws bars, as soon as it is there. */
  readonly chart: typeof Chart | undefined
  /** Loads it before it is needed. */
  readonly prepareChart: () => void
}

/** The groups in place of rows, as a table or a chart, page after page. */
export const GroupsView = ({ view, structure, change, round, refresh, chart, prepareChart }: GroupsViewProps) => {
  const { t, language } = useWords()
  const texts = groupingTexts[language]
  const loaded = useGroups(view, structure, round)
  const { groups, shown, isOfView, failure, isLoading, isSlow, isPaged, next, previous, pageNumber } = loaded
  const measures = createMeasures(shown, structure, language)
  const open = (group: ShownGroup) => {
    const { token } = group
    if (!isOfView || token === null) return
    latest = groupKey(group)
    change({ group: { token, name: groupName(group, texts.missing) }, page: 1 })
  }
  useWayBack(groups.length > 0 && (!view.isChart || chart !== undefined))
  const fault = failure ? failureText(failure, t) : isSlow ? texts.slow : undefined
  const isEmpty = fault === undefined && loaded.response !== undefined && groups.length === 0
  const props = { groups, measures, structure, open, view: shown }
  return (
    <>
      <section
        id="rows"
        className="table-frame"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
        tabIndex={0}
        aria-label={`${structure.label}: ${texts.groups}`}
        aria-busy={isLoading}
      >
        {fault !== undefined && (
          <p className="fault padded" role="alert">
            {fault}
          </p>
        )}
        {fault === undefined && loaded.response === undefined && <Skeleton rows={view.perPage} />}
        {isEmpty && <p className="nothing">{texts.none}</p>}
        {groups.length > 0 &&
          fault === undefined &&
          (view.isChart ? (
            chart && <GroupFigure {...props} chart={chart} />
          ) : (
            <GroupTable {...props} isLoading={isLoading} />
          ))}
      </section>
      <nav className="pager" aria-label={texts.groups}>
        <p className="grow muted count" role="status">
          {loaded.response && fault === undefined && texts.count(groups.length, isPaged)}
        </p>
        <small className="muted">{texts.notLive}</small>
        <div className="buttons">
          <button type="button" className="button" title={texts.refreshHelp} onClick={refresh}>
            {texts.refresh}
          </button>
          <button
            type="button"
            className="button"
            onClick={() => change({ isChart: !view.isChart }, 'replace')}
            onPointerEnter={prepareChart}
            onFocus={prepareChart}
          >
            <Icon name={view.isChart ? 'table' : 'chart'} /> {view.isChart ? texts.table : texts.chart}
          </button>
          <button type="button" className="button" onClick={() => change({ groupBy: [], page: 1 })}>
            {texts.ungroup}
          </button>
        </div>
        {isPaged && (
          <div className="group">
            <Step label={t.previous} go={previous} back />
            <bdi>{pageNumber}</bdi>
            <Step label={t.next} go={next} />
          </div>
        )}
      </nav>
    </>
  )
}

/** The group that was opened last. */
let latest: string | undefined

/** Gives the focus back to the group whose rows were shown before, unless the user has put it elsewhere. */
function useWayBack(isDrawn: boolean): void {
  useEffect(() => {
    if (!isDrawn || latest === undefined) return
    const openers = [...document.querySelectorAll<HTMLElement>('#rows [data-group]')]
    if (document.activeElement?.matches('body, #rows'))
      openers.find(({ dataset }) => dataset['group'] === latest)?.focus()
    latest = undefined
  }, [isDrawn])
}
