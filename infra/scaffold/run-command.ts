import { messageOf } from '../local/message-of.ts'

/**
 * Runs a command for a person or a machine: what it returns becomes the exit code, and what it throws one clear line on
 * stderr with exit code 1.
 */
export async function runCommand(command: () => Promise<number> | number): Promise<void> {
  try {
    process.exitCode = await command()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
