import { useEffect, useLayoutEffect, useState } from 'react'
import { AppHeader } from './app-header.tsx'
import { parts } from './parts.ts'
import { createEntry } from './service/deployment.ts'
import { usePart } from './state/part.ts'
import { session, tokenSubject } from './state/session.ts'
import { useStore } from './state/store.ts'
import { useReturn } from './state/use-return.ts'
import { useTables } from './state/use-table.ts'
import { useView } from './state/use-view.ts'
import { readView } from './state/view.ts'
import { TablePage } from './table-page.tsx'
import { TablesState } from './tables-state.tsx'
import { WordsContext, wordsByLanguage } from './texts/language.tsx'
import { Messages } from './ui/messages.tsx'
import { useFieldFaults } from './ui/use-field-faults.ts'

/** A dialog of the page: another object each time that it is asked for. */
interface OpenDialog {
  readonly name: 'requests' | 'sign-in'
}

/** Comes with its part. It is a component of its own, so that the page is not drawn again then. */
const Watch = () => {
  const { module: menus } = useStore(parts.menus.state)
  return menus ? <menus.PageWatch /> : null
}

/** The explorer: a table of the service, drawn from what its structure tells and nothing else. */
export const App = () => {
  const [view, change] = useView()
  const { language, table } = view
  const { token, asked } = useStore(session)
  const [dialog, setDialog] = useState<OpenDialog>()
  const dialogs = usePart(parts.dialogs, asked || dialog)
  const tables = useTables(view)
  const entry = tables.response?.find(({ tableName }) => tableName === table)
  // The rows need not wait for the list of tables: an address names its table.
  const isUnlisted = tables.response === undefined && tables.failure === undefined
  const shown = entry ?? (isUnlisted && table !== undefined ? createEntry(table) : undefined)
  const first = tables.response?.[0]?.tableName
  // Before anything is painted: else an Arabic page is drawn on one side and moves to the other.
  useLayoutEffect(() => {
    Object.assign(document.documentElement, { lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' })
    document.title = [entry?.label, wordsByLanguage[language].t.title].filter(Boolean).join(' · ')
  }, [language, entry])
  useEffect(() => {
    // An address that the user has opened meanwhile is followed in a moment, and may name a table.
    const isOpen = readView(location.hash).table !== undefined
    if (table === undefined && first !== undefined && !isOpen) change({ table: first }, 'replace')
  }, [table, first, change])
  useReturn(tables)
  useFieldFaults(wordsByLanguage[language].t)
  return (
    <WordsContext value={wordsByLanguage[language]}>
      <AppHeader change={change} entry={entry} tables={tables.response ?? []} open={(name) => setDialog({ name })} />
      {shown !== undefined && token !== undefined ? (
        <TablePage key={`${shown.tableName} ${tokenSubject(token)}`} view={view} change={change} entry={shown} />
      ) : (
        <TablesState tables={tables} view={view} />
      )}
      <Messages />
      <Watch />
      {dialogs && (
        <>
          <dialogs.RequestDialog open={dialog?.name === 'requests'} close={() => setDialog(undefined)} />
          <dialogs.SignInDialog
            open={asked || dialog?.name === 'sign-in'}
            close={asked ? undefined : () => setDialog(undefined)}
            onSignedIn={() => setDialog(undefined)}
            change={change}
          />
        </>
      )}
    </WordsContext>
  )
}
