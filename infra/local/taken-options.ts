/** Throws for options that npm took for its own, because no `--` kept them for the command: npm makes variables of them. */
export function refuseTakenOptions(options: object = {}): void {
  const taken = Object.keys(options).filter((name) => process.env[`npm_config_${name.replaceAll('-', '_')}`])
  if (taken.length > 0) throw new Error(`npm took --${taken.join(' and --')} for itself; write "--" before it.`)
}
