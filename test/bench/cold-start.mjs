/**
 * Loads the module of the first argument, passes the event of the second to its handler, and prints the time of each step in
 * milliseconds since the process began. Without an event it only loads; without a module it only prints.
 */
const [file, event, authority] = process.argv.slice(2)
const builtins = process.moduleLoadList.length
const { handler } = file === undefined ? {} : await import(file)
const readyMs = performance.now()
const cpuMs = Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1_000, 0)
const loaded = process.moduleLoadList.length - builtins
if (authority !== undefined) process.getBuiltinModule('node:tls').setDefaultCACertificates([authority])
const calledMs = performance.now()
const answer = event && (await handler?.(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000 }))
const answerMs = performance.now() - calledMs
console.log(JSON.stringify({ readyMs, cpuMs, answerMs, loaded, status: answer?.statusCode ?? 0 }))
process.exit()
