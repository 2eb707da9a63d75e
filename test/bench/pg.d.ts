/** The part of node-postgres that the benchmark uses; its package has no types. */
declare module 'pg' {
  export class Client {
    constructor(options: { readonly connectionString: string; readonly ssl: { readonly ca: string } })
    connect(): Promise<void>
    query(text: string, values: readonly unknown[]): Promise<unknown>
    end(): Promise<void>
  }
}
