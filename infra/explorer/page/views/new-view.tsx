import { useId, useRef, useState } from 'react'
import { clientIn, toFailure } from '../service/client.ts'
import type { Structure } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { isOnScreen } from './open-view.ts'
import { writeQuery } from './view-query.ts'
import { viewFault, viewTexts } from './view-texts.ts'

interface NewViewProps {
  readonly view: View
  readonly structure: Structure
  readonly change: Change
  readonly reload: () => void
}

/** Saves what is shown as a new view, which is the open one from then on. */
export const NewView = ({ view, structure, change, reload }: NewViewProps) => {
  const { t, language } = useWords()
  const texts = viewTexts[language]
  const [fault, setFault] = useState<string>()
  const id = useId()
  const isRunning = useRef(false)
  const { table = '' } = view
  const save = async (form: HTMLFormElement) => {
    const name = String(new FormData(form).get('name')).trim()
    // A second Enter while the first is answered must not save it twice.
    if (isRunning.current) return
    isRunning.current = true
    const isSameUser = rememberUser()
    try {
      const query = writeQuery(view, structure)
      const { id, revision } = await clientIn(language).saveView(table, { name, query }, takeParams(view))
      if (!isSameUser()) return
      form.reset()
      setFault(undefined)
      say('success', texts.saved)
      if (isOnScreen(view)) change({ saved: { id, revision } }, 'replace')
      reload()
    } catch (thrown) {
      const text = viewFault(toFailure(thrown), texts, t)
      if (form.isConnected) setFault(text)
      else if (isSameUser()) say('danger', `${name}: ${text}`)
    } finally {
      isRunning.current = false
    }
  }
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void save(event.currentTarget)
      }}
    >
      <input
        className="field wide"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        placeholder={texts.newName}
        aria-label={texts.newName}
        {...(fault !== undefined && { 'aria-describedby': id })}
      />
      {fault !== undefined && (
        <p className="fault" role="alert" id={id}>
          {fault}
        </p>
      )}
      <button type="submit" className="button">
        {texts.saveNew}
      </button>
    </form>
  )
}
