import { type Mail, startMail } from '../../../infra/local/mail/mail.ts'
import { type Mailbox, startMailbox } from '../../../infra/local/mail/mailbox.ts'

let mailbox: Promise<Mailbox> | undefined

/**
 * A local SES of the caller's own, with the one mailbox of this process, which takes half a second of a processor to
 * start.
 */
export async function startQuickMail(): Promise<Mail> {
  mailbox ??= startMailbox()
  const shared = await mailbox
  const mail = await startMail({ mailbox: shared })
  return {
    ...mail,
    stop: async () => {
      await mail.stop()
      await fetch(`${shared.url}/clear-store`, { method: 'POST' })
    },
  }
}
