import * as z from 'zod'
import type { LocatedParts } from '../local-parts.ts'
import { apiHost } from './local-values.ts'
import { referencedIds, type Template } from './template.ts'

const api = z.object({ ProtocolType: z.enum(['HTTP', 'WEBSOCKET']) })
const mapping = z.object({ ApiId: z.unknown(), DomainName: z.unknown(), Stage: z.string() })
const domain = z.object({ DomainName: z.string() })

/** Replaces the addresses that the template's own APIs would have by the local ones, in every place of a text. */
export type Localize = (text: string) => string

export function localizer(template: Template, { port, socketPort }: LocatedParts): Localize {
  const protocols = new Map(
    template.listResources('AWS::ApiGatewayV2::Api', api).map(({ id, properties }) => [id, properties.ProtocolType]),
  )
  const findAddress = (id: string) => `127.0.0.1:${protocols.get(id) === 'WEBSOCKET' ? socketPort : port}`
  const domains = new Map(
    template
      .listResources('AWS::ApiGatewayV2::DomainName', domain)
      .map(({ id, properties }) => [id, properties.DomainName]),
  )
  // The name of a domain stands for a stage, of which WebSockets have the path.
  const named = template.listResources('AWS::ApiGatewayV2::ApiMapping', mapping).map(({ properties }) => {
    const [id = ''] = referencedIds(properties.ApiId)
    const host = domains.get(referencedIds(properties.DomainName)[0] ?? '') ?? ''
    return [host, findAddress(id) + (protocols.get(id) === 'WEBSOCKET' ? `/${properties.Stage}` : '')] as const
  })
  const hosts = new Map([...named, ...[...protocols.keys()].map((id) => [apiHost(id), findAddress(id)] as const)])
  return (text) =>
    text.replace(/\b(http|ws)s:\/\/([^/:]+)/g, (all, scheme: string, host: string) => {
      const local = hosts.get(host)
      return local === undefined ? all : `${scheme}://${local}`
    })
}
