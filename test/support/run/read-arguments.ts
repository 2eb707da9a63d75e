import { type ParseArgsConfig, parseArgs } from 'node:util'
import { errorMessage } from '../../../infra/local/error-message.ts'
import { refuseTakenOptions } from '../../../infra/local/taken-options.ts'

/**
 * Returns what `read` makes of the command line, before the command has begun anything. `--help` prints the usage and
 * ends the process; what `read` throws, or an option that is not in `config`, ends it with exit code 2.
 */
export function readArguments<const Config extends ParseArgsConfig, Arguments>(
  usage: string,
  config: Config,
  read: (parsed: ReturnType<typeof parseArgs<Config>>) => Arguments,
): Arguments {
  if (process.argv.slice(2).some((given) => given === '--help' || given === '-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    refuseTakenOptions(config.options)
    return read(parseArgs(config))
  } catch (error) {
    console.error(`${errorMessage(error)}\n\n${usage}`)
    return process.exit(2)
  }
}

/** Throws, with the name of the option, for anything but a whole number from 1 to `max`. */
export function readCount(name: string, given: string, max: number): number {
  if (/^\d+$/.test(given) && Number(given) >= 1 && Number(given) <= max) return Number(given)
  throw new Error(`${name} is a whole number from 1 to ${max}, not "${given}"`)
}
