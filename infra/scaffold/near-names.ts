/** The names that somebody may have meant by `asked`, the likeliest first; none where nothing is near. */
export function nearNames(asked: string, names: readonly string[]): readonly string[] {
  const wanted = asked.toLowerCase()
  return names
    .map((name) => ({ name, steps: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= 2 || name.includes(wanted) || wanted.includes(name))
    .sort((left, right) => left.steps - right.steps)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** How many letters have to be put in, taken out or changed. */
function distance(from: string, to: string): number {
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
