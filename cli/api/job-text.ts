import type { Job } from '../../client/index.ts';
import { duration, progressText } from './event-text.ts';
import { indented, printable } from './printable.ts';

/** A job for a person: what is there to be said of it, one fact per line. */
export function jobText(job: Job): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['job', job.jobId],
    ['agent', job.agent],
    ['status', statusText(job)],
    ['progress', job.progress && progressText(job.progress)],
    ['error', job.error && errorText(job.error)],
    ['created', job.createdAt],
    ['took', tookText(job)],
    ['attempts', String(job.attempts)],
    ['generation', job.generation > 1 ? String(job.generation) : undefined],
    ['parent', job.parentId],
    ['fork of', job.forkOf],
    ['tags', job.tags?.join(', ')],
    ['metadata', job.metadata && JSON.stringify(job.metadata)],
  ];
  const lines = facts.flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : `${name.padEnd(10)}  ${printable(text)}`,
  );
  return [...lines, ...resultLines(job)].join('\n');
}

/** One job of a list. */
export function jobLine(job: Job): string {
  const { jobId, agent, status, createdAt, tags = [] } = job;
  const columns = [jobId, status.padEnd(9), createdAt, agent, ...tags.map((tag) => `#${tag}`)];
  return printable(columns.join('  '));
}

/** `waiting for the signal decision until …`, `running` */
export function statusText({ status, waitingFor, paused, cancelRequestedAt }: Job): string {
  const reason = waitingFor?.reason;
  const named = waitingFor?.name === undefined ? '' : ` ${waitingFor.name}`;
  const until = waitingFor?.until === undefined ? '' : ` until ${waitingFor.until}`;
  return [
    status === 'waiting' && reason !== undefined ? `waiting: ${reason}${named}${until}` : status,
    ...(paused === true ? ['paused'] : []),
    ...(cancelRequestedAt === undefined ? [] : [`cancel asked for at ${cancelRequestedAt}`]),
  ].join(', ');
}

function errorText({ code, message, step, attempt }: NonNullable<Job['error']>): string {
  const where = step === undefined ? '' : ` in step ${step}`;
  return `${code}${where}, attempt ${attempt}: ${message}`;
}

function tookText({ startedAt, finishedAt }: Job): string | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return duration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function resultLines({ jobId, result, resultUrl }: Job): string[] {
  if (resultUrl !== undefined) {
    return [`result      is large: longhaul get ${jobId} --result`];
  }
  return result === undefined ? [] : ['result', indented(result)];
}
