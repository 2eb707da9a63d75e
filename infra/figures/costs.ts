import { stageNamed, stageNames } from '../stages.ts'
import { costTables } from './cost-tables.ts'
import { readDeployed } from './cost-template.ts'
import { publishSection } from './readme-section.ts'

await publishSection('npm run costs', () => costTables(stageNames.map((name) => readDeployed(stageNamed(name)))))
