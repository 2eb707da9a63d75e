import type { Effects, EffectsPage, Undo } from './action-responses.ts'
import { createCallError } from './pause.ts'
import { TableError } from './table-error.ts'
import type { AnyTables, KeyOf, TablesOf, TableTypes } from './table-types.ts'
import { type CallOptions, type ClientOptions, createTransport, type Send, toSearch } from './transport.ts'
import type { RowId } from './wire.ts'

export type { KeyOf } from './table-types.ts'

/** A cell in which a file differs; without `field`, a whole row of the file. */
export interface ImportCell {
  readonly kind: 'change' | 'conflict' | 'refused'
  /** The place in the file, such as `C12`. */
  readonly place: string
  readonly id?: RowId
  readonly field?: string
  readonly label?: string
  /** The values of the cell are not shown. */
  readonly sensitive?: true
  /** The value as it was exported. */
  readonly base?: unknown
  readonly file?: unknown
  readonly now?: unknown
  readonly code?: string
  readonly errors?: readonly string[]
}

/** The changes that an import would make. */
export interface ImportPlan {
  readonly id: string
  readonly rows: number
  readonly counts: Readonly<Record<ImportCell['kind'], number>>
  readonly ignored_columns?: readonly string[]
  readonly cells: readonly ImportCell[]
  readonly next_page?: number
}

/** The state of an import, with its plan once the file is read. */
export interface ImportState {
  readonly import: {
    readonly id: string
    readonly state: 'waiting' | 'reading' | 'planned' | 'failed' | 'applied'
    readonly expires_at: string
    readonly code?: string
    readonly text?: string
  }
  readonly plan?: ImportPlan
}

/** The outcome of an import. */
export interface AppliedImport<T extends TableTypes = TableTypes> {
  readonly message: string
  readonly counts: { readonly succeeded: number; readonly failed: number }
  readonly cells: { readonly changed: number; readonly refused: number }
  readonly undo?: Undo<T>
  readonly effects?: Effects<T>
}

export interface ImportCall<T extends TableTypes> extends CallOptions {
  readonly params?: T['params']
}

export interface ApplyCall<T extends TableTypes> extends ImportCall<T> {
  /** With `include: ['effects']`: the page whose rows the response tells of. */
  readonly page?: EffectsPage<T>
}

interface Upload {
  readonly import: { readonly id: string }
  readonly upload: { readonly url: string; readonly method: string; readonly headers: Readonly<Record<string, string>> }
}

/** Creates a client for workbooks that are sent back. A file of its own: few pages import files. */
export function createImportClient<Source = AnyTables>(options: ClientOptions) {
  type Tables = TablesOf<Source>
  const send = createTransport(options)
  const call = <A extends object>(
    path: readonly string[],
    { params, signal }: ImportCall<TableTypes>,
    request: Parameters<Send>[1] = {},
    page?: number,
  ): Promise<A> => {
    const query = toSearch({ page, params: JSON.stringify(params) })
    return send(`./imports/${path.map(encodeURIComponent).join('/')}?${query}`, { ...request, signal })
  }
  return {
    /**
     * Uploads a file and returns the id of its import. Rejects with `upload_failed` if the storage does not take the
     * file.
     */
    upload: async <N extends KeyOf<Tables>>(table: N, file: Blob, asked: ImportCall<Tables[N]> = {}) => {
      const begun = await call<Upload>([table], asked, { body: { bytes: file.size } })
      const { url, method, headers } = begun.upload
      const { signal } = asked
      const { ok, status } = await (options.fetch ?? fetch)(url, {
        method,
        headers,
        body: file,
        signal: signal ?? null,
      }).catch((cause) => {
        throw createCallError(signal, 'upload_failed', 'The storage did not answer: upload the file again', { cause })
      })
      if (!ok)
        throw new TableError('upload_failed', `The storage refused the file with the status ${status}`, { status })
      return begun.import.id
    },
    /** Returns the state of an import, and a page of what it would change. */
    show: <N extends KeyOf<Tables>>(table: N, id: string, asked: ImportCall<Tables[N]> = {}, page = 1) =>
      call<ImportState>([table, id], asked, {}, page),
    /** Makes the changes of a plan. */
    apply: <N extends KeyOf<Tables>>(
      table: N,
      id: string,
      planId: string,
      { page, ...asked }: ApplyCall<Tables[N]> = {},
    ) =>
      call<AppliedImport<Tables[N]>>([table, id], asked, {
        body: { plan_id: planId, ...page },
        // The service repeats the response of a plan that was applied before.
        isRepeatable: true,
      }),
  }
}
