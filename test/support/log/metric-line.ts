import { expect } from 'vitest'
import * as z from 'zod'

/** The schema of CloudWatch's embedded metric format, with its limits. */
const embedded = z.strictObject({
  Timestamp: z.int(),
  CloudWatchMetrics: z
    .array(
      z.strictObject({
        Namespace: z.string().regex(/^[\w./#:-]{1,1024}$/),
        Dimensions: z.array(z.array(z.string().min(1).max(250)).min(1).max(30)).min(1),
        Metrics: z
          .array(z.strictObject({ Name: z.string().min(1).max(1024), Unit: z.enum(['Count', 'Milliseconds']) }))
          .min(1)
          .max(100),
      }),
    )
    .min(1),
})

/**
 * The metrics that CloudWatch would make of a line, such as `Requests by service,endpoint` → 1. Fails where the line is
 * not of the format: a dimension that is no text, or a metric that is no number.
 */
export function listMetrics(line: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  const { Timestamp, CloudWatchMetrics } = embedded.parse(line['_aws'])
  expect(Math.abs(Date.now() - Timestamp)).toBeLessThan(3_600_000)
  const metrics: Record<string, number> = {}
  for (const { Dimensions, Metrics } of CloudWatchMetrics) {
    for (const dimension of Dimensions) {
      for (const key of dimension) expect(line[key], key).toEqual(expect.stringMatching(/^\S{1,1024}$/))
      for (const { Name } of Metrics) {
        expect(line[Name], Name).toEqual(expect.any(Number))
        metrics[`${Name} by ${dimension.join()}`] = Number(line[Name])
      }
    }
  }
  return metrics
}
