import type { JobUpdate, UpdateResult } from '../../core/job/item-update.ts';
import type { Job } from '../../core/job/job.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { applyUpdate, holds } from './apply-update.ts';
import { ExpiringMap } from './expiring-map.ts';
import { frozenCopy } from './frozen-copy.ts';

interface Text {
  readonly json: string;
  readonly expiresAtSeconds: number;
}

type ResultName = Pick<Job, 'jobId' | 'generation' | 'epoch'>;

/** Job items, and the inputs and results that have items of their own. */
export class JobItems {
  readonly #jobs: ExpiringMap<Job>;
  readonly #inputs: ExpiringMap<Text>;
  readonly #results: ExpiringMap<Text>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#jobs = new ExpiringMap(clock);
    this.#inputs = new ExpiringMap(clock);
    this.#results = new ExpiringMap(clock);
  }

  create(job: Job, inputJson?: string): { created: true } | { created: false; existing: Job } {
    if (inputJson !== undefined) {
      const { expiresAtSeconds } = job;
      this.#inputs.set(inputName(job), { json: inputJson, expiresAtSeconds });
    }
    const existing = this.#jobs.get(job.jobId);
    if (existing !== undefined) return { created: false, existing };
    this.#jobs.set(job.jobId, frozenCopy(job));
    return { created: true };
  }

  get(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  update(jobId: string, update: JobUpdate): UpdateResult {
    const stored = this.#jobs.get(jobId);
    if (stored === undefined || !holds(update.condition, stored)) {
      return { applied: false, job: stored };
    }
    const job = frozenCopy(applyUpdate(stored, update));
    this.#jobs.set(jobId, job);
    return { applied: true, job };
  }

  all(): Job[] {
    return this.#jobs.values();
  }

  getInput(job: Pick<Job, 'jobId' | 'fingerprint'>): string | undefined {
    return this.#inputs.get(inputName(job))?.json;
  }

  putResult(result: Text & ResultName): void {
    const { json, expiresAtSeconds } = result;
    this.#results.set(resultName(result), { json, expiresAtSeconds });
  }

  getResult(job: ResultName): string | undefined {
    return this.#results.get(resultName(job))?.json;
  }
}

function resultName({ jobId, generation, epoch }: ResultName): string {
  return `${jobId}#${generation}#${epoch}`;
}

function inputName(job: Pick<Job, 'jobId' | 'fingerprint'>): string {
  return `${job.jobId}#${job.fingerprint}`;
}
