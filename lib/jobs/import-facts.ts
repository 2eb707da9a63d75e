/** The most bytes of a file that can be imported. */
export const maxImportBytes = 20 * 1_024 * 1_024

/** The context in which the values of sensitive columns are sealed. */
export const sealedImportValues = 'table-control sensitive cell of an import'
