/** A measured value by what grows. */
export interface Point {
  readonly x: number
  readonly y: number
}

export type LawName = 'constant' | 'logarithmic' | 'linear' | 'log-linear'

/** How a value grows: `base + slope * f(x)`. */
export interface Law {
  readonly name: LawName
  readonly base: number
  readonly slope: number
  /** The distance of the points from the law, relative to each: the root of the mean of its squares. */
  readonly error: number
  /** The place where the growing part equals the rest, if it was measured. */
  readonly bend?: number
}

const shapes: Readonly<Record<Exclude<LawName, 'constant'>, (x: number) => number>> = {
  logarithmic: (x) => Math.log(x + 1),
  linear: (x) => x,
  'log-linear': (x) => x * Math.log(x + 1),
}

/** Values within this factor of each other count as constant: runs of the same differ by as much. */
const constantWithin = 1.35

/**
 * Finds the law that fits the points best by relative distance, in the order of their places. A simpler law wins where
 * it is nearly as close, and where the last value is hardly above the first, they are constant.
 */
export function fitLaw(points: readonly Point[]): Law {
  const laws = (Object.keys(shapes) as (keyof typeof shapes)[]).map((name) => fitShape(points, name))
  const closest = Math.min(...laws.map(({ error }) => error))
  const found = laws.find(({ error }) => error <= closest * 1.1) ?? laws[0]
  if (found === undefined) throw new Error('there is no shape to fit')
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined) throw new Error('there are no points')
  const hasGrown = last.y > first.y * constantWithin
  if (hasGrown && predict(found, last.x) > predict(found, first.x) * constantWithin) {
    return { ...found, ...findBend(points, found) }
  }
  const mean = points.reduce((sum, { y }) => sum + y, 0) / points.length
  return { name: 'constant', base: mean, slope: 0, error: findError(points, () => mean) }
}

/** Least squares of relative distances, with neither base nor slope below zero. */
function fitShape(points: readonly Point[], name: keyof typeof shapes): Law {
  const shape = shapes[name]
  const sum = (term: (weight: number, x: number, y: number) => number) =>
    points.reduce((all, { x, y }) => all + term(1 / y ** 2, shape(x), y), 0)
  const w = sum((weight) => weight)
  const wx = sum((weight, x) => weight * x)
  const wy = sum((weight, _, y) => weight * y)
  const wxx = sum((weight, x) => weight * x * x)
  const wxy = sum((weight, x, y) => weight * x * y)
  const free = (w * wxy - wx * wy) / (w * wxx - wx * wx)
  if (free <= 0) return createLaw(name, points, wy / w, 0)
  const base = (wy - free * wx) / w
  return base <= 0 ? createLaw(name, points, 0, wxy / wxx) : createLaw(name, points, base, free)
}

const createLaw = (name: keyof typeof shapes, points: readonly Point[], base: number, slope: number): Law => ({
  name,
  base,
  slope,
  error: findError(points, (x) => base + slope * shapes[name](x)),
})

const findError = (points: readonly Point[], law: (x: number) => number): number =>
  Math.sqrt(points.reduce((sum, { x, y }) => sum + ((law(x) - y) / y) ** 2, 0) / points.length)

/** Finds the least x at which the growing part has reached the base. */
function findBend(points: readonly Point[], { name, base, slope }: Law): { readonly bend?: number } {
  if (name === 'constant') return {}
  const xs = points.map(({ x }) => x)
  const first = Math.min(...xs)
  const last = Math.max(...xs)
  const grown = (x: number) => slope * shapes[name](x)
  if (grown(last) < base || grown(first) >= base) return {}
  let low = first
  let high = last
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (grown(middle) < base) low = middle
    else high = middle
  }
  return { bend: high }
}

/** Returns the value that a law gives at a place. */
export const predict = ({ name, base, slope }: Law, x: number): number =>
  name === 'constant' ? base : base + slope * shapes[name](x)
