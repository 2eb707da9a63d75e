import { requestLog } from '../service/request-log.ts'
import { emptyTray } from '../tray/tray-state.ts'
import { forgetChoices, setOwner } from './kept-choices.ts'
import { tabTexts } from './kept-texts.ts'
import { forgetViews } from './last-views.ts'
import { messages } from './messages.ts'
import { createStore } from './store.ts'

export interface Session {
  readonly token: string | undefined
  /** Whether the user must sign in before anything else. */
  readonly asked: boolean
  /** Whether the token that was there is not good any more. */
  readonly expired: boolean
}

const key = 'explorer-token'
const kept = tabTexts.read(key)
setOwner(tokenSubject(kept))

/** The session. Its token stays in this tab: in no address, and in no storage that outlives the tab. */
export const session = createStore<Session>({ token: kept, asked: kept === undefined, expired: false })

/** Signs in. Forgets the data of another caller, which must not stay visible. */
export function signIn(token: string): void {
  const subject = tokenSubject(token)
  if (subject !== tokenSubject(session.get().token)) forget()
  setOwner(subject)
  tabTexts.write(key, token)
  session.set({ token, asked: false, expired: false })
}

function forget(): void {
  requestLog.set([])
  messages.set([])
  emptyTray()
  forgetViews()
}

/** Signs out. The address goes, too: it has what the user has searched for, and the next one would see it. */
export function signOut(): void {
  tabTexts.remove(key)
  forget()
  forgetChoices()
  session.set({ token: undefined, asked: true, expired: false })
  location.replace('#')
}

/** Ends the session of a token that the service refused, unless another token has replaced it. */
export function rejectToken(token: string | undefined): void {
  const now = session.get()
  if (now.token === token) session.set({ ...now, asked: true, expired: token !== undefined })
}

/** Remembers the user of now. Returns whether the page still has the same one, whose responses it may show. */
export function rememberUser(): () => boolean {
  const subject = tokenSubject(session.get().token)
  return () => tokenSubject(session.get().token) === subject
}

/** The `sub` of a token, for the eye only: the service is who checks it. */
export function tokenSubject(token: string | undefined): string {
  try {
    const bytes = Uint8Array.from(atob((token?.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')), (one) =>
      one.charCodeAt(0),
    )
    const { sub } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' ? sub : ''
  } catch {
    return ''
  }
}
