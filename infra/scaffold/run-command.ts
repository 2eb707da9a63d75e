import { errorCode, errorMessage } from '../local/error-message.ts'
import { refuseLostOutput } from '../local/lost-output.ts'

/**
 * Runs a command for a person or a machine: what it returns becomes the exit code, and what it throws one clear line on
 * stderr with exit code 1. Refuses options that npm took for its own because no `--` kept them for the command. With
 * `usage`, prints that for --help; other commands do so themselves.
 */
export async function runCommand(
  options: readonly string[],
  command: () => Promise<number> | number,
  usage?: string,
): Promise<void> {
  refuseLostOutput()
  try {
    const taken = options.filter((name) => process.env[`npm_config_${name.replaceAll('-', '_')}`])
    if (taken.length > 0) throw new Error(`npm took --${taken.join(' and --')} for itself; write "--" before it.`)
    const isHelp = process.argv.slice(2).some((given) => given === '--help' || given === '-h')
    if (usage !== undefined && isHelp) console.log(usage)
    else process.exitCode = await command()
  } catch (error) {
    const isArgument = errorCode(error).startsWith('ERR_PARSE_ARGS')
    console.error(`${errorMessage(error)}${isArgument ? '; --help lists the options' : ''}`)
    process.exitCode = 1
  }
}
