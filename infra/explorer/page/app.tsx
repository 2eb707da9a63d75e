import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import { useEffect, useLayoutEffect, useState } from 'react'
import { AppHeader } from './app-header.tsx'
import { RequestDialog } from './requests/request-dialog.tsx'
import { createEntry } from './service/deployment.ts'
import { SignInDialog } from './session/sign-in-dialog.tsx'
import { session, tokenSubject } from './state/session.ts'
import { useStore } from './state/store.ts'
import { useReturn } from './state/use-return.ts'
import { useTables } from './state/use-table.ts'
import { useView } from './state/use-view.ts'
import { TablePage } from './table-page.tsx'
import { TablesState } from './tables-state.tsx'
import { WordsContext, wordsOf } from './texts/language.tsx'
import { useLive } from './tray/use-live.ts'
import { Messages } from './ui/messages.tsx'

/** The explorer: a table of the service, drawn from what its structure tells and nothing else. */
export const App = () => {
  const [view, change] = useView()
  const { language, table } = view
  const { token, asked } = useStore(session)
  const [dialog, setDialog] = useState<'requests' | 'sign-in'>()
  const tables = useTables(view)
  const entry = tables.answer?.find(({ tableName }) => tableName === table)
  // The rows need not wait for the list of tables: an address names its table.
  const isUnlisted = tables.answer === undefined && tables.failure === undefined
  const shown = entry ?? (isUnlisted && table !== undefined ? createEntry(table) : undefined)
  const direction = language === 'ar' ? 'rtl' : 'ltr'
  const first = tables.answer?.[0]?.tableName
  // Before anything is painted: else an Arabic page is drawn on one side and moves to the other.
  useLayoutEffect(() => {
    Object.assign(document.documentElement, { lang: language, dir: direction })
    document.title = [entry?.label, wordsOf[language].t.title].filter(Boolean).join(' · ')
  }, [language, direction, entry])
  useEffect(() => {
    if (table === undefined && first !== undefined) change({ table: first }, 'replace')
  }, [table, first, change])
  useLive(language)
  useReturn(tables)
  return (
    <WordsContext value={wordsOf[language]}>
      <DirectionProvider direction={direction}>
        <CSPProvider disableStyleElements>
          <AppHeader {...{ change, entry }} tables={tables.answer ?? []} open={setDialog} />
          {shown !== undefined && token !== undefined ? (
            <TablePage key={`${shown.tableName} ${tokenSubject(token)}`} {...{ view, change }} entry={shown} />
          ) : (
            <TablesState tables={tables} view={view} />
          )}
          <Messages />
          <RequestDialog open={dialog === 'requests'} close={() => setDialog(undefined)} />
          <SignInDialog
            open={asked || dialog === 'sign-in'}
            close={asked ? undefined : () => setDialog(undefined)}
            onSignedIn={() => setDialog(undefined)}
            change={change}
          />
        </CSPProvider>
      </DirectionProvider>
    </WordsContext>
  )
}
