/** The part of the package that is used here: its published types do not know `preferred`. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { readonly headers: { readonly 'accept-encoding': string } })
    encoding<Coding extends string>(
      available: readonly Coding[],
      options: { readonly preferred: readonly string[] },
    ): Coding | undefined
  }

  export = Negotiator
}
