import { dirname, join } from 'node:path'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { App, Validations } from 'aws-cdk-lib/core'
import { AwsSolutionsChecks } from 'cdk-nag'
import { bundleDirectory, bundleFunctions } from './bundle/bundle.ts'
import { checkTemplate } from './checks/template-checks.ts'
import { opensConnections } from './settings/function-settings.ts'
import { verifiesByAmazon } from './settings/stage-settings.ts'
import { writeRoots } from './stack/database/rds-roots.ts'
import { ServiceStack } from './stack/service-stack.ts'
import { stageNamed } from './stages.ts'

/** Writes the cloud assembly of one stage. Rejects where a setting, the code or a rule of cdk-nag stands in the way. */
async function synthesize(): Promise<void> {
  const app = new App()
  const stage = stageNamed(String(app.node.tryGetContext('stage') ?? 'dev'))
  const bundles = await bundleFunctions({ outdir: bundleDirectory })
  const folders = bundles.flatMap(({ name, file }) => (opensConnections(name) ? [dirname(file)] : []))
  if (verifiesByAmazon(stage)) await writeRoots(stage.region, folders)
  const { stackName } = new ServiceStack(app, `table-control-${stage.name}`, {
    stage,
    loadCode: (name) => Code.fromAsset(join(bundleDirectory, name)),
  })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }))
  checkTemplate(app.synth().getStackByName(stackName).template, stage)
}

await synthesize().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
