/** Returns whether `accept` names this media type, and does not prefer JSON to it. A wildcard names none. */
export function prefersType(accept: string | undefined, type: string): boolean {
  const weights = new Map((accept ?? '').slice(0, 1_000).toLowerCase().split(',').map(parseWeightedType))
  const wanted = weights.get(type) ?? 0
  return wanted > 0 && wanted >= (weights.get('application/json') ?? 0)
}

function parseWeightedType(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice(2))
  return [type, Number.isFinite(weight) ? weight : 0]
}
