import { type ReactNode, useState } from 'react'
import { LanguageSwitch } from './language-switch.tsx'
import type { ListedTable } from './service/wire.ts'
import { session, tokenSubject } from './state/session.ts'
import { useStore } from './state/store.ts'
import { toggleTheme } from './state/theme.ts'
import type { Change } from './state/use-view.ts'
import { TablePicker } from './table-picker.tsx'
import { useWords } from './texts/language.tsx'
import { Tray } from './tray/tray.tsx'
import { Icon, type IconName } from './ui/icon.tsx'
import { Popup } from './ui/popup.tsx'

interface AppHeaderProps {
  readonly change: Change
  readonly tables: readonly ListedTable[]
  readonly entry: ListedTable | undefined
  readonly open: (dialog: 'requests' | 'sign-in') => void
}

/** The choice of the table, the language, the colours and the user. */
export const AppHeader = ({ change, tables, entry, open }: AppHeaderProps) => {
  const { t } = useWords()
  return (
    <header className="app-header">
      <button type="button" className="button skip" onClick={() => document.getElementById('rows')?.focus()}>
        {t.skip}
      </button>
      <span className="brand" aria-hidden="true">
        <Icon name="table" />
      </span>
      <h1 className="app-title">
        <TablePicker tables={tables} entry={entry} change={change} />
      </h1>
      <span className="grow" />
      <Tool icon="log" label={t.requests} use={() => open('requests')} />
      <Tray />
      <Tool icon="theme" label={t.theme} use={toggleTheme} />
      <LanguageSwitch change={change} />
      <Account signIn={() => open('sign-in')} />
    </header>
  )
}

interface ToolProps {
  readonly icon: IconName
  readonly label: string
  readonly use: () => void
}

const Tool = ({ icon, label, use }: ToolProps): ReactNode => (
  <button type="button" className="button quiet square" aria-label={label} title={label} onClick={use}>
    <Icon name={icon} />
  </button>
)

const Account = ({ signIn }: { readonly signIn: () => void }) => {
  const { t } = useWords()
  const { token } = useStore(session)
  const subject = tokenSubject(token)
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popup
      className="button quiet account"
      title={t.account}
      label={`${t.account} ${subject}`}
      align="end"
      open={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <>
          <Icon name="person" />
          <bdi className="roomy">{subject}</bdi>
        </>
      }
    >
      {(menus) => <menus.AccountList close={() => setIsOpen(false)} signIn={signIn} />}
    </Popup>
  )
}
