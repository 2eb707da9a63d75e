import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Config } from '../config.ts'
import type { Invocation, Stage } from '../telemetry/invocation.ts'
import { allowsOrigin } from './cors.ts'

const stages: readonly Stage[] = ['access', 'work', 'format']

/**
 * Adds the header `Server-Timing`, in milliseconds, for the tools of browsers. What is refused has none: how long a refusal
 * took could tell what the caller may not know; and a failure says only how long it took in all.
 */
export function withServerTiming(
  answer: APIGatewayProxyStructuredResultV2,
  invocation: Invocation,
  origin: string | undefined,
  config: Pick<Config, 'ALLOWED_ORIGINS'> | undefined,
): APIGatewayProxyStructuredResultV2 {
  const { statusCode = 200 } = answer
  if (statusCode >= 400 && statusCode < 500) return answer
  const total = `total;dur=${(performance.now() - invocation.begunAt).toFixed(1)}`
  const timing = statusCode < 400 ? `${stagesOf(invocation)}${total}` : total
  // Without it, scripts of other origins are shown zeros.
  const allowed = origin !== undefined && config !== undefined && allowsOrigin(config, origin)
  const headers = { ...answer.headers, 'server-timing': timing, ...(allowed && { 'timing-allow-origin': origin }) }
  return { ...answer, headers }
}

function stagesOf({ stages: times }: Invocation): string {
  let text = ''
  for (const stage of stages) {
    const ms = times[stage]
    if (ms !== undefined) text += `${stage};dur=${ms.toFixed(1)}, `
  }
  return text
}
