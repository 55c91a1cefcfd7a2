/** Writes the OpenAPI document that the API serves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openapiText } from './openapi/openapi-text.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };
const target = fileURLToPath(new URL('../src/protocol/openapi.json', import.meta.url));

writeFileSync(target, await openapiText(version));
console.log(`wrote ${target}`);
