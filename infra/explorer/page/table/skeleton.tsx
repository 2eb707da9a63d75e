const widths = ['w40', 'w70', 'w55', 'w85', 'w30', 'w60']

/** Draws as many lines as rows will come, so that nothing moves when they arrive. */
export const Skeleton = ({ rows }: { readonly rows: number }) => (
  <div className="table-frame skeleton" aria-hidden="true">
    {Array.from({ length: rows }, (_, at) => at).map((row) => (
      <div key={row} className="skeleton-row">
        {widths.map((width, at) => (
          <span key={width} className={`bone ${widths[(at + row) % widths.length]}`} />
        ))}
      </div>
    ))}
  </div>
)
