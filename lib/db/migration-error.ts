/** A migration, or the role of the functions, that cannot be had as it is; the message says of which file and why. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
