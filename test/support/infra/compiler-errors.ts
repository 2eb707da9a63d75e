import { readFile } from 'node:fs/promises'
import { API, type Diagnostic, type Program } from 'typescript/unstable/async'

export interface CompilerError {
  /** The path of the file; empty for an error of the whole project. */
  readonly file: string
  readonly line: number
  readonly text: string
}

/**
 * Compiles a project and returns the errors of the files that its tsconfig.json names. `tsc` checks also each file that
 * these import, which takes half of its time.
 */
export async function findCompilerErrors(configFile: string): Promise<readonly CompilerError[]> {
  const api = new API()
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [configFile] })
    const [project] = snapshot.getProjects()
    if (project === undefined) throw new Error(`${configFile}: the compiler opened no project`)
    const { program, rootFiles } = project
    const found = [await program.getConfigFileParsingDiagnostics(), await program.getProgramDiagnostics()]
    for (const file of rootFiles.filter((one) => !one.endsWith('.d.ts'))) found.push(await checkFile(program, file))
    found.push(await program.getGlobalDiagnostics())
    return await Promise.all(found.flat().map(describeError))
  } finally {
    await api.close()
  }
}

const checkFile = async (program: Program, file: string): Promise<readonly Diagnostic[]> => [
  ...(await program.getSyntacticDiagnostics(file)),
  ...(await program.getSemanticDiagnostics(file)),
]

async function describeError({ fileName, pos, ...error }: Diagnostic): Promise<CompilerError> {
  if (fileName === undefined) return { file: '', line: 0, text: joinTexts(error) }
  const before = (await readFile(fileName, 'utf8')).slice(0, pos)
  return { file: fileName, line: before.split('\n').length, text: joinTexts(error) }
}

const joinTexts = ({ text, messageChain = [] }: Pick<Diagnostic, 'text' | 'messageChain'>): string =>
  [text, ...messageChain.map(joinTexts)].join('\n')
