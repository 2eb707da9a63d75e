/** Selects what Tab leads to. */
export const focusable = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not([tabindex="-1"])'
