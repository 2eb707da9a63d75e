/** As much of node-postgres as it is compared by; its package has no types. */
declare module 'pg' {
  export class Client {
    constructor(options: { readonly connectionString: string; readonly ssl: { readonly ca: string } })
    connect(): Promise<void>
    query(text: string, values: readonly unknown[]): Promise<unknown>
    end(): Promise<void>
  }
}
