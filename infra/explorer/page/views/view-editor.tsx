import { useId, useRef, useState } from 'react'
import { clientIn, toFailure } from '../service/client.ts'
import type { Structure } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { isOnScreen, openView } from './open-view.ts'
import type { ListedView } from './use-saved-views.ts'
import { pickSaved, readQuery, writeQuery } from './view-query.ts'
import { viewFault, viewTexts } from './view-texts.ts'

interface ViewEditorProps {
  /** The open view, which is the user's own. */
  readonly saved: ListedView
  readonly view: View
  readonly structure: Structure
  readonly canShare: boolean
  readonly change: Change
  readonly reload: () => void
}

/** Renames, shares, updates and deletes the open view. */
export const ViewEditor = (props: ViewEditorProps) => {
  const { saved, view, structure, canShare, change } = props
  const { language } = useWords()
  const texts = viewTexts[language]
  const { form, fault, hasConflict, run } = useChanges(props)
  const [isRemoving, setIsRemoving] = useState(false)
  const faultId = useId()
  const { table = '' } = view
  const { id } = saved
  const hasShareBox = canShare || saved.visibility === 'shared'
  const client = clientIn(language)
  const isChanged =
    saved.query === undefined ||
    JSON.stringify(pickSaved(view)) !== JSON.stringify(pickSaved({ ...view, ...readQuery(saved.query, structure) }))
  const update = (revision: number) =>
    run(texts.saved, async () => {
      const body = { query: writeQuery(view, structure), revision }
      const next = await client.changeView(table, id, body, takeParams(view))
      if (isOnScreen(view)) change({ saved: { id, revision: next.revision } }, 'replace')
    })
  const rename = (filled: FormData) =>
    run(texts.saved, async () => {
      const visibility = filled.has('shared') ? 'shared' : 'private'
      const body = { name: String(filled.get('name')).trim(), is_default: filled.has('default') }
      // The service moves a view to the tenant of a request that names its visibility.
      const isMoved = hasShareBox && visibility !== saved.visibility
      await client.changeView(table, id, { ...body, ...(isMoved && { visibility }) }, takeParams(view))
    })
  const remove = () =>
    run(texts.removed, async () => {
      await client.removeView(table, id, takeParams(view))
      if (isOnScreen(view)) change({ saved: undefined }, 'replace')
    })
  return (
    <form
      className="editor view-editor"
      ref={form}
      aria-label={texts.edit(saved.name)}
      onSubmit={(event) => {
        event.preventDefault()
        void rename(new FormData(event.currentTarget))
      }}
    >
      <input
        className="field wide"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        dir="auto"
        aria-label={texts.name}
        defaultValue={saved.name}
        {...(fault !== undefined && { 'aria-describedby': faultId })}
      />
      <label className="option">
        <input type="checkbox" name="default" defaultChecked={saved.is_default} />
        {texts.makeDefault}
      </label>
      {hasShareBox && (
        <label className="option">
          <input type="checkbox" name="shared" defaultChecked={saved.visibility === 'shared'} />
          {texts.share}
        </label>
      )}
      {fault !== undefined && (
        <p className="fault" role="alert" id={faultId}>
          {fault}
        </p>
      )}
      {hasConflict && (
        <div role="alert" className="editor">
          <p className="fault">{texts.conflict}</p>
          <button type="button" className="button" onClick={() => change(openView(saved, structure))}>
            {texts.reopen}
          </button>
          <button type="button" className="button" onClick={() => void update(saved.revision)}>
            {texts.replace}
          </button>
        </div>
      )}
      <p className={isRemoving ? 'help' : 'unseen'} role="status">
        {isRemoving && texts.pressAgain}
      </p>
      <div className="buttons">
        <button type="button" className="button" onClick={() => (isRemoving ? void remove() : setIsRemoving(true))}>
          {isRemoving ? texts.removeSurely : texts.remove}
        </button>
        <button type="submit" className="button">
          {texts.save}
        </button>
      </div>
      {isChanged && !hasConflict && (
        <button type="button" className="button primary" onClick={() => void update(view.saved?.revision ?? 0)}>
          {texts.update}
        </button>
      )}
    </form>
  )
}

/** Runs one change of the view at a time, and keeps the objection of the service to the last of them. */
function useChanges({ saved: { name, revision }, view, change, reload }: ViewEditorProps) {
  const { t, language } = useWords()
  const isRunning = useRef(false)
  const form = useRef<HTMLFormElement>(null)
  const [failure, setFailure] = useState<ReturnType<typeof toFailure>>()
  const isConflict = failure?.code === 'view_changed'
  const run = async (success: string, apply: () => Promise<void>) => {
    // A second click while the first is answered must not do it twice.
    if (isRunning.current) return
    isRunning.current = true
    const isSameUser = rememberUser()
    try {
      await apply()
      setFailure(undefined)
      say('success', success)
    } catch (thrown) {
      const newFailure = toFailure(thrown)
      // The list as it is now has no editor for a view that is gone.
      const isGone = newFailure.code === 'view_not_found'
      if (isGone && isOnScreen(view)) change({ saved: undefined }, 'replace')
      if (form.current && !isGone) setFailure(newFailure)
      else if (isSameUser()) say('danger', `${name}: ${viewFault(newFailure, viewTexts[language], t)}`)
    } finally {
      isRunning.current = false
    }
    // The list has the view as it is now, also after a conflict.
    reload()
  }
  return {
    form,
    run,
    hasConflict: isConflict && view.saved?.revision !== revision,
    fault: failure === undefined || isConflict ? undefined : viewFault(failure, viewTexts[language], t),
  }
}
