/** The scales that the chart uses of the package, which comes without types. */
declare module 'd3-scale' {
  export interface LinearScale {
    (value: number): number
    readonly domain: (domain: readonly [number, number]) => LinearScale
    readonly range: (range: readonly [number, number]) => LinearScale
    /** Extends the domain to round numbers. */
    readonly nice: (count?: number) => LinearScale
    readonly ticks: (count?: number) => readonly number[]
  }

  export interface BandScale {
    (name: string): number | undefined
    readonly domain: (names: readonly string[]) => BandScale
    readonly range: (range: readonly [number, number]) => BandScale
    readonly paddingInner: (share: number) => BandScale
    readonly bandwidth: () => number
  }

  export const scaleLinear: () => LinearScale
  export const scaleBand: () => BandScale
}
