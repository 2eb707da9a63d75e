import type { Context } from 'aws-lambda'
import { loadConfig } from '../../../lib/config.ts'
import { createService } from '../../../lib/index.ts'
import { importRegistry } from '../fixtures/imported-orders.ts'
import { gatewayEvent } from '../requests/gateway-event.ts'
import { createTableHandlers } from '../requests/table-handlers.ts'

// The functions of orders in a process of its own, which a test can kill: it answers the request of its first message.
const service = createService(loadConfig())
const handlers = createTableHandlers(importRegistry, () => service)

process.once('message', async (message) => {
  const { event, endpoint } = gatewayEvent(message as Parameters<typeof gatewayEvent>[0])
  const handler = handlers[endpoint as keyof typeof handlers]
  const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 29_000 } as Context)
  process.send?.({ status: statusCode })
})
process.send?.('ready')
