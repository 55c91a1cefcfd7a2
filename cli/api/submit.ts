import { parseArgs } from 'node:util';
import type { Submission, SubmittedJob } from '../../client/index.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly, timeoutOf } from './arguments.ts';
import { JOB_OPTIONS, jobFieldsOf } from './job-options.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { INPUT_OPTIONS, readJson } from './read-json.ts';
import { showResult } from './show-result.ts';
import { watchJob } from './watch-job.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  ...API_OPTIONS,
  ...INPUT_OPTIONS,
  'input-ref': text,
  'idempotency-key': text,
  ...JOB_OPTIONS,
  delay: text,
  'start-at': text,
  timeout: text,
  wait: flag,
  watch: flag,
} as const;

type Values = ReturnType<typeof parse>['values'];

/** `submit` */
export async function submit(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = parse(args);
  const [agent] = exactly(positionals, ['<agent>']);
  const timeoutMs = timeoutOf(values.timeout);
  const fields = fieldsOf(values);
  const client = openApi(values, terminal);
  const input = await inputOf(values, terminal);
  const options = { ...(terminal.signal && { signal: terminal.signal }) };
  const job = await client.submit({ agent, ...fields, ...input }, options);
  if (!values.wait && !values.watch) {
    terminal.out(values.json ? JSON.stringify(job) : job.jobId);
    noteAccepted(job, terminal);
    return undefined;
  }
  const { jobId } = job;
  noteAccepted(job, terminal);
  const waiting = { jobId, json: values.json, ...(timeoutMs !== undefined && { timeoutMs }) };
  if (values.watch) return watchJob(client, waiting, terminal);
  const ended = await client.wait(jobId, { ...options, ...waiting });
  return showResult(client, ended, { json: values.json }, terminal);
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}

function noteAccepted({ jobId, status, replayed }: SubmittedJob, terminal: Terminal): void {
  const again = replayed ? ', submitted before under the same key' : '';
  terminal.note(`job ${jobId} is ${status}${again}: longhaul watch ${jobId}`);
}

async function inputOf(
  values: Values,
  terminal: Terminal,
): Promise<{ input: unknown } | { inputRef: { uploadId: string } }> {
  const uploadId = values['input-ref'];
  if (uploadId === undefined) {
    return { input: JSON.parse(await readJson(values, terminal)) as unknown };
  }
  if (values.input !== undefined || values['input-file'] !== undefined) {
    throw new UsageError('--input-ref stands instead of --input and --input-file');
  }
  return { inputRef: { uploadId } };
}

function fieldsOf(values: Values): Omit<Submission, 'agent' | 'input' | 'inputRef'> {
  const { delay, 'start-at': startAt, 'idempotency-key': idempotencyKey } = values;
  return {
    ...jobFieldsOf(values),
    ...(delay !== undefined && { delay }),
    ...(startAt !== undefined && { startAt }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}
