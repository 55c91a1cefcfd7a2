import { format } from 'prettier';
import { openapiDocument } from './document.ts';

/** The document as it is committed. */
export function openapiText(version: string): Promise<string> {
  return format(JSON.stringify(openapiDocument(version)), { parser: 'json', printWidth: 100 });
}
