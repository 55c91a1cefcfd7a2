import type { Agent, AgentRegistry } from '../../agent/index.ts';
import { canonicalJson } from '../job/canonical-json.ts';
import type { Job } from '../job/job.ts';
import type { PayloadRef } from '../job/stored-value.ts';
import { newJobId } from '../job/job-id.ts';
import type { JobNotify } from '../notify/job-notify.ts';
import type { Clock } from '../ports/clock.ts';
import { LIMITS } from '../policy/limits.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import { type AskedTerms, termFaults } from './job-terms.ts';
import { readUploadedInput, type UploadFault } from './uploaded-input.ts';
import { type InputFault, inputFaults } from './input-faults.ts';

export type { InputFault } from './input-faults.ts';

/** What a caller asks for, its form already checked. */
export interface Submission extends AskedTerms {
  readonly tenantId: string;
  readonly agent: string;
  /** Of no account when there is an `uploadId`. */
  readonly input?: unknown;
  /** Where the tenant has uploaded the input. */
  readonly uploadId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly notify?: JobNotify;
  /** Whether the tenant has endpoints of its own now. No part of the fingerprint: the caller did not ask for it. */
  readonly notifyTenant?: boolean;
  readonly idempotencyKey?: string;
  readonly traceparent?: string;
  /** Agents that the tenant may submit to; absent: all. A sub-job is the affair of the agent that spawns it. */
  readonly allowedAgents?: readonly string[];
  /** Present when a job asks and not a client. */
  readonly child?: ChildSubmission;
}

/** What a sub-job has from the job that spawns it. */
export interface ChildSubmission {
  /** Derived from the spawn, so that it makes one job however often it is repeated. */
  readonly jobId: string;
  readonly parentId: string;
  readonly depth: number;
  /** The parent's: a sub-job has no more time than is left of it. */
  readonly deadlineAt: number;
  readonly expiresAtSeconds: number;
}

/** A submission that may become a job. */
export interface CheckedSubmission extends Submission {
  readonly definition: Agent;
  /** SHA-256 of the canonical submission: two submissions with the same one ask for the same. */
  readonly fingerprint: string;
  /** The input as it is to be kept; empty when its upload is copied. */
  readonly inputJson: string;
  /** The object that holds the input, when it was uploaded. */
  readonly upload?: PayloadRef;
  /** The job that this very submission made before; its upload may be gone. */
  readonly existing?: Job;
}

export type SubmissionCheck =
  | { readonly valid: true; readonly submission: CheckedSubmission }
  | {
      readonly valid: false;
      readonly code: 'unknown_agent' | 'agent_not_allowed';
      /** Those that this tenant may submit to. */
      readonly knownAgents: readonly string[];
    }
  | {
      readonly valid: false;
      readonly code: 'invalid_limits';
      /** From the root of the submission. */
      readonly faults: readonly InputFault[];
    }
  | {
      readonly valid: false;
      readonly code: 'invalid_input';
      readonly faults: readonly InputFault[];
    }
  | UploadFault;

export interface CheckDeps {
  readonly agents: AgentRegistry;
  readonly ids: IdSource;
  readonly clock: Pick<Clock, 'now'>;
  readonly payloads: Pick<PayloadStore, 'readUpload'>;
  readonly jobs: Pick<JobStore, 'getJob'>;
}

/** Checks a submission against the agents of this deployment. */
export async function checkSubmission(
  deps: CheckDeps,
  submission: Submission,
): Promise<SubmissionCheck> {
  const { agent, allowedAgents } = submission;
  const knownAgents = agentsFor(deps.agents, allowedAgents);
  // First of all, so that a tenant does not learn which other agents there are.
  if (allowedAgents?.includes(agent) === false) {
    return { valid: false, code: 'agent_not_allowed', knownAgents };
  }
  const definition = deps.agents.get(agent);
  if (definition === undefined) return { valid: false, code: 'unknown_agent', knownAgents };
  const terms = termFaults(submission, definition, deps.clock.now());
  if (terms.length > 0) return { valid: false, code: 'invalid_limits', faults: terms };
  if (submission.uploadId !== undefined) {
    const { uploadId } = submission;
    return checkUploaded(deps, { ...submission, uploadId }, definition);
  }
  const { input } = submission;
  if (input === undefined) return { valid: false, code: 'invalid_input', faults: [NO_INPUT] };
  // A schema may transform what it is given; the job keeps what the caller sent.
  const faults = await inputFaults(definition, structuredClone(input));
  if (faults.length > 0) return { valid: false, code: 'invalid_input', faults };
  const fingerprint = fingerprintOf(deps, submission, { input });
  const inputJson = JSON.stringify(input);
  return { valid: true, submission: { ...submission, definition, fingerprint, inputJson } };
}

/** A schema may take it; there is no JSON of it that the job could keep. */
const NO_INPUT: InputFault = { path: [], message: 'there is no input: give null or {}' };

function agentsFor(agents: AgentRegistry, allowed: Submission['allowedAgents']): string[] {
  return [...agents.keys()].filter((name) => allowed?.includes(name) ?? true).sort();
}

/** The same bytes uploaded anew are the same submission: whoever starts all over gets the same job. */
async function checkUploaded(
  deps: CheckDeps,
  submission: Submission & { readonly uploadId: string },
  definition: Agent,
): Promise<SubmissionCheck> {
  const { tenantId, uploadId, idempotencyKey } = submission;
  const reading = await readUploadedInput(deps, { tenantId, uploadId, agent: definition });
  const checked = (upload: PayloadRef, inputJson: string): CheckedSubmission => {
    const { sizeBytes, sha256 } = upload;
    const fingerprint = fingerprintOf(deps, submission, { inputRef: { sizeBytes, sha256 } });
    return { ...submission, definition, fingerprint, inputJson, upload };
  };
  if (reading.valid) {
    const { upload, inputJson } = reading;
    // Whoever checks many at once must not hold the text of them all.
    const isCopied = upload.sizeBytes > LIMITS.inlineBytes;
    return { valid: true, submission: checked(upload, isCopied ? '' : inputJson) };
  }
  if (reading.code !== 'upload_missing' || reading.upload === undefined) return reading;
  if (idempotencyKey === undefined) return reading;
  // An upload is kept for days, and the key for as long as the job.
  const asBefore = checked(reading.upload, '');
  const existing = await deps.jobs.getJob(newJobId(deps.ids, tenantId, idempotencyKey));
  const isSame = existing?.tenantId === tenantId && existing.fingerprint === asBefore.fingerprint;
  return isSame ? { valid: true, submission: { ...asBefore, existing } } : reading;
}

function fingerprintOf(
  { ids }: Pick<CheckDeps, 'ids'>,
  { agent, metadata, tags, notify, limits, start }: Submission,
  input: { readonly input: unknown } | { readonly inputRef: unknown },
): string {
  return ids.sha256(canonicalJson({ agent, ...input, metadata, tags, notify, limits, start }));
}
