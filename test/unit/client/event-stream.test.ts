import { describe, expect, it } from '@jest/globals';
import { readEventStream } from '../../../client/event-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function bodyOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
  });
}

const OPTIONS = { silenceMs: 50, onRetry: () => undefined, onComment: () => undefined };

async function read(body: ReadableStream<Uint8Array>, count: number): Promise<string[]> {
  const data: string[] = [];
  for await (const message of readEventStream(body, OPTIONS)) {
    data.push(message.data);
    if (data.length === count) break;
  }
  return data;
}

describe('an event stream', () => {
  it('is read whatever the network makes of its bytes', async () => {
    const text = bytes('id: 1\ndata: größer\n\nid: 2\r\ndata: 二\r\n\r\n');
    const single = Array.from(text, (_, at) => text.subarray(at, at + 1));

    expect(await read(bodyOf(...single), 2)).toEqual(['größer', '二']);
    expect(await read(bodyOf(text), 2)).toEqual(['größer', '二']);
  });

  it('is dead when not even a heartbeat comes', async () => {
    await expect(read(bodyOf(bytes('data: 1\n\n')), 2)).rejects.toThrow('not even a heartbeat');
  });

  it('ends at once for a caller who has had enough before', async () => {
    const reason = new Error('enough');
    const options = { ...OPTIONS, signal: AbortSignal.abort(reason) };
    await expect(readEventStream(bodyOf(), options).next()).rejects.toBe(reason);
  });
});
