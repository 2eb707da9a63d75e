import { useState } from 'react'
import type { Structure } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { NewView } from './new-view.tsx'
import { openView } from './open-view.ts'
import { type ListedView, useSavedViews } from './use-saved-views.ts'
import { ViewEditor } from './view-editor.tsx'
import { viewTexts } from './view-texts.ts'

interface ViewsListProps {
  readonly view: View
  readonly structure: Structure
  readonly change: Change
}

/**
 * The saved views of the table: each opens, the open one can be changed, and the page as it is can be saved as another.
 */
export const ViewsList = ({ view, structure, change }: ViewsListProps) => {
  const { t, language } = useWords()
  const texts = viewTexts[language]
  const { list, failure, reload } = useSavedViews(view, true)
  const [latest, setLatest] = useState<ListedView>()
  const views = list?.items ?? []
  const open = views.find(({ id }) => id === view.saved?.id)
  const props = { view, structure, change, reload, canShare: list?.can_share === true }
  return (
    <>
      <p className="help">{texts.help}</p>
      {failure !== undefined && (
        <p className="fault" role="alert">
          {failureText(failure, t)}
        </p>
      )}
      {views.length > 0 && (
        <ul className="options">
          <li>
            <button
              type="button"
              className="option"
              {...(view.saved === undefined && { 'aria-current': true })}
              onClick={() => change({ ...openView(plain, structure), saved: undefined })}
            >
              {texts.plain}
            </button>
          </li>
          {views.map((one) => (
            <li key={one.id}>
              <ViewOption
                one={one}
                isOpen={one === open}
                choose={() => {
                  setLatest(one)
                  change(openView(one, structure))
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {list !== undefined && views.length === 0 && <p className="help">{texts.none}</p>}
      {open?.own === true && <ViewEditor key={`${open.id} ${latest?.id}`} {...props} saved={open} />}
      {list !== undefined && <NewView {...props} />}
    </>
  )
}

/** A view of nothing. */
const plain = { id: '', revision: 0, query: {} } as ListedView

interface ViewOptionProps {
  readonly one: ListedView
  readonly isOpen: boolean
  readonly choose: () => void
}

const ViewOption = ({ one, isOpen, choose }: ViewOptionProps) => {
  const texts = viewTexts[useWords().language]
  const isUsable = one.query !== undefined
  const notes = [
    one.is_default && texts.isDefault,
    one.visibility === 'shared' && (one.own ? texts.shared : texts.byOthers),
    !isUsable && texts.unusable,
  ].filter((note) => note !== false)
  return (
    <button type="button" className="option" {...(isOpen && { 'aria-current': true })} onClick={choose}>
      <bdi className="grow">{one.name}</bdi>
      {notes.map((note) => (
        <small key={note} className="muted">
          {note}
        </small>
      ))}
    </button>
  )
}
