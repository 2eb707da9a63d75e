import { writeFile } from 'node:fs/promises'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'

const charts = new URL('./charts/', import.meta.url)

/** Settings of all charts: readable on pages of either brightness. */
const style: Partial<TopLevelSpec> = {
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  background: 'white',
  padding: 12,
  config: {
    font: 'system-ui, sans-serif',
    view: { stroke: null },
    axis: { labelLimit: 280, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 'normal', gridColor: '#e5e7eb' },
    header: { labelFontSize: 12, labelFontWeight: 'bold' },
    title: { fontSize: 14, anchor: 'start', subtitleFontSize: 11, subtitleColor: '#4b5563' },
  },
}

/** Draws a chart as `charts/<name>.svg`. */
export async function drawChart(name: string, spec: TopLevelSpec): Promise<void> {
  const { spec: compiled } = compile({ ...style, ...spec } as TopLevelSpec)
  const view = new View(parse(compiled), { renderer: 'none' })
  await writeFile(new URL(`${name}.svg`, charts), `${await view.toSVG()}\n`)
  view.finalize()
}
