import { useEffect, useState } from 'react'
import { LanguageSwitch } from '../language-switch.tsx'
import { deployment } from '../service/deployment.ts'
import { say } from '../state/messages.ts'
import { session, signIn } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import type { Change } from '../state/use-view.ts'
import { useWords } from '../texts/language.tsx'
import { Modal } from '../ui/modal.tsx'
import { signInTexts } from './sign-in-texts.ts'

interface SignInDialogProps {
  readonly open: boolean
  /** Absent if no user was signed in before. */
  readonly close: (() => void) | undefined
  readonly onSignedIn: () => void
  readonly change: Change
}

/** Asks for a token. Everything that was on the screen is still there behind it. */
export const SignInDialog = ({ open, close, onSignedIn, change }: SignInDialogProps) => {
  const { t, language } = useWords()
  const texts = signInTexts[language]
  const { expired } = useStore(session)
  const enter = (token: string) => {
    if (token === '') return
    signIn(token)
    onSignedIn()
  }
  return (
    <Modal
      title={t.signIn}
      help={expired ? t.expired : texts.signInHelp}
      // This dialog covers the page's own language switch.
      tool={<LanguageSwitch change={change} />}
      open={open}
      {...(close && { onClose: close })}
    >
      <form
        className="editor"
        onSubmit={(event) => {
          event.preventDefault()
          const given = String(new FormData(event.currentTarget).get('token'))
          enter(given.trim().replace(/^bearer\s+/i, ''))
        }}
      >
        <label className="labelled">
          {texts.token}
          <textarea
            className="field wide token"
            name="token"
            rows={3}
            required
            dir="ltr"
            spellCheck={false}
            autoComplete="off"
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
          />
        </label>
        <div className="buttons">
          <button type="submit" className="button primary">
            {t.signIn}
          </button>
        </div>
      </form>
      {open && deployment.demoUsersUrl !== '' && <DemoUsers enter={enter} />}
    </Modal>
  )
}

interface DemoUser {
  readonly name: string
  readonly label: Readonly<Record<'en' | 'ar', string>>
}

async function fetchDemoUsers<Value>(path: string): Promise<Value> {
  const response = await fetch(deployment.demoUsersUrl + path, { credentials: 'omit' })
  return response.json()
}

/** The demo users of the local stack, which issues their tokens. */
const DemoUsers = ({ enter }: { readonly enter: (token: string) => void }) => {
  const { language } = useWords()
  const texts = signInTexts[language]
  const [users, setUsers] = useState<readonly DemoUser[]>([])
  useEffect(() => {
    fetchDemoUsers<readonly DemoUser[]>('').then(setUsers, () => say('danger', texts.demoMissing))
  }, [texts])
  const be = async (name: string) => {
    const { token } = await fetchDemoUsers<{ token: string }>(`/${name}`)
    enter(token)
  }
  return (
    <section>
      <h3 className="help">{texts.demoUsers}</h3>
      <ul className="options">
        {users.map(({ name, label }) => (
          <li key={name}>
            <button
              type="button"
              className="option"
              onClick={() => void be(name).catch(() => say('danger', texts.demoMissing))}
            >
              {label[language]}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
