import { accountVariables } from '../../../infra/local/local-account.ts'
import type { Mail } from '../../../infra/local/mail/mail.ts'
import { startMail } from '../../../infra/local/mail/mail.ts'

/** A mail service of its own, which the SES clients of this process use from now on. Stop it in `afterAll`. */
export async function startTestMail(): Promise<Mail> {
  const mail = await startMail()
  Object.assign(process.env, accountVariables, { AWS_ENDPOINT_URL_SES: mail.endpoint })
  return mail
}

export const sender = 'تقارير Reports <reports@example.com>'
