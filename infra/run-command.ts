import { type ParseArgsConfig, parseArgs } from 'node:util'
import { errorCode, errorMessage } from './local/error-message.ts'
import { refuseLostOutput } from './local/lost-output.ts'
import { refuseTakenOptions } from './local/taken-options.ts'

/**
 * Runs a command for a person or a machine: what it returns becomes the exit code, and what it throws one clear line on
 * stderr with exit code 1. Prints `usage` for --help.
 */
export async function runCommand<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  command: (parsed: ReturnType<typeof parseArgs<Config>>) => Promise<number> | number,
): Promise<void> {
  refuseLostOutput()
  try {
    refuseTakenOptions(config.options)
    const isHelp = process.argv.slice(2).some((given) => given === '--help' || given === '-h')
    if (isHelp) console.log(usage)
    else process.exitCode = await command(parseArgs(config))
  } catch (error) {
    const isArgument = errorCode(error).startsWith('ERR_PARSE_ARGS')
    console.error(`${errorMessage(error)}${isArgument ? '; --help lists the options' : ''}`)
    process.exitCode = 1
  }
}
