import { stageTemplate } from '../checks/stage-template.ts'
import { stageNamed, stageNames } from '../stages.ts'
import { publishSection } from './readme-section.ts'
import { stageFigures } from './stage-figures-table.ts'

/** `npm run stages`: what the template of each stage takes of its quotas. */
await publishSection('npm run stages', () =>
  stageFigures(
    stageNames.map((name) => {
      const stage = stageNamed(name)
      return { stage, template: stageTemplate(stage) }
    }),
  ),
)
