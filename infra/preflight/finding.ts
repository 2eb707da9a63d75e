/**
 * `error`: the deployment fails, or what it makes does not work. `warning`: it works, and something is to be known or
 * done. `unknown`: it could not be looked at.
 */
export type Level = 'ok' | 'warning' | 'error' | 'unknown'

export interface Finding {
  /** Names the check, such as `lambda-concurrency`. */
  readonly check: string
  readonly level: Level
  readonly text: string
  /** The fix for the operator, in every finding but `ok`. */
  readonly fix?: string
}

export type NewFinding = Omit<Finding, 'check'>

export const ok = (text: string): NewFinding => ({ level: 'ok', text })
export const warning = (text: string, fix: string): NewFinding => ({ level: 'warning', text, fix })
export const fault = (text: string, fix: string): NewFinding => ({ level: 'error', text, fix })
export const unknown = (text: string, fix: string): NewFinding => ({ level: 'unknown', text, fix })
