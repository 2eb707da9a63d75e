/**
 * The findings of `npm run table:lint` that the authors of tables accept: the rule, the places (`about`; default: all
 * of the rule), and the reason. An entry whose finding is gone is an error itself.
 */
export const lintIgnored = {
  flights: [
    {
      rule: 'sort-index',
      about: ['origin', 'destination'],
      because: 'The flights of one airport come in the order of their ids by a sort of those alone, 1 in 100 at most.',
    },
    {
      rule: 'sort-index',
      about: ['origin__city', 'origin__state', 'destination__city', 'destination__state'],
      because: 'Shows that relations can be sorted by; the flights that the filters leave are sorted for each page.',
    },
    {
      rule: 'filter-index',
      about: ['origin__state', 'destination__state', 'origin__city', 'destination__city'],
      because: 'Reads 3,376 airports, and then the flights of those that match by the index on their code.',
    },
  ],
  airports: [
    { rule: 'sort-index', because: 'There are 3,376 airports: they are sorted in memory faster than they are sent.' },
    {
      rule: 'filter-index',
      because: 'There are 3,376 airports: reading all of them is faster than any index on them.',
    },
  ],
  bird_strikes: [
    {
      rule: 'sort-index',
      because: '10,000 reports are sorted in memory, and every index more slows the actions that change them.',
    },
    {
      rule: 'filter-index',
      about: ['origin_state', 'airport_name', 'aircraft_model', 'speed_knots', 'reviewed_at'],
      because:
        '10,000 reports are read within milliseconds; with more of them, airport_name wants an index of trigrams.',
    },
  ],
}
