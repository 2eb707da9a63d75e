import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routePurposes } from '../../lib/route-purposes.ts'
import { mountRoutes, pages, routes, triggers } from '../../lib/routes.ts'
import { type ProjectCopy, projectCopy } from '../support/infra/project-copy.ts'

let copy: ProjectCopy

beforeAll(async () => {
  copy = await projectCopy()
})

afterAll(() => copy.remove())

describe('npm run routes', () => {
  it('prints every route of every guard, with its function and purpose, and what else calls a function', async () => {
    const { code, out, err } = await copy.scaffoldAlone('routes', [])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.split('\n').map((line) => line.split(/ {2,}/))
    for (const { routeKey, route, guard = '-' } of mountRoutes(['api', 'web']))
      expect(lines).toContainEqual([...routeKey.split(' '), guard, route.functionName, routePurposes[route.name]])
    const functions = new Set([...routes, ...pages].map(({ functionName }) => functionName))
    const others = [
      ...Object.values(triggers.sockets),
      triggers.queue,
      triggers.deployment,
      ...Object.values(triggers.schedule),
    ]
    for (const name of [...functions, ...others]) expect(out).toContain(` ${name} `)
  })

  it('prints the paths of the guards that are asked for, as JSON for machines', async () => {
    const { out } = await copy.scaffold('routes', ['--guards', 'mobile', '--json'])
    const printed: readonly { readonly path: string; readonly guard: string }[] = JSON.parse(out)
    expect(printed.map(({ path }) => path)).toContain('/mobile/api-table/control-tables/query-table/{tableName}')
    expect(new Set(printed.map(({ guard }) => guard))).toEqual(new Set(['-', 'mobile']))
  })

  it('refuses a guard that is no word', async () => {
    expect(await copy.scaffold('routes', ['--guards', 'api,,web'])).toMatchObject({
      code: 1,
      err: 'A guard is a word such as api or web, not ""\n',
    })
  })
})
