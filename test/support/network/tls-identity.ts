import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** A private key and its self-signed certificate, as PEM. The certificate is its own authority. */
export interface TlsIdentity {
  readonly key: string
  readonly cert: string
}

const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = objectId(0x55, 0x04, 0x03)
const subjectAltName = objectId(0x55, 0x1d, 0x11)

/** Makes an identity for one DNS name, valid for a day, without any tool outside of Node. */
export function createTlsIdentity(dnsName: string): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // OpenSSL looks for an authority by its name: two that a process trusts must differ.
  const subject = `${dnsName} ${randomBytes(8).toString('hex')}`
  const name = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from(subject)))))
  const day = 86_400_000
  const validity = sequence(time(Date.now() - day), time(Date.now() + day))
  const altNames = sequence(subjectAltName, element(0x04, sequence(element(0x82, Buffer.from(dnsName)))))
  const toBeSigned = sequence(
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(altNames)),
  )
  const signature = createSign('sha256').update(toBeSigned).sign(privateKey)
  const certificate = sequence(toBeSigned, ecdsaWithSha256, element(0x03, Buffer.concat([Buffer.of(0), signature])))
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(certificate) }
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

function objectId(...bytes: readonly number[]): Buffer {
  return element(0x06, Buffer.from(bytes))
}

function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')
  return element(0x17, Buffer.from(digits.slice(2)))
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content])
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content])
}
