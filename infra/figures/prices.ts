/**
 * List prices of us-east-1 in US dollars, read in November 2026, without free tiers, discounts and taxes. Frankfurt
 * costs 10 to 20 % more. Prices marked "unconfirmed" have no published page behind them.
 */
export const prices = {
  lambdaRequest: 0.2e-6,
  lambdaGbSecond: 13.3334e-6,
  httpRequest: 1e-6,
  socketMessage: 1e-6,
  socketMinute: 0.25e-6,
  sqsRequest: 0.4e-6,
  mail: 100e-6,
  mailAttachmentGb: 0.12,
  logGb: 0.5,
  metric: 0.3,
  dashboard: 3,
  /** Unconfirmed. For each metric that an alarm watches. */
  alarmMetric: 0.1,
  /** Unconfirmed. */
  trace: 5e-6,
  auroraUnitHour: 0.12,
  auroraGb: 0.1,
  /** Unconfirmed. */
  auroraBackupGb: 0.021,
  't4g.micro': 0.016,
  't4g.small': 0.032,
  't4g.medium': 0.065,
  instanceGb: 0.115,
  /** Unconfirmed. */
  instanceBackupGb: 0.095,
  natHour: 0.045,
  natGb: 0.045,
  publicAddressHour: 0.005,
  /** Unconfirmed. In each of the two directions. */
  otherZoneGb: 0.01,
  secret: 0.4,
  key: 1,
  transferOutGb: 0.09,
} as const
