/** Groups parts that all have to hold: filters, or groups of filters. */
export const all = <Part>(...parts: readonly Part[]): { readonly all: readonly Part[] } => ({ all: parts })

/** Groups parts of which at least one has to hold. */
export const any = <Part>(...parts: readonly Part[]): { readonly any: readonly Part[] } => ({ any: parts })

/** Groups parts of which none may hold. A missing value fulfils no filter, so its row is kept. */
export const none = <Part>(...parts: readonly Part[]): { readonly none: readonly Part[] } => ({ none: parts })
