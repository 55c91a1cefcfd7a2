import { LonghaulClient } from '../../client/index.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Options of every command that talks to the API. */
export const API_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

interface ApiValues {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** The API that `--url` or LONGHAUL_URL names, with the key of `--key` or LONGHAUL_KEY. */
export function openApi({ url, key }: ApiValues, { env, fetch }: Terminal): LonghaulClient {
  const baseUrl = given(url ?? env.LONGHAUL_URL);
  const apiKey = given(key ?? env.LONGHAUL_KEY);
  const missing = [
    ...(baseUrl === undefined
      ? [
          "the URL of the API is missing: set LONGHAUL_URL to the stack's output ApiUrl, or give --url",
        ]
      : []),
    ...(apiKey === undefined
      ? [
          'the API key is missing: set LONGHAUL_KEY to what `longhaul keys create` showed, or give --key',
        ]
      : []),
  ];
  if (baseUrl === undefined || apiKey === undefined) throw new UsageError(missing.join('\n'));
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) {
    throw new UsageError(
      `the URL of the API is ${JSON.stringify(baseUrl)}: give it with https:// and its stage, like https://….amazonaws.com/v1`,
    );
  }
  // Nothing of it is shown: it may be a key with a slip in it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError('the API key has characters no key has');
  return new LonghaulClient({ baseUrl, apiKey, ...(fetch && { fetch }) });
}

function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
