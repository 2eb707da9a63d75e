import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readFunctionNames } from '../../infra/bundle/bundle.ts'
import { createRegistry, listSavedViews, tableEndpoints } from '../../lib/index.ts'
import { fallbackFunctionName, mountRoutes, routes, triggers } from '../../lib/routes.ts'
import { fullStage, listFunctions, referredTo, synthesize } from '../support/infra/synthesized-stack.ts'
import { createApi } from '../support/requests/api.ts'

const stack = synthesize(fullStage)
const functions = listFunctions(stack)
const toName = (id: string) => [...functions].find(([, { id: other }]) => other === id)?.[0]

const api = z.object({ ProtocolType: z.enum(['HTTP', 'WEBSOCKET']) })
const route = z.object({ ApiId: z.unknown(), RouteKey: z.string(), Target: z.unknown() })
const integration = z.object({ IntegrationUri: z.unknown(), PayloadFormatVersion: z.string().optional() })

/** Route keys with the functions behind them. */
function listRoutes(protocol: 'HTTP' | 'WEBSOCKET'): Readonly<Record<string, string | undefined>> {
  const apis = stack.listResources('AWS::ApiGatewayV2::Api', api)
  const integrations = stack.listResources('AWS::ApiGatewayV2::Integration', integration)
  const own = [...stack.listResources('AWS::ApiGatewayV2::Route', route).values()].filter(
    ({ ApiId }) => apis.get(referredTo(ApiId))?.ProtocolType === protocol,
  )
  const findFunction = (target: unknown) => {
    const uri = JSON.stringify(integrations.get(referredTo(target))?.IntegrationUri)
    return [...functions].find(([, { id }]) => uri.includes(`"${id}"`))?.[0]
  }
  return Object.fromEntries(own.map(({ RouteKey, Target }) => [RouteKey, findFunction(Target)]))
}

const eventSource = z.object({ FunctionName: z.unknown() })
const step = z.object({ ServiceToken: z.unknown() })
const rule = z.object({ ScheduleExpression: z.string(), Targets: z.array(z.object({ Arn: z.unknown() })) })

/** Returns what an endpoint runs, by its name, as a file writes it. */
async function readEndpoints(path: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  return Object.fromEntries([...text.matchAll(/name: '(\w+)', run: ([\w()]+)/g)].map(([, name, run]) => [name, run]))
}

const namesByFunction = Object.groupBy(routes, ({ functionName }) => functionName)
/** Their endpoints are made in lib/. */
const unnamed = ['list-tables', 'openapi']
const withEndpoints = Object.keys(namesByFunction).filter((name) => !unnamed.includes(name))

describe('the function', () => {
  it.each(Object.entries(namesByFunction).filter(([name]) => withEndpoints.includes(name)))(
    '%s has the endpoint of each of its routes',
    async (functionName, expected) => {
      const endpoints = await readEndpoints(`functions/${functionName}.ts`)
      expect(Object.keys(endpoints).sort()).toEqual(expected.map(({ name }) => name).sort())
    },
  )

  it.each(['requests/table-handlers', 'fixtures/fixture-api'])('runs what the tests run by %s', async (tested) => {
    const deployed = await Promise.all(withEndpoints.map((name) => readEndpoints(`functions/${name}.ts`)))
    expect(Object.assign({}, ...deployed)).toMatchObject(await readEndpoints(`test/support/${tested}.ts`))
  })
})

it('a function of several endpoints runs none of them for the route of another', async () => {
  const views = tableEndpoints(createRegistry([]), [{ name: 'listViews', run: listSavedViews }])
  const api = createApi({ removeView: views }, { tokenFor: String, describing: false })
  const removed = api.request({ method: 'DELETE', path: '/api/api-table/control-tables/views/orders/1' })
  await expect(removed).rejects.toThrow('no endpoint for DELETE /api/api-table/control-tables/views/{tableName}/{id}')
})

describe('the deployed service', () => {
  it('has every route of every guard, with its function, and sends the rest to the function that says 404', () => {
    const mounted = mountRoutes(['api', 'web']).map((one) => [one.routeKey, one.route.functionName] as const)
    expect(listRoutes('HTTP')).toEqual({ ...Object.fromEntries(mounted), $default: fallbackFunctionName })
  })

  it('has the routes of WebSockets', () => {
    expect(listRoutes('WEBSOCKET')).toEqual(triggers.sockets)
    const RouteSelectionExpression = '$request.body.event'
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'WEBSOCKET',
      RouteSelectionExpression,
    })
  })

  it('gives the queue to the worker and the clock to the sweep', () => {
    const sources = [...stack.listResources('AWS::Lambda::EventSourceMapping', eventSource).values()]
    const rules = [...stack.listResources('AWS::Events::Rule', rule).values()]
    expect(sources.map(({ FunctionName }) => toName(referredTo(FunctionName)))).toEqual([triggers.queue])
    expect(rules.map((one) => one.ScheduleExpression)).toEqual(['rate(1 minute)'])
    expect(rules.flatMap(({ Targets }) => Targets.map(({ Arn }) => toName(referredTo(Arn))))).toEqual([
      triggers.schedule.everyMinute,
    ])
  })

  it('has a function for each file of functions/, and each is called by something', async () => {
    const files = [...(await readFunctionNames())]
    const called = [
      ...Object.values(listRoutes('HTTP')),
      ...Object.values(listRoutes('WEBSOCKET')),
      triggers.queue,
      triggers.schedule.everyMinute,
      ...[...stack.listResources('Custom::DatabaseMigrations', step).values()].map((one) =>
        toName(referredTo(one.ServiceToken)),
      ),
    ]
    expect([...functions.keys()].sort()).toEqual(files.sort())
    expect([...new Set(called)].sort()).toEqual(files.sort())
  })

  it('speaks the payload format that the functions read', () => {
    const integrations = [...stack.listResources('AWS::ApiGatewayV2::Integration', integration).values()]
    const versions = integrations.map(({ PayloadFormatVersion }) => PayloadFormatVersion).filter(Boolean)
    expect([...new Set(versions)]).toEqual(['2.0'])
  })

  it('has routes for the guards that a stage names', () => {
    const one = synthesize({ ...fullStage, guards: ['partners'] })
    const keys = [...one.listResources('AWS::ApiGatewayV2::Route', route).values()].map(({ RouteKey }) => RouteKey)
    const expected = [...mountRoutes(['partners']).map(({ routeKey }) => routeKey), '$default']
    expect(keys.sort()).toEqual([...expected, ...Object.keys(triggers.sockets)].sort())
  })
})
