const first = { ...process.env }

/**
 * Gives this process the environment variables that it began with. A worker runs several files, and many set variables
 * of the AWS SDK.
 */
export function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in first)) delete process.env[name]
  Object.assign(process.env, first)
}
