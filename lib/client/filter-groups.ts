/** Groups parts that must all hold: filters, or groups of filters. */
export const all = <const Parts extends readonly object[]>(...parts: Parts): { readonly all: Parts } => ({ all: parts })

/** Groups parts of which at least one must hold. */
export const any = <const Parts extends readonly object[]>(...parts: Parts): { readonly any: Parts } => ({ any: parts })

/** Groups parts of which none may hold. A missing value fulfils no filter, so its row is kept. */
export const none = <const Parts extends readonly object[]>(...parts: Parts): { readonly none: Parts } => ({
  none: parts,
})
