/** An answer of the API or of the control routes. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const LIMIT_MS = 35_000;

/** Sends JSON, gets JSON. */
export async function send(url: string, request: Request = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = request;
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** The body of an answer that has the status it must have. */
export function expectStatus(answer: Answer, status: number, what: string): unknown {
  if (answer.status === status) return answer.body;
  throw new Surprise(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** Something the demo shows did not happen as it must; its message says what. */
export class Surprise extends Error {}

export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Surprise(otherwise);
}
