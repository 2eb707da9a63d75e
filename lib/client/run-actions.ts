import type {
  BulkActionResponse,
  RowActionResponse,
  RowBulkActionResponse,
  RowConditions,
  Selection,
} from './action-responses.ts'
import type { Item, Structure } from './queries.ts'
import { TableError } from './table-error.ts'
import type { KeyOf, TableTypes } from './table-types.ts'
import { type ActionOptions, createKey, type Send } from './transport.ts'
import type { Urls } from './wire.ts'

export interface RowActionOptions extends ActionOptions {
  /**
   * The `_version` of the item. If the row has changed since, the error is `row_version_conflict`, and its `response`
   * has `current` and `changed`.
   */
  readonly expectedVersion?: string | undefined
}

export interface RowBulkActionOptions extends ActionOptions {
  /** The `_version` of items by their ids. Rows that have changed since fail with `row_version_conflict`. */
  readonly versions?: Readonly<Record<string, string>>
}

/** Creates the calls that run actions at the URLs of the structure and its items. Each call has an idempotency key. */
export function createActionCalls(send: Send, guard: string | undefined, watch: (jobId: string) => void) {
  const post = async <A extends object>(
    urls: Urls | false | undefined,
    body: object,
    { signal, idempotencyKey = createKey() }: ActionOptions,
    reason = 'The action does not apply here',
  ): Promise<A> => {
    if (!urls) throw new TableError('action_not_applicable', reason)
    return send(guard === 'web' ? (urls.web ?? urls.api) : urls.api, { body, signal, idempotencyKey })
  }
  return {
    /**
     * Runs an action of an item. If the item does not offer it, or has it with `enabled: false`, no request is sent:
     * rejects with `action_not_applicable` and the `reason` of the entry.
     */
    rowAction: <T extends TableTypes, Key extends KeyOf<T['rowActions']>>(
      item: Item<T>,
      key: Key,
      input?: InputOf<T['rowActions'][Key], RowConditions<T>>,
      { expectedVersion, ...options }: RowActionOptions = {},
    ) => {
      const body = { expected_version: expectedVersion, ...(input as object) }
      const entry = (item.row?.actions ?? item.actions)?.[key]
      return post<RowActionResponse<T>>(entry?.enabled !== false && entry?.action, body, options, entry?.reason)
    },
    /**
     * Posts to the `url` of a response, such as that of the form which the first step of an action returned as
     * `payload`.
     */
    submit: <T extends TableTypes>(
      { url }: Pick<RowActionResponse<T>, 'url'>,
      values: object,
      options: ActionOptions = {},
    ) => post<RowActionResponse<T>>(url !== undefined && { api: url }, values, options, 'The response has no form'),
    /** Runs a row action on up to 1,000 rows. Rejects if no row succeeds; the error's `response` has the `results`. */
    rowBulkAction: <T extends TableTypes, Key extends KeyOf<T['rowActions']>>(
      structure: Structure<T>,
      key: Key,
      ids: readonly (string | number)[],
      input?: InputOf<T['rowActions'][Key], RowConditions<T> & Pick<Selection<T>, 'plan'>>,
      { versions, ...options }: RowBulkActionOptions = {},
    ) => {
      const body = { versions, ...(input as object), selected_ids: ids }
      return post<RowBulkActionResponse<T>>(structure.rowActions[key]?.bulk_actions_url, body, options)
    },
    /** Runs a bulk action; the fields of its form stand beside the selection. */
    bulkAction: async <T extends TableTypes, Key extends KeyOf<T['bulkActions']>>(
      structure: Structure<T>,
      key: Key,
      // The compiler cannot see that an action without a form has no required field.
      selection: Selection<T> & FormOf<T['bulkActions'], Key> = {} as never,
      options: ActionOptions = {},
    ): Promise<BulkActionResponse> => {
      const action = structure.bulkActions.find(({ action_key }) => action_key === key)
      const response = await post<BulkActionResponse>(action?.action, selection, options)
      if (response.broadcast !== undefined && response.job !== undefined) watch(response.job.id)
      return response
    },
  }
}

/** The fields of an action's form and the keys beside it, of which a field of the same name takes the place. */
type InputOf<Form, Beside> = unknown extends Form ? Form : Form & Omit<Beside, keyof Form>

/** The form of an action: no field for an action without one, and any field for actions without types. */
type FormOf<Actions, Key extends keyof Actions> = unknown extends Actions[Key]
  ? object | (string extends keyof Actions ? Readonly<Record<string, unknown>> : never)
  : Actions[Key]
