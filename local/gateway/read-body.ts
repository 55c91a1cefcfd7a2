import type { IncomingMessage } from 'node:http';

/** The body as text, or undefined when it is over the limit; what is left of that one is read and dropped. */
export async function readBody(
  message: IncomingMessage,
  limitBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= limitBytes) chunks.push(chunk);
  }
  return sizeBytes <= limitBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}
