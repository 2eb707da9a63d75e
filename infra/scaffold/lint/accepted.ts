import * as z from 'zod'
import { type Finding, type LintedTable, rules } from './finding.ts'

const ignored = z.record(
  z.string(),
  z.array(
    z.strictObject({
      rule: z.enum(rules),
      /** Default: all findings of the rule. */
      about: z.array(z.string()).optional(),
      because: z.string().min(20, 'a reason of a sentence'),
    }),
  ),
)

/** The accepted findings by table, each with its reason. */
export type IgnoredFindings = z.output<typeof ignored>

export const readIgnored = (value: unknown): IgnoredFindings => ignored.parse(value)

/**
 * Returns the findings of one table without the accepted ones. An accepted finding that is gone is a finding
 * (`unused-ignore`), unless the table could not be linted fully.
 */
export function withoutAccepted(
  table: string,
  { findings, complete }: LintedTable,
  all: IgnoredFindings,
): readonly Finding[] {
  const accepted = (all[table] ?? []).flatMap(({ rule, about, because }) =>
    (about ?? [undefined]).map((one) => ({ because, rule, about: one })),
  )
  const covers = ({ rule, about }: (typeof accepted)[number], finding: Finding) =>
    rule === finding.rule && (about === undefined || about === finding.about)
  const unused = accepted.filter((one) => complete && !findings.some((finding) => covers(one, finding)))
  return [
    ...findings.filter((finding) => !accepted.some((one) => covers(one, finding))),
    ...unused.map(({ rule, about = 'any' }) => ({
      ...({ table, level: 'error', rule: 'unused-ignore', about: `${rule} ${about}` } as const),
      text: `tables/lint-ignored.ts accepts ${rule} of ${about}, which is not found`,
      fix: 'take the entry out',
    })),
  ]
}
