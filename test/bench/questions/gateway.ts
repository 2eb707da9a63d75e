import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { atLeast, type Figure, type Question } from '../figure.ts'
import { indexedRequest } from '../flights-request.ts'
import { requestText, sendOnce } from '../http-connection.ts'
import { environment, token } from '../installation.ts'
import { nextMessage, startProcess as start } from '../process.ts'
import { interleave, median, ratio } from '../rounds.ts'
import { putLoad } from '../server-load.ts'

const rounds = 11
const milliseconds = 700
const connections = 8

async function figures(
  load: ChildProcess,
  ports: readonly [number, number],
  request: string,
): Promise<readonly Figure[]> {
  const put = (port: number, inFlight: number) => () =>
    putLoad(load, { port, requests: [request], inFlight, milliseconds })
  const all: Figure[] = []
  for (const inFlight of [1, 10, 50]) {
    const samples = await interleave(rounds, { gateway: put(ports[0], inFlight), limit: put(ports[1], inFlight) })
    const one = samples.gateway
    const other = samples.limit
    const rates = [one, other].map((side) => side.map(({ rate }) => rate))
    const times = ratio(rates[0] ?? [], rates[1] ?? [])
    const described = [one, other].map(
      (side) =>
        `${median(side.map(({ rate }) => rate)).toFixed(0)}/s at p50 ${median(side.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`,
    )
    const text = `${times.toFixed(2)} x (${described[0]}, limit ${described[1]})`
    all.push(atLeast(`rate, ${inFlight} in flight`, times, 0.75, text, ' x'))
  }
  return all
}

/** query-table as a client of the local stack sees it. */
export const gateway: Question = {
  id: 'gateway',
  asks: 'What does the local gateway leave of it?',
  method: `The local gateway with its functions, and the practical limit behind \`node:http\`, each in a process of its own with ${connections} connections to the database; a third process puts load on one of them at a time, ${rounds} rounds of ${milliseconds} ms, alternating.`,
  measure: async (bench) => {
    const env = environment(bench, connections)
    const caller = token()
    bench.report('starting the servers')
    const children = [start('gateway', [], env), start('limit', [caller], env), start('http-load', [], {})] as const
    const [gatewayProcess, limitProcess, load] = children
    try {
      const ports = await Promise.all([nextMessage<number>(gatewayProcess), nextMessage<number>(limitProcess)])
      const request = requestText(indexedRequest, caller)
      const [own, other] = await Promise.all(ports.map((port) => sendOnce(port, request)))
      assert.deepEqual(own, other)
      return await figures(load, ports, request)
    } finally {
      for (const child of children) child.disconnect()
    }
  },
}
