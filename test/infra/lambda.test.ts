import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLambda, type LambdaSettings } from '../../infra/local/lambda/lambda.ts'
import { serveGateway } from '../support/infra/gateway.ts'

/** A function with this code, which is told by its events what to do, until the test ends. */
async function findLambda(code: string, settings: Partial<LambdaSettings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'table-control-lambda-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'index.mjs')
  await writeFile(file, code)
  const lambda = createLambda({
    name: 'sample',
    file,
    handler: 'handler',
    memoryMb: 128,
    timeoutMs: 20_000,
    reserved: undefined,
    cold: false,
    variables: {},
    ...settings,
  })
  onTestFinished(lambda.stop)
  return lambda
}

/** Counts its events from one on, and lets some wait. */
const counting = `
  let events = 0
  let running = 0
  export const handler = async (event, context) => {
    events += 1
    running += 1
    if (running > 1) throw new Error('two events at a time')
    if (event.waitMs) await new Promise((done) => setTimeout(done, event.waitMs))
    running -= 1
    return { events, left: context.getRemainingTimeInMillis() }
  }`

describe('a function in an environment of its own', () => {
  it('is loaded once for events that follow each other, and anew for each where it is to be cold', async () => {
    const [warm, cold] = await Promise.all([findLambda(counting), findLambda(counting, { cold: true })])
    expect([await warm.invoke({}), await warm.invoke({})]).toMatchObject([{ events: 1 }, { events: 2 }])
    expect([await cold.invoke({}), await cold.invoke({})]).toMatchObject([{ events: 1 }, { events: 1 }])
  })

  it('has one event at a time, in up to four environments', async () => {
    const lambda = await findLambda(counting)
    const responses = await Promise.all(Array.from({ length: 8 }, () => lambda.invoke({ waitMs: 200 })))
    const counts = responses.map((response) => (response as { events: number }).events)
    expect(counts.filter((count) => count === 1)).toHaveLength(4)
  })

  it('stands still from its response to the next event', async () => {
    const ticking = 'let ticks = 0; setInterval(() => { ticks += 1 }, 5); export const handler = async () => ticks'
    const lambda = await findLambda(ticking)
    await lambda.invoke({})
    await sleep(100)
    expect(await lambda.invoke({})).toBeLessThan(5)
  })

  it('sees its own variables and nothing of this process', async () => {
    const lambda = await findLambda('export const handler = () => process.env', { variables: { ONLY: 'this' } })
    expect(await lambda.invoke({})).toEqual({ ONLY: 'this' })
  })

  it('knows how much time is left, and its memory', async () => {
    const code =
      'export const handler = (event, { memoryLimitInMB, functionName }) => ({ memoryLimitInMB, functionName })'
    expect(await (await findLambda(code)).invoke({})).toEqual({ memoryLimitInMB: '128', functionName: 'sample' })
    const { left } = (await (await findLambda(counting)).invoke({})) as { left: number }
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(20_000)
  })

  it('answers as JSON would carry it', async () => {
    const lambda = await findLambda(
      'export const handler = (event) => ({ at: new Date(0), none: undefined, ...event })',
    )
    expect(await lambda.invoke({ a: 1 })).toEqual({ at: '1970-01-01T00:00:00.000Z', a: 1 })
  })
})

describe('a function that fails', () => {
  it.each([
    ['throws', 'export const handler = () => { throw new Error("on purpose") }', 'on purpose'],
    ['lacks its handler', 'export const other = 1', 'exports no function "handler"'],
    ['cannot be loaded', 'throw new Error("Settings are missing or wrong: QUEUE_URL")', 'QUEUE_URL'],
    ['ends its process', 'export const handler = () => process.exit(3)', 'exited with code 3'],
    [
      'crashes later',
      'export const handler = () => { setTimeout(() => { throw new Error("later") }); return new Promise(() => {}) }',
      'crashed: Error: later',
    ],
  ])('is reported as one that %s', async (_why, code, message) => {
    const lambda = await findLambda(code)
    await expect(lambda.invoke({})).rejects.toThrow(message)
    await expect(lambda.invoke({})).rejects.toThrow(message)
  })

  it('is ended after its timeout, and the next event gets a fresh environment', async () => {
    const lambda = await findLambda(counting, { timeoutMs: 1_000 })
    expect(await lambda.invoke({})).toMatchObject({ events: 1 })
    await expect(lambda.invoke({ waitMs: 60_000 })).rejects.toThrow('Task timed out after 1.00 seconds')
    expect(await lambda.invoke({})).toMatchObject({ events: 1 })
  })
})

describe('behind the gateway', () => {
  const serve = async (code: string, settings: Partial<LambdaSettings>) => {
    const lambda = await findLambda(code, settings)
    return serveGateway({ 'GET /': (event) => lambda.invoke(event) })
  }

  it('a function that takes too long is an internal server error', async () => {
    const { send } = await serve('export const handler = () => new Promise(() => {})', { timeoutMs: 500 })
    expect(await send('/')).toMatchObject({ status: 500, text: '{"message":"Internal Server Error"}' })
  })

  it('a function that has its reserved concurrency at work is unavailable', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'table-control-lambda-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const release = join(folder, 'release')
    const held = `import { existsSync } from 'node:fs'
      export const handler = async () => {
        while (!existsSync(${JSON.stringify(release)})) await new Promise((later) => setTimeout(later, 10))
        return { statusCode: 200 }
      }`
    const { send } = await serve(held, { reserved: 2 })
    const sent = [send('/'), send('/'), send('/')]
    expect(await Promise.race(sent)).toMatchObject({ status: 503, text: '{"message":"Service Unavailable"}' })
    await writeFile(release, '')
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 200, 503])
  })
})
