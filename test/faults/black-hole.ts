import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface BlackHole {
  readonly port: number
  readonly stop: () => Promise<void>
}

const listener = `const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`

/** A port that takes no connection and refuses none: its process stands still, and its queue is full. */
export async function startBlackHole(): Promise<BlackHole> {
  const child = spawn(process.execPath, ['--eval', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(text)
  child.kill('SIGSTOP')
  const fillers: Socket[] = []
  while (await isTaken(port, fillers)) {
    if (fillers.length > 20) throw new Error('the queue of the port does not become full')
  }
  return {
    port,
    stop: async () => {
      for (const socket of fillers) socket.destroy()
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function isTaken(port: number, fillers: Socket[]): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  fillers.push(socket)
  return await Promise.race([
    new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true))),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1_000)),
  ])
}
