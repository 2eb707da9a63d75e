import { errorMessage } from '../local/error-message.ts'
import { refuseLostOutput } from '../local/lost-output.ts'

/**
 * Runs a command for a person or a machine: what it returns becomes the exit code, and what it throws one clear line on
 * stderr with exit code 1. Refuses options that npm took for its own because no `--` kept them for the command.
 */
export async function runCommand(options: readonly string[], command: () => Promise<number> | number): Promise<void> {
  refuseLostOutput()
  try {
    const taken = options.filter((name) => process.env[`npm_config_${name.replaceAll('-', '_')}`])
    if (taken.length > 0) throw new Error(`npm took --${taken.join(' and --')} for itself; write "--" before it.`)
    process.exitCode = await command()
  } catch (error) {
    console.error(errorMessage(error))
    process.exitCode = 1
  }
}
