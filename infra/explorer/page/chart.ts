// The part `chart`: the bars of groups. It takes texts and groups as properties: code that two parts import becomes a
// file of its own.
export { BarChart } from './chart/bar-chart.tsx'
