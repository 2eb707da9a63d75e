/** The part of the package that is used here: version 10 brings no types. */
declare module 'html-to-text' {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  export function compile(options: {
    readonly wordwrap: false
    readonly limits?: { readonly maxDepth?: number }
    readonly selectors?: readonly Selector[]
  }): (html: string) => string
}
