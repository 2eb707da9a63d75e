import { randomUUID } from 'node:crypto'
import { type Mail, type MailOptions, startMail } from '../../../infra/local/mail/mail.ts'

/**
 * A local SES of the caller's own. It has no mailbox to look at: that takes half a second of a processor to start, and
 * parses each mail once more.
 */
export const startQuickMail = (options: MailOptions = {}): Promise<Mail> =>
  startMail({
    ...options,
    mailbox: { url: '', deliver: async () => randomUUID(), ended: new Promise(() => {}), stop: async () => {} },
  })
