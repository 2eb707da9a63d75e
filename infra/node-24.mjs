/**
 * Runs `node <file>` or a command of node_modules/.bin under Node >= 24, regardless of the version that started npm:
 * the one of this process if it is new enough, else the one that `npm ci` installs (the optional dependency
 * node-<os>-<arch>). Signals are passed on, and the command's exit code becomes this one's.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { arch, argv, env, execPath, exit, platform, version, versions } from 'node:process'
import { fileURLToPath } from 'node:url'

const needed = 24
const binaries = resolve(dirname(fileURLToPath(import.meta.url)), '../node_modules/.bin')

function findNode() {
  if (Number(versions.node.split('.')[0]) >= needed) return execPath
  try {
    const system = platform === 'win32' ? 'win' : platform
    const manifest = createRequire(import.meta.url).resolve(`node-${system}-${arch}/package.json`)
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.node)
  } catch {
    return undefined
  }
}

function refuse(message) {
  console.error(message)
  exit(1)
}

const { PATH: path } = env
const [command, ...args] = argv.slice(2)
const node = findNode()
if (command === undefined)
  refuse('Usage: node infra/node-24.mjs node <file> [arguments]  |  <command of node_modules/.bin> [arguments]')
if (node === undefined) {
  refuse(
    `Node ${needed} or newer is needed, and this is ${version}. "npm ci" brings it on Linux x64 and arm64 ` +
      '(unless it runs with --omit=optional); on any other system, install it from https://nodejs.org.',
  )
}
if (command !== 'node' && !existsSync(join(binaries, command)))
  refuse(`There is no command ${command} in ${binaries}: run "npm ci" first.`)

const child = spawn(node, command === 'node' ? args : [realpathSync(join(binaries, command)), ...args], {
  stdio: 'inherit',
  env: { ...env, PATH: [dirname(node), binaries, path].join(delimiter) },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// The shell between npm and this process passes nothing on when it is killed.
const parent = process.ppid
setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref()
child.on('error', (error) => refuse(`${node} could not be started: ${error.message}`))
child.on('exit', (code, signal) => exit(code ?? 128 + (constants.signals[signal] ?? 0)))
