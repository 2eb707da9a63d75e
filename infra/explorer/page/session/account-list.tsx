import { session, signOut, tokenSubject } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useWords } from '../texts/language.tsx'

interface AccountListProps {
  readonly close: () => void
  readonly signIn: () => void
}

const texts = {
  en: { signedInAs: 'Signed in as', signOut: 'Sign out', changeUser: 'Use another token' },
  ar: { signedInAs: 'تم تسجيل الدخول باسم', signOut: 'تسجيل الخروج', changeUser: 'استخدام رمز آخر' },
} as const

/** Names the user, and lists the ways to be another one. */
export const AccountList = ({ close, signIn }: AccountListProps) => {
  const { t, language } = useWords()
  const { signedInAs, signOut: leave, changeUser } = texts[language]
  const { token } = useStore(session)
  const closeThen = (then: () => void) => () => {
    close()
    then()
  }
  return (
    <>
      {token !== undefined && (
        <p className="help">
          {signedInAs} <strong dir="auto">{tokenSubject(token)}</strong>
        </p>
      )}
      <ul className="options">
        <li>
          <button type="button" className="option" onClick={closeThen(signIn)}>
            {token === undefined ? t.signIn : changeUser}
          </button>
        </li>
        {token !== undefined && (
          <li>
            <button type="button" className="option" onClick={closeThen(signOut)}>
              {leave}
            </button>
          </li>
        )}
      </ul>
    </>
  )
}
