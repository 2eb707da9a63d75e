import { formerName, presentName, type Renamable } from './former-names.ts'

/** Reports each former name that is the name of another part of its kind. */
export function checkFormerNames(
  kinds: Readonly<Record<string, readonly Renamable[]>>,
  report: (fault: string) => void,
): void {
  for (const [kind, parts] of Object.entries(kinds)) {
    const names = new Set(parts.map(presentName))
    for (const part of parts) {
      const name = formerName(part)
      if (name === undefined) continue
      if (names.has(name)) report(`the former name "${name}" of the ${kind} "${presentName(part)}" is not free`)
      names.add(name)
    }
  }
}
