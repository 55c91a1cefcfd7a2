import {
  type DeadLetterFilters,
  type FoundDeadLetter,
  listDeadLetters,
  type ListDeadLettersDeps,
} from '../../src/core/commands/list-dead-letters.ts';
import {
  redriveDeadLetter,
  type RedriveOutcome,
} from '../../src/core/commands/redrive-dead-letter.ts';
import {
  tidyDeadLetters,
  type TidyDeps,
  type TidyReport,
} from '../../src/core/commands/tidy-dead-letters.ts';
import type { DutyDeps } from '../../src/core/engine/duties.ts';
import type { Job } from '../../src/core/job/job.ts';
import {
  type RedriveRepresentation,
  type RedriveRequest,
  redriveRequestSchema,
} from '../../src/protocol/dead-letters.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { agentFault } from './agent-refused.ts';
import { type Caller, callerOf, requireScope } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import { restartFault } from './command-refusals.ts';
import type { CursorSeal } from './cursor-seal.ts';
import { deadLettersOf, placeOf } from './dead-letter-cursor.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { jsonBodyOf } from './json-body.ts';
import { routeOf } from './route-of.ts';

export type RedriveDeps = DutyDeps &
  ListDeadLettersDeps &
  TidyDeps & { readonly cursors: CursorSeal };

const BODY = {
  limitBytes: LIMITS.commandBytes,
  advice: 'name up to 100 jobs, or all with filters',
};

/** Jobs that are restarted side by side: each loads its history, which may take 64 MB. */
const AT_ONCE = 4;
/** What a request leaves of its time for the queue and the answer. */
const RESERVE_MS = 12_000;
/** Looks at the queue of one request; what they do not find the sweeper does. */
const MAX_RECEIVES = 10;

/** `POST /dead-letters/redrive` */
export function redriveRoute(deps: RedriveDeps): Serve {
  return async (request) => {
    const { event, note } = request;
    const caller = callerOf(event);
    note({ tenantId: caller.tenantId });
    requireScope(caller, routeOf('redriveDeadLetters'));
    const asked = checkedBody(redriveRequestSchema, jsonBodyOf(event, BODY));
    const done = asked.jobIds
      ? await redriveSome(deps, request, { caller, asked, jobIds: [...new Set(asked.jobIds)] })
      : await redriveAll(deps, request, { caller, asked });
    const isAnyGone = done.outcomes.some(({ outcome }) => outcome.endsWith('redriven'));
    const queue = isAnyGone ? await tidy(deps) : undefined;
    const body: RedriveRepresentation = { ...done, ...(queue !== undefined && { queue }) };
    note({ redriven: done.outcomes.filter(({ outcome }) => outcome === 'redriven').length });
    return { status: 200, body };
  };
}

interface Asked {
  readonly caller: Caller;
  readonly asked: RedriveRequest;
}

async function redriveSome(
  deps: RedriveDeps,
  request: HttpRequest,
  { jobIds, ...of }: Asked & { readonly jobIds: readonly string[] },
): Promise<RedriveRepresentation> {
  const outcomes = await redrive(deps, request, { ...of, jobIds });
  return { outcomes, more: outcomes.length < jobIds.length };
}

async function redriveAll(
  deps: RedriveDeps,
  request: HttpRequest,
  of: Asked,
): Promise<RedriveRepresentation> {
  const { tenantId } = of.caller;
  const { agent, code, limit = LIMITS.pageRows, cursor } = of.asked;
  const filters: DeadLetterFilters = {
    ...(agent !== undefined && { agent }),
    ...(code !== undefined && { code }),
  };
  const boundTo = deadLettersOf(tenantId, filters);
  const page = await listDeadLetters(deps, {
    tenantId,
    filters,
    limit,
    ...(cursor !== undefined && { after: await placeOf(deps.cursors, boundTo, cursor) }),
  });
  const { found } = page;
  const jobIds = found.map(({ job }) => job.jobId);
  const outcomes = await redrive(deps, request, { ...of, jobIds });
  const last: FoundDeadLetter | undefined = found[outcomes.length - 1];
  const next = outcomes.length < jobIds.length ? last?.position : page.next;
  return {
    outcomes,
    more: next !== undefined,
    ...(next !== undefined && { next: await deps.cursors.seal(boundTo, next) }),
  };
}

/** Outcomes of the first of the jobs, as many as there is time for; of one group at least. */
async function redrive(
  deps: RedriveDeps,
  { context }: HttpRequest,
  { caller, asked, jobIds }: Asked & { readonly jobIds: readonly string[] },
): Promise<RedriveOutcome[]> {
  const { tenantId } = caller;
  const { hint } = asked;
  const refusal = (job: Job) => agentFault(caller, job.agent) ?? restartFault(job, hint);
  const outcomes: RedriveOutcome[] = [];
  do {
    const group = jobIds.slice(outcomes.length, outcomes.length + AT_ONCE);
    const commands = group.map((jobId) => ({
      jobId,
      tenantId,
      refusal,
      ...(hint !== undefined && { hint }),
    }));
    outcomes.push(...(await Promise.all(commands.map((one) => redriveDeadLetter(deps, one)))));
  } while (outcomes.length < jobIds.length && context.getRemainingTimeInMillis() > RESERVE_MS);
  return outcomes;
}

/** The redrive is done; what this leaves in the queue the sweeper removes. */
async function tidy(deps: RedriveDeps): Promise<TidyReport | undefined> {
  try {
    return await tidyDeadLetters(deps, { maxReceives: MAX_RECEIVES });
  } catch (error) {
    deps.telemetry.log('warn', 'the dead-letter queue could not be tidied', { error });
    return undefined;
  }
}
