import type { RowId } from './wire.ts'

/** The `components` that openapi-typescript generates from the service's document. */
interface Components {
  readonly schemas: object
}

/** The tables of a document: each has a schema `<table>.Item`. */
type TableName<Schemas> = { [Name in keyof Schemas]: Name extends `${infer Table}.Item` ? Table : never }[keyof Schemas]

type Schema<Schemas, Name extends string, Otherwise> = Name extends keyof Schemas ? Schemas[Name] : Otherwise

/** The cells in the form of the action that edits them. */
type CellsOf<Form> = Form extends { readonly cells: infer Cells extends object }
  ? Required<Cells>
  : Readonly<Record<string, unknown>>

/**
 * The tables of an OpenAPI document, for a client in another repository. Reads the schemas `<table>.Item`, `.Filter`,
 * `.Sort`, `.Params`, `.RowActions`, `.BulkActions` and `.rowAction.update_cells`; a missing one allows any value.
 *
 * @example
 * import type { components } from './table-control.ts' // npx openapi-typescript openapi.json -o table-control.ts
 * const client = createTableClient<OpenApiTables<components>>({ baseUrl, token })
 */
export type OpenApiTables<C extends Components> = {
  readonly [Table in TableName<C['schemas']> & string]: {
    /** A column is absent where a query does not name it in `columns`. */
    readonly item: Partial<
      Omit<Schema<C['schemas'], `${Table}.Item`, object>, 'id' | 'row' | 'actions' | '_raw' | '_version' | '_matches'>
    > & {
      readonly id: RowId
    }
    readonly filter: Schema<C['schemas'], `${Table}.Filter`, string> & string
    readonly sort: Schema<C['schemas'], `${Table}.Sort`, string> & string
    readonly params: Schema<C['schemas'], `${Table}.Params`, unknown>
    readonly cells: CellsOf<Schema<C['schemas'], `${Table}.rowAction.update_cells`, unknown>>
    readonly rowActions: Schema<C['schemas'], `${Table}.RowActions`, Readonly<Record<string, unknown>>> & object
    readonly bulkActions: Schema<C['schemas'], `${Table}.BulkActions`, Readonly<Record<string, unknown>>> & object
  }
}
