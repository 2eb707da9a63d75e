import { StatementMisuse } from './database-error.ts'

/** Spaces, semicolons and comments in front of a statement. */
const prelude = /^(?:[\s;]|--.*|\/\*[\s\S]*?\*\/)*/

const endsTransaction =
  /^(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!(\s+(work|transaction))?\s+to\b))\b/i

/** Statements with an effect that the session keeps after a commit. */
const changesSession = [
  /^set\s+(?!(local|constraints|transaction)\b)/i,
  /^(prepare|deallocate|discard|listen)\b/i,
  /^declare\b.*\swith\s+hold\b/is,
  /^create\s+((or\s+replace|local|global)\s+)?temp(orary)?\b(?!.*\son\s+commit\s+drop\b)/is,
  /\bpg_(try_)?advisory_lock(_shared)?\s*\(/i,
  /\bset_config\s*\([^()]*,\s*(false|'(f|false|off|no|0)')\s*\)/i,
]

/**
 * Throws for a statement of an author that begins or ends a transaction, changes its connection for the requests that
 * use it later, or breaks the connection.
 */
export function assertContained(text: string): void {
  const statement = text.replace(prelude, '')
  if (endsTransaction.test(statement))
    throw new StatementMisuse('a transaction begins and ends with its work, not by a statement')
  if (/^copy\b/i.test(statement)) throw new StatementMisuse('a statement cannot copy rows; use select or insert')
  if (text.includes('\0')) throw new StatementMisuse('a statement holds a null character; send values as parameters')
  if (changesSession.some((change) => change.test(statement)))
    throw new StatementMisuse('a statement would change its connection for later requests; keep it to its transaction')
}
