/** Replaces `fetch` by one that loses answers and cuts streams as an unkind network does. */
export interface UnkindNetwork {
  readonly fetch: typeof globalThis.fetch;
  /** Streams that were cut so far. */
  cuts(): number;
  /** Answers that were lost so far. */
  losses(): number;
}

export interface Unkindness {
  /** Streams to cut, each after a chunk or two, in the middle of one. */
  readonly cuts?: number;
  /** Answers of POST requests to lose, after the API has done what was asked. */
  readonly losses?: number;
}

export function unkindNetwork({ cuts = 0, losses = 0 }: Unkindness): UnkindNetwork {
  let [cutsLeft, lossesLeft] = [cuts, losses];
  return {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'POST' && lossesLeft > 0) {
        lossesLeft -= 1;
        await response.arrayBuffer();
        throw new TypeError('fetch failed', { cause: new Error('the answer was lost') });
      }
      const { body } = response;
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (isStream !== true || body === null || cutsLeft === 0) return response;
      cutsLeft -= 1;
      return new Response(body.pipeThrough(cutting()), response);
    },
    cuts: () => cuts - cutsLeft,
    losses: () => losses - lossesLeft,
  };
}

/** Lets between one and 600 bytes through, then breaks. */
function cutting(): TransformStream<Uint8Array, Uint8Array> {
  let left = 1 + Math.floor(Math.random() * 600);
  return new TransformStream({
    transform: (chunk: Uint8Array, controller) => {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left <= 0) controller.error(new Error('the connection was cut'));
    },
  });
}
