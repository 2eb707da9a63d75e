import * as z from 'zod'

const percent = (fallback: number) => z.number({ error: 'a percentage such as 2.5' }).gt(0).max(100).default(fallback)
const whole = (fallback: number, max: number) =>
  z
    .int({ error: `a whole number from 1 to ${max}` })
    .min(1)
    .max(max)
    .default(fallback)

/** The addresses and the thresholds of alarms. RUNBOOK.md explains each alarm. */
export const alarmSettings = z.strictObject({
  /** Mail addresses; SNS asks each to confirm. Without any, alarms show in CloudWatch only. */
  notify: z.array(z.email()).default([]),
  /** Share of requests in five minutes with a status of 500 or above, without unknown token keys; at least three. */
  errorPercent: percent(2),
  /**
   * Share of requests within five minutes with a status of 429, of the service or of API Gateway; at least a hundred
   * requests.
   */
  refusedPercent: percent(5),
  /** 99th percentile of query-table, in milliseconds. */
  latencyMs: whole(1_500, 25_000),
  /** How long a job may wait. */
  oldestMessageMinutes: whole(30, 1_440),
  /** Failures within the same hour. */
  jobsFailed: whole(1, 10_000),
  mailsFailed: whole(5, 10_000),
  /** SES reviews an account at 5 and at 0.1. */
  bouncePercent: percent(3),
  complaintPercent: percent(0.05),
  /** Calls of one group of functions in five minutes. */
  throttles: whole(10, 100_000),
  /** Calls of WebSocket functions in five minutes that failed. */
  socketErrors: whole(10, 100_000),
  /**
   * US dollars in a month, of the whole account; beyond 80 % of it, or a forecast beyond it, the addresses of `notify`
   * get a mail.
   */
  monthlyBudget: z.number().positive().optional(),
  /** Share of the stage's connections, of the database's processor, and of its maximum capacity. */
  databasePercent: percent(85),
})
