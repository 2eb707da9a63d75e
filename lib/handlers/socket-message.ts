import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { readBody } from '../http/incoming.ts'
import { processService, type Service } from '../http/service.ts'
import { isObject } from '../table/unknown-body.ts'
import type { SocketHandler } from './socket-handlers.ts'
import { type QuestionHandler, replyToMessage, type SocketEvent } from './socket-reply.ts'

type Questions = Readonly<Record<string, QuestionHandler>>

/**
 * `$default`: passes a message to the handler of its `event`, or of its only key: `{"subscribe": {…}}` says the same as
 * `{"event": "subscribe", …}`. Anything else is answered by an `error` event in the shape of every failure.
 */
export const socketMessage =
  (questions: Questions, service: () => Service = processService): SocketHandler =>
  (event) => {
    try {
      const { handler, message } = findHandler(questions, event)
      return handler(event, message)
    } catch (error) {
      return replyToMessage(service(), event, {
        name: 'socketMessage',
        undelivered: 'the refusal of a message did not arrive',
        write: () => Promise.reject(error),
      })
    }
  }

function findHandler(questions: Questions, event: SocketEvent) {
  const { name, message } = readMessage(questions, event)
  const handler = typeof name === 'string' && Object.hasOwn(questions, name) ? questions[name] : undefined
  if (handler !== undefined) return { handler, message }
  const options = listOptions(Object.keys(questions))
  throw validationFailed({ event: [name === undefined ? fieldFault('required') : options] })
}

function readMessage(questions: Questions, { body, isBase64Encoded }: SocketEvent) {
  const sent = readBody({ body: body ?? '', headers: {}, isBase64Encoded })
  const [key = '', ...others] = Object.keys(sent)
  if (others.length > 0 || !Object.hasOwn(questions, key)) {
    const { event: name, ...message } = sent
    return { name, message }
  }
  const message = sent[key]
  if (!isObject(message)) throw validationFailed({ [key]: [fieldFault('not_an_object')] })
  return { name: key, message }
}
