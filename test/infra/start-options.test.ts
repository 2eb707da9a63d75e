import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStartOptions } from '../../infra/local/start-options.ts'

describe('the options of npm start', () => {
  it('have defaults', () => {
    const source = { synth: false, stage: 'dev' }
    expect(readStartOptions([], {})).toEqual({ port: 3000, flights: '200k', cold: false, ...source })
  })

  it('are read from the command line and from variables', () => {
    const env = {
      PORT: '80',
      LOCAL_VISIBILITY_SECONDS: '1',
      LOCAL_SWEEP_SECONDS: '5',
      LOCAL_BATCH_SIZE: '3',
      LOCAL_CONCURRENCY: '8',
    }
    const timing = { visibilitySeconds: 1, sweepSeconds: 5, batchSize: 3, concurrency: 8 }
    const source = { synth: true, stage: 'production', assembly: resolve('other') }
    const expected = { port: 80, flights: 'all', cold: true, ...source, ...timing }
    const args = ['--flights', 'all', '--cold', '--synth', '--stage', 'production', '--assembly', 'other']
    expect(readStartOptions(args, env)).toEqual(expected)
  })

  it.each(['--stage', '--assembly'])('do not take %s for the sources', (option) => {
    expect(() => readStartOptions([option, 'some'], {})).toThrow('--stage and --assembly need --synth')
  })

  it.each([
    [{ PORT: '65536' }, 'PORT is a number from 1 to 65535, not "65536"'],
    [{ PORT: 'http' }, 'PORT is a number from 1 to 65535, not "http"'],
    [{ LOCAL_VISIBILITY_SECONDS: '0' }, 'LOCAL_VISIBILITY_SECONDS is a number from 1 to 43200, not "0"'],
    [{ LOCAL_SWEEP_SECONDS: '-1' }, 'LOCAL_SWEEP_SECONDS is a number from 1 to 86400, not "-1"'],
    [{ LOCAL_BATCH_SIZE: '11' }, 'LOCAL_BATCH_SIZE is a number from 1 to 10, not "11"'],
    [{ LOCAL_CONCURRENCY: '0' }, 'LOCAL_CONCURRENCY is a number from 1 to 10000, not "0"'],
  ])('name the variable that is wrong: %j', (env, message) => {
    expect(() => readStartOptions([], env)).toThrow(message)
  })
})
