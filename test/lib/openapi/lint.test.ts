import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { wholeDocument } from '../../../lib/index.ts'
import { registry } from '../../../tables/index.ts'
import { fixtureRegistry } from '../../support/fixtures/fixture-registry.ts'

const service = { SERVICE_NAME: 'table_control', GUARDS: ['api', 'web'], ITEM_ACTIONS: 'both' as const }

/** The warnings that stay; functions/README.md gives the reason for each. */
const acceptedWarnings = new Set(['info-license', 'operation-2xx-response', 'no-unused-components'])

describe.each([
  ['the demo', registry],
  ['the fixture', fixtureRegistry],
])('the OpenAPI document of %s', (_, tables) => {
  it.each(['api', 'web'])(
    'has no error and no unexplained warning under the rules of Redocly on the guard %s',
    async (guard) => {
      const document = wholeDocument(tables, { service, guard, baseUrl: '', language: 'en' })
      const config = await createConfig({ extends: ['recommended'] })
      const problems = await lintFromString({
        source: JSON.stringify(document),
        absoluteRef: '/openapi.json',
        config,
      })
      const unexplained = problems.filter(
        ({ severity, ruleId }) => severity === 'error' || !acceptedWarnings.has(ruleId),
      )
      expect(unexplained.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
      expect(problems.map(({ ruleId }) => ruleId)).toContain('info-license')
    },
  )

  it('leaves only the schemas unused by which clients are typed', async () => {
    const document = wholeDocument(tables, { service, guard: 'api', baseUrl: '', language: 'en' })
    const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
    const used = new Set(Array.from(references, ([, name]) => name))
    const unused = Object.keys(document.components.schemas).filter((name) => !used.has(name))
    expect(unused.filter((name) => !/\.(Filter|RowActions|BulkActions)$/.test(name))).toEqual([])
  })
})
