import type { ReactNode } from 'react'

interface CellTableProps {
  readonly name: string
  readonly heads: readonly string[]
  readonly rows: readonly { readonly key: string; readonly head: string; readonly cells: readonly ReactNode[] }[]
}

/** A table of cells that would differ, one line each. */
export const CellTable = ({ name, heads, rows }: CellTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
  <section className="sample" tabIndex={0} aria-label={name}>
    <table className="plain">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, head, cells }) => (
          <tr key={key}>
            <th scope="row">
              <bdi>{head}</bdi>
            </th>
            {cells.map((cell, place) => (
              <td key={heads[place + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
