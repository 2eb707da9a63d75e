// The part `chart`: bars, by the scales of D3. It takes texts and groups as properties: code that two parts import
// becomes a file of its own.
export { BarChart } from './chart/bar-chart.tsx'
