import { GetAWSDefaultServiceQuotaCommand, GetServiceQuotaCommand } from '@aws-sdk/client-service-quotas'
import type { Clients } from './clients.ts'
import { findOptional } from './find-optional.ts'

export interface Quota {
  readonly service: string
  readonly code: string
}

/** Returns a quota of the account in the region; AWS's default where it was never changed. */
export async function readQuota(
  { quotas }: Pick<Clients, 'quotas'>,
  { service: ServiceCode, code: QuotaCode }: Quota,
): Promise<number> {
  const applied = await findOptional(quotas.send(new GetServiceQuotaCommand({ ServiceCode, QuotaCode })))
  if (applied?.Quota?.Value !== undefined) return applied.Quota.Value
  const { Quota } = await quotas.send(new GetAWSDefaultServiceQuotaCommand({ ServiceCode, QuotaCode }))
  if (Quota?.Value === undefined) throw new Error(`Service Quotas does not know ${ServiceCode} ${QuotaCode}`)
  return Quota.Value
}
