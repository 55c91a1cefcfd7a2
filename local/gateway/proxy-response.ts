/** What a client gets. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

/** API Gateway sets these itself and passes on the function's own under another name. */
const REMAPPED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'server',
  'te',
  'trailer',
  'upgrade',
  'user-agent',
  'via',
  'www-authenticate',
]);

/** The answer in the result of a proxy integration; undefined when it is malformed, which the client sees as 502. */
export function proxyResponse(payload: string): GatewayAnswer | undefined {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  const { body = '', isBase64Encoded = false, ...head } = result as Record<string, unknown>;
  const parsed = responseHead(head);
  if (!parsed || typeof isBase64Encoded !== 'boolean') return undefined;
  if (body !== null && typeof body !== 'string') return undefined;
  return {
    ...parsed,
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

/** Status and headers, of a buffered result or of the metadata of a streamed one. */
export function responseHead(
  head: Readonly<Record<string, unknown>>,
): Omit<GatewayAnswer, 'body'> | undefined {
  const { statusCode, headers = {}, multiValueHeaders = {} } = head;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  const single = headerValues(headers, isScalar);
  const multiple = headerValues(multiValueHeaders, Array.isArray);
  if (!single || !multiple) return undefined;
  return {
    status,
    headers: { 'content-type': 'application/json', ...single, ...multiple },
  };
}

function headerValues(headers: unknown, isValue: (value: unknown) => boolean) {
  if (headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers)) return undefined;
  const entries = Object.entries(headers as Record<string, unknown>);
  if (!entries.every(([, value]) => isValue(value))) return undefined;
  return Object.fromEntries(
    entries.map(([name, value]) => [
      outgoingName(name.toLowerCase()),
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );
}

const outgoingName = (name: string) => (REMAPPED.has(name) ? `x-amzn-remapped-${name}` : name);

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
