import { defineRegistry } from '../src/agent/index.ts';
import { greet } from './greet.ts';
import { summarizeDocument } from './summarize-document.ts';

/** The agents of this deployment. */
export const registry = defineRegistry(greet, summarizeDocument);
