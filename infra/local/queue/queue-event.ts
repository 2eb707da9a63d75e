import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { localAccount } from '../local-account.ts'
import { queueArn } from './queue-definition.ts'

/** The event with which Lambda hands messages of a queue to a function. */
export function queueEvent(queueUrl: string, messages: readonly Message[]): SQSEvent {
  const eventSourceARN = queueArn(new URL(queueUrl).pathname.split('/').at(-1) ?? '')
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId ?? '',
      receiptHandle: message.ReceiptHandle ?? '',
      body: message.Body ?? '',
      attributes: recordAttributes(message),
      messageAttributes: Object.fromEntries(
        Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, recordAttribute(value)]),
      ),
      md5OfBody: message.MD5OfBody ?? '',
      ...(message.MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
      eventSource: 'aws:sqs',
      eventSourceARN,
      awsRegion: localAccount.region,
    })),
  }
}

type RecordAttributes = SQSEvent['Records'][number]['attributes']

const recordAttributes = ({ Attributes = {} }: Message): RecordAttributes => ({
  ApproximateReceiveCount: '1',
  ApproximateFirstReceiveTimestamp: '0',
  SentTimestamp: '0',
  SenderId: localAccount.id,
  ...Attributes,
})

const recordAttribute = ({ DataType, StringValue, BinaryValue }: MessageAttributeValue) => ({
  dataType: DataType ?? 'String',
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
})
