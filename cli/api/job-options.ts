import type { Notify, Submission } from '../../client/index.ts';
import { UsageError } from '../usage-error.ts';
import { countOf } from './arguments.ts';

const text = { type: 'string' } as const;

/** What may be said of a job beside its agent and its input, be it submitted now or by a schedule. */
export const JOB_OPTIONS = {
  metadata: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  'max-steps': text,
  'max-duration': text,
  notify: text,
  'notify-on': text,
} as const;

interface Values {
  readonly metadata?: string[] | undefined;
  readonly tag?: string[] | undefined;
  readonly 'max-steps'?: string | undefined;
  readonly 'max-duration'?: string | undefined;
  readonly notify?: string | undefined;
  readonly 'notify-on'?: string | undefined;
}

/** @throws UsageError for what is not of the form that a field has */
export function jobFieldsOf(
  values: Values,
): Pick<Submission, 'metadata' | 'tags' | 'limits' | 'notify'> {
  const { tag, metadata, 'max-steps': maxSteps, 'max-duration': maxDuration } = values;
  const limits = {
    ...(maxSteps !== undefined && { maxSteps: countOf('--max-steps', maxSteps, 1_000_000) }),
    ...(maxDuration !== undefined && { maxDuration }),
  };
  return {
    ...(metadata !== undefined && { metadata: metadataOf(metadata) }),
    ...(tag !== undefined && { tags: tag }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...notifyOf(values),
  };
}

function notifyOf({ notify: url, 'notify-on': events }: Values): { notify?: Notify } {
  if (url === undefined) {
    if (events !== undefined) throw new UsageError('--notify-on says when, but --notify no URL');
    return {};
  }
  if (events === undefined) return { notify: { url } };
  // The API knows which there are, and says so.
  const names = events.split(',').map((name) => name.trim()) as NonNullable<Notify['events']>;
  return { notify: { url, events: names } };
}

function metadataOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)] as const;
      throw new UsageError(`--metadata is ${JSON.stringify(pair)}: give name=value`);
    }),
  );
}
