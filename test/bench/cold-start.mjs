/**
 * A fresh process: loads the module that it is given, hands its handler an event, and prints when what was done, in
 * milliseconds since the process began. Without a module it only prints.
 */
const [file, event, authority] = process.argv.slice(2)
const builtins = process.moduleLoadList.length
const { handler } = file === undefined ? {} : await import(file)
const readyMs = performance.now()
const loaded = process.moduleLoadList.length - builtins
if (authority !== undefined) process.getBuiltinModule('node:tls').setDefaultCACertificates([authority])
const calledMs = performance.now()
const answer = await handler?.(JSON.parse(event), { getRemainingTimeInMillis: () => 29_000 })
const answerMs = performance.now() - calledMs
console.log(JSON.stringify({ readyMs, answerMs, loaded, status: answer?.statusCode ?? 0 }))
process.exit()
