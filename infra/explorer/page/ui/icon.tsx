const shapes = {
  table: 'M2 3.5h12v9H2zM2 6.5h12M6 6.5v6',
  down: 'M4 6l4 4 4-4',
  next: 'M6 4l4 4-4 4',
  last: 'M5 4l4 4-4 4M12 4v8',
  up: 'M8 13V3M4 7l4-4 4 4',
  descend: 'M8 3v10M4 9l4 4 4-4',
  sort: 'M5 3v10M2.5 10.5L5 13l2.5-2.5M11 13V3M8.5 5.5L11 3l2.5 2.5',
  filter: 'M2 4h12M4.5 8h7M7 12h2',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  group: 'M2.5 3h11v3.5h-11zM6 9h7.5M6 12.5h7.5M3 6.5V12.5h1.5M3 9h1.5',
  views: 'M4 2.5h8v11L8 10.5 4 13.5z',
  sum: 'M12 4.5V3H4l4.5 5L4 13h8v-1.5',
  chart: 'M3 13V7.5M8 13V3M13 13V9.5M1.5 13.5h13',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 5',
  bell: 'M4 11V7a4 4 0 018 0v4l1 1.5H3zM6.5 14.5h3',
  log: 'M5 4L2 8l3 4M11 4l3 4-3 4M9 3L7 13',
  person: 'M8 8a2.8 2.8 0 100-5.6A2.8 2.8 0 008 8zM2.8 14c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4',
  theme: 'M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  edit: 'M3 13l.7-3L11 2.7 13.3 5 6 12.3z',
  plus: 'M8 3v10M3 8h10',
  away: 'M9 3h4v4M13 3L7 9M6 4H3v9h9v-3',
} as const

export type IconName = keyof typeof shapes

interface IconProps {
  readonly name: IconName
  /** Turns with the direction of the text. */
  readonly turns?: boolean
}

/** A picture beside a text or a label that says the same. */
export const Icon = ({ name, turns = false }: IconProps) => (
  <svg className={`icon icon-${name}${turns ? ' turns' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
)
