import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { REGION } from '../template/identity.ts';

/** The group is a system attribute on AWS; the emulator returns only the message attribute that repeats it. */
const GROUP_ATTRIBUTE = 'MessageGroupId';

/** A received message as Lambda puts it into the event. */
export function sqsRecord(message: Message, queueArn: string) {
  const group = message.MessageAttributes?.[GROUP_ATTRIBUTE]?.StringValue;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...message.Attributes,
      ...(group !== undefined && { MessageGroupId: group }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        attribute(value),
      ]),
    ),
    ...(message.MD5OfMessageAttributes !== undefined && {
      md5OfMessageAttributes: message.MD5OfMessageAttributes,
    }),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

export type SqsRecord = ReturnType<typeof sqsRecord>;

function attribute({ BinaryValue, DataType, StringValue }: MessageAttributeValue) {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType ?? 'String',
  };
}
