import { stageNamed, stageNames } from '../stages.ts'
import { costTables } from './cost-tables.ts'
import { deployedOf } from './cost-template.ts'
import { publishSection } from './readme-section.ts'

await publishSection('npm run costs', costTables(stageNames.map((name) => deployedOf(stageNamed(name)))))
