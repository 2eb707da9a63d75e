import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { amazonRoots, rdsRoots, writeRoots } from '../../infra/stack/database/rds-roots.ts'
import { stageNamed, stageNames } from '../../infra/stages.ts'
import { createTlsIdentity } from '../support/network/tls-identity.ts'

const certificatesIn = (pem: string) =>
  (pem.match(/-----BEGIN.+?-----END CERTIFICATE-----/gs) ?? []).map((one) => new X509Certificate(one))

/**
 * The intermediate certificate that an RDS server in Seoul sent in October 2026. Its serial number and dates are
 * Amazon's.
 */
const subordinate = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIENTCCAx2gAwIBAgIQLMt7dou1aaJt3o6TKVs0xjANBgkqhkiG9w0BAQsFADCB
nDELMAkGA1UEBhMCVVMxIjAgBgNVBAoMGUFtYXpvbiBXZWIgU2VydmljZXMsIElu
Yy4xEzARBgNVBAsMCkFtYXpvbiBSRFMxCzAJBgNVBAgMAldBMTUwMwYDVQQDDCxB
bWF6b24gUkRTIGFwLW5vcnRoZWFzdC0yIFJvb3QgQ0EgUlNBMjA0OCBHMTEQMA4G
A1UEBwwHU2VhdHRsZTAeFw0yMjEyMDgxODAzMDFaFw0zMjEyMDgxOTAzMDFaMIGn
MQswCQYDVQQGEwJVUzEiMCAGA1UECgwZQW1hem9uIFdlYiBTZXJ2aWNlcywgSW5j
LjETMBEGA1UECwwKQW1hem9uIFJEUzELMAkGA1UECAwCV0ExQDA+BgNVBAMMN0Ft
YXpvbiBSRFMgYXAtbm9ydGhlYXN0LTIgU3Vib3JkaW5hdGUgQ0EgUlNBMjA0OCBH
MS5BLjUxEDAOBgNVBAcMB1NlYXR0bGUwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw
ggEKAoIBAQDMxJFt0wsGJm3V4Y0V1cbLXn8idsysk7E8CKzxBRdI2nyDY//IC4oY
6y7VNnch4guGB78f5KJqrQlqlBqoYhy0oYpmKRmzZbEFqemsg2JqNhktUzXjOvp5
l/vB8WqfPsjYpLpdTJUguRKuRyOT5+M7mw+0etFXGDpjPEZgFv/ZvdFkzA1GG9MG
N6QLgoh9obf5Ml9NN0MRmKoS/Cbo9dQqXiIINjNQoZb9PaMYaVzeTYad+XrszPrM
xIY3NPDJawSQCaXW0yBwvZU4AcSA8S58soy7NUl1s2YfJS4TTQTX6h+37OnlhcB8
GVwv6GTtyvkVo3u4xp8bO7zmS2IWJs5rAgMBAAGjZjBkMBIGA1UdEwEB/wQIMAYB
Af8CAQAwHwYDVR0jBBgwFoAUJIE1hbDYOsANx224oQ0OL6bdRNswHQYDVR0OBBYE
FOZooFko3exXE9wfLKtCvoDLs4VyMA4GA1UdDwEB/wQEAwIBhjANBgkqhkiG9w0B
AQsFAAOCAQEAmYX7p3wsgIvO/lHbfTrnrALs2yfJasHbQcImtOWBwFOetbGK6Szr
zMMbJCWb9VxCu9q5J5mWOGtwWS4CZylpDqVf7QX8I0dGvbCkdRr1RdyiP7WVJPwV
K7YHxn8/NnbXKKysfr4SyU9wxUI/Na/iZMLlt2st1ztnMRZWm7ewDsgpnvzj8A+Y
w99C/ayXyifBlKmorlbh8485nLhlPYHGBqCvefHeu9uTMT6YooZCwTy9D+bCYMzN
LeKhb+r6Af49yzbpCg1a/rkr7/lIsq9kOpLQr18bFtNvFnFXDgaF7hqdV5Hb+s83
kXIAI1hr5FqvKvB5efxSC+Tf2tsGPx/c7g==
-----END CERTIFICATE-----`)

describe('the authorities of RDS', () => {
  it('sign the authority under which a server of RDS has its certificate today', () => {
    const signs = (root: X509Certificate) => subordinate.checkIssued(root) && subordinate.verify(root.publicKey)
    expect(certificatesIn(rdsRoots('ap-northeast-2')).filter(signs)).toHaveLength(1)
    expect(certificatesIn(rdsRoots('eu-central-1')).filter(signs)).toEqual([])
  })

  it.each([...new Set(stageNames.map((name) => stageNamed(name).region))])(
    'are three in %s, each signed by itself and valid for years',
    (region) => {
      const roots = certificatesIn(rdsRoots(region))
      expect(roots.map(({ publicKey }) => publicKey.asymmetricKeyType).sort()).toEqual(['ec', 'rsa', 'rsa'])
      for (const root of roots) {
        expect(root.ca && root.checkIssued(root) && root.verify(root.publicKey)).toBe(true)
        expect(root.subject).toContain(`Amazon RDS ${region} Root CA`)
        expect(Date.parse(root.validTo) - Date.now()).toBeGreaterThan(5 * 365 * 86_400_000)
      }
    },
  )

  it('stand beside the code, where the functions look for them', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'roots-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    await writeRoots('eu-central-1', [directory])
    const [, name = ''] = /^\/var\/task\/(.+)$/.exec(amazonRoots) ?? []
    expect(readFileSync(join(directory, name), 'utf8')).toBe(rdsRoots('eu-central-1'))
  })

  it('stop the synthesis of a region that the package does not know, until the bundle of the region is saved', () => {
    const directory = mkdtempSync(join(tmpdir(), 'roots-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const expected = 'no authority of RDS in mars-north-1; save the bundle that AWS publishes'
    expect(() => rdsRoots('mars-north-1', directory)).toThrow(expected)
    const { cert } = createTlsIdentity('Amazon RDS mars-north-1 Root CA RSA2048 G1')
    const { cert: other } = createTlsIdentity('Amazon RDS mars-south-1 Root CA RSA2048 G1')
    writeFileSync(join(directory, 'mars-north-1.pem'), `${other}${cert}`)
    expect(rdsRoots('mars-north-1', directory)).toBe(cert)
  })
})
