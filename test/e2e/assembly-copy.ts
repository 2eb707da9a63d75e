import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { freshAssembly } from '../../infra/local/assembly/fresh-assembly.ts'
import { templateFile } from '../../infra/local/assembly/template.ts'

const stage = 'dev'

const resource = z.looseObject({
  Type: z.string(),
  // Tests reach into properties of every shape, to break them.
  Properties: z.record(z.string(), z.any()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
})
const document = z.looseObject({ Resources: z.record(z.string(), resource) })

export type TemplateResource = z.output<typeof resource>

export interface EditedTemplate {
  /** The function of a file of functions/. */
  readonly functionNamed: (name: string) => TemplateResource
  /** All resources of a type that this holds for. */
  readonly all: (type: string, holds?: (resource: TemplateResource) => boolean) => readonly TemplateResource[]
  readonly remove: (type: string, holds: (resource: TemplateResource) => boolean) => void
}

/** The cloud assembly of stage `dev`, made now if it is not up to date. */
export const assembly = (): Promise<string> =>
  freshAssembly({ stage, report: () => undefined, signal: new AbortController().signal })

/** A copy of the cloud assembly whose template is edited, and which the test can take files away from. */
export async function assemblyCopy(
  edit: (template: EditedTemplate) => void,
): Promise<AsyncDisposable & { folder: string }> {
  const original = await assembly()
  const folder = mkdtempSync(join(tmpdir(), 'table-control-assembly-'))
  for (const name of readdirSync(original)) {
    if (name.startsWith('asset.')) symlinkSync(join(original, name), join(folder, name))
  }
  const written = document.parse(JSON.parse(readFileSync(templateFile(original, stage), 'utf8')))
  edit(editable(written.Resources))
  writeFileSync(templateFile(folder, stage), JSON.stringify(written))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

function editable(resources: Record<string, TemplateResource>): EditedTemplate {
  const entries = (type: string, holds: (resource: TemplateResource) => boolean) =>
    Object.entries(resources).filter(([, one]) => one.Type === type && holds(one))
  return {
    functionNamed: (name) => {
      const path = `table-control-${stage}/${name}/Resource`
      const [found] = entries('AWS::Lambda::Function', ({ Metadata }) => Metadata['aws:cdk:path'] === path)
      if (found === undefined) throw new Error(`the template has no function ${name}`)
      return found[1]
    },
    all: (type, holds = () => true) => entries(type, holds).map(([, one]) => one),
    remove: (type, holds) => {
      const found = entries(type, holds)
      if (found.length === 0) throw new Error(`the template has nothing of ${type} to remove`)
      for (const [id] of found) delete resources[id]
    },
  }
}
