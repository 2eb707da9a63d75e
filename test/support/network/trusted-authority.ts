import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Lets this process trust a certificate, beside those that it trusts already. The result ends that. */
export function trustAuthority(certificate: string): () => void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate])
  return () => setDefaultCACertificates(before)
}
