import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface DnsServer {
  /** As `Resolver.setServers` takes it. */
  readonly address: string
  readonly stop: () => void
}

const types: Readonly<Record<number, string>> = { 2: 'NS', 5: 'CNAME', 28: 'AAAA' }

/** A name server that knows these records, by `<type> <name>`, and answers that every other name does not exist. */
export async function startDnsServer(records: Readonly<Record<string, readonly string[]>>): Promise<DnsServer> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query)
    const values = records[`${types[type]} ${name}`] ?? []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // A response with recursion; 3 is NXDOMAIN.
    header.writeUInt16BE(0x8180 | (values.length > 0 ? 0 : 3), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(values.length, 6)
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...values.map((value) => encodeAnswer(type, value))]),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() }
}

function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const nameData = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

/** An address in full, such as `2001:0db8:…`. */
const addressData = (address: string): Buffer => Buffer.from(address.replaceAll(':', ''), 'hex')

function encodeAnswer(type: number, value: string): Buffer {
  const data = types[type] === 'AAAA' ? addressData(value) : nameData(value)
  const head = Buffer.alloc(12)
  // The name is that of the question, at offset 12.
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
