import { offerUndo } from '../editing/undo.ts'
import { urlPath } from '../service/deployment.ts'
import type { Item, Outcome, Rows } from '../service/wire.ts'
import { say, sayNotification } from '../state/messages.ts'
import type { Words } from '../texts/language.tsx'
import { trackJob } from '../tray/known-jobs.ts'
import { changeTray } from '../tray/tray-state.ts'
import { copyText } from '../ui/copy-text.ts'
import type { Details } from './details-dialog.tsx'
import { askEffects, type ChangedPage, showEffects } from './effects.ts'
import { outcomeTexts } from './outcome-texts.ts'
import type { Plan } from './plan.ts'
import { nameChange } from './row-name.ts'

export interface Follower extends ChangedPage {
  readonly reload: () => void
  readonly put: (change: <Page extends Rows>(rows: Page) => Page) => void
  readonly show: (details: Details) => void
  /** A changed row may no longer match: the rows are then asked for again. */
  readonly hasFilters: boolean
  /** Does the same for an undo of it. */
  readonly followUp: (outcome: Outcome, plan: Plan) => void
}

/**
 * Does what the response of an action asks for (`onSuccess`). A form for a second step is the plan that is returned.
 */
export function follow(outcome: Outcome, plan: Plan, follower: Follower): Plan | undefined {
  const { words, reload, put, show, hasFilters } = follower
  const { data, message = '' } = outcome
  tellBeside(outcome, plan, words)
  if (plan.opensForm === true) return secondStep(outcome, plan)
  const isShown = showEffects(outcome, plan, follower)
  switch (outcome.onSuccess) {
    case 'DisplayOnModal':
      show({ title: plan.title, data: Object(data) })
      return undefined
    case 'downloadData':
      download(data, words)
      return undefined
    case 'refetchRow':
      if (isShown) break
      put(withItems([Reflect.get(Object(data), 'row')]))
      if (hasFilters) reload()
      break
    case 'refetchData':
      if (isShown) break
      if (outcome.items === undefined) reload()
      else put(withItems(outcome.items))
      if (outcome.items !== undefined && hasFilters) reload()
      break
    case 'deleteRow':
    case 'reload':
      if (!isShown) reload()
      break
    default:
  }
  if (outcome.copy_value !== undefined) {
    void copyText(outcome.copy_value, words.t)
    return undefined
  }
  offerUndo(outcome, toNoteText(plan, message), plan, words, follower.followUp)
  const isSaid = [outcome.undo, outcome.job, outcome.notification].some((one) => one !== undefined)
  if (!isSaid) say('success', toNoteText(plan, message))
  return undefined
}

const toNoteText = (plan: Plan, message: string): string => (message === '' ? '' : `${nameChange(plan)}: ${message}`)

const withItems =
  (changed: readonly Item[]) =>
  <Page extends Rows>(rows: Page): Page => ({
    ...rows,
    items: rows.items.map((item) => changed.find(({ id }) => id === item.id) ?? item),
  })

const secondStep = ({ payload, url = '', message = '' }: Outcome, { title, row, rowName }: Plan): Plan => ({
  title,
  path: urlPath(url),
  body: {},
  ...(message !== '' && { question: message }),
  form: payload?.schema ?? {},
  page: askEffects(payload?.schema ?? {}),
  values: payload?.values ?? {},
  ...(row && { row }),
  ...(rowName !== undefined && { rowName }),
})

/** Lets the browser fetch a file: the link answers with a redirection to an attachment, so that the page stays. */
function download(data: unknown, { language }: Words): void {
  const url = String(Reflect.get(Object(data), 'url') ?? '')
  if (url === '') return
  const name = String(Reflect.get(Object(data), 'filename') ?? '')
  const link = document.createElement('a')
  link.href = urlPath(url)
  link.click()
  say('success', outcomeTexts[language].downloadStarted(name), urlPath(url))
}

/** Reports the rest of a response: a job that goes on, and rows on which the action failed. */
function tellBeside(
  { job, notification, results = [], message = '' }: Outcome,
  { title }: Plan,
  { language }: Words,
): void {
  const texts = outcomeTexts[language]
  if (job !== undefined) {
    trackJob(job, title)
    say('info', message || texts.started)
    changeTray({ open: 'jobs' })
  } else if (notification !== undefined) {
    sayNotification(notification)
    changeTray({ open: 'notifications' })
  }
  const failed = results.filter(({ success }) => !success)
  // Each text comes in both languages, English first.
  const reason = failed[0]?.errors?.[language === 'ar' ? 1 : 0]
  if (failed.length > 0) say('danger', `${texts.notDone(failed.length)}${reason === undefined ? '' : `: ${reason}`}`)
}
