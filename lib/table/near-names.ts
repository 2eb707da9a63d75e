/** Longer names cost time to compare, and no name of a table is as long. */
const maxNameLength = 100

/** Returns up to three of `names` that a misspelt name was probably meant to be, the likeliest first. */
export function nearNames(misspelt: string, names: readonly string[]): readonly string[] {
  if (misspelt === '' || misspelt.length > maxNameLength) return []
  const wanted = misspelt.toLowerCase()
  return names
    .map((name) => ({ name, steps: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= 2 || name.includes(wanted) || wanted.includes(name))
    .sort((left, right) => left.steps - right.steps)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Counts the letters that must be inserted, removed or changed. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const [left = 0, above = 0, corner = 0] = [current[column], previous[column + 1], previous[column]]
      current.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
