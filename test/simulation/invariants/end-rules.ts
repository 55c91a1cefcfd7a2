import { beginOf, isFinal, type Job } from '../../../src/core/job/job.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
import type { StoredValue } from '../../../src/core/job/stored-value.ts';
import type { AgentInput } from '../agents/interpret.ts';
import { CLEAN_UP, seenKey } from '../agents/bind.ts';
import { countIds, stepsOf } from '../agents/index-plan.ts';
import type { AgentSpec } from '../agents/spec.ts';
import type { World } from '../world/world.ts';
import { checkCommands } from './command-rules.ts';
import { checkNotifications } from './notification-rules.ts';
import { checkFork } from './fork-rules.ts';
import { askOracle, askOracleOfCleanUp, type OracleSubject, type Verdict } from './oracle.ts';
import { referenceFold, type ReferenceView, viewOf } from './reference-fold.ts';

const DAY_MS = 86_400_000;

/** What is known of a job: the versions of its agent, and what its journal says. */
interface Known {
  readonly versions: readonly AgentSpec[];
  readonly view: ReferenceView;
}

/** What must hold when the world has drained. */
export async function checkEnd(world: World): Promise<void> {
  checkDrained(world);
  checkLetters(world);
  await checkListed(world);
  checkChildren(world);
  checkNotifications(world);
  checkCommands(world);
  for (const job of world.jobs) {
    if (world.violation === undefined && isFinal(job.status)) await checkJob(world, job);
  }
}

function checkDrained(world: World): void {
  const { jobs, ledger, queue, violate, storage, scheduler } = world;
  for (const jobId of ledger.accepted) {
    if (!storage.jobs.has(jobId)) violate('I1', `${jobId} was accepted and is not there`);
  }
  for (const job of jobs) {
    if (!isFinal(job.status)) {
      const { jobId, status, waitingFor = '', generation, dueAt } = job;
      const left =
        dueAt === undefined ? 'never' : `in ${Math.round((dueAt - scheduler.now) / 1_000)} s`;
      violate(
        'I1',
        `${jobId} is still ${status} ${waitingFor} (generation ${generation}, due ${left}, ${scheduler.count} events)`,
      );
    }
    if (job.duties !== undefined) violate('I6', `${job.jobId} still owes ${job.duties.join()}`);
  }
  if (queue.deadLetters.length < ledger.poison)
    violate(
      'I7',
      `${ledger.poison} unreadable messages, ${queue.deadLetters.length} in the dead-letter queue`,
    );
}

function checkLetters({ ledger, violate }: World): void {
  const sent = new Set(ledger.letters.map(({ jobId, generation }) => `${jobId} g${generation}`));
  for (const [jobId, finals] of ledger.finals) {
    for (const [generation, job] of finals) {
      if (job.deadLettered === true && !sent.has(`${jobId} g${generation}`))
        violate('I7', `generation ${generation} of ${jobId} has no dead letter`);
    }
  }
}

/** Whatever was given up and not restarted is in the list of its tenant; what else is there a reader leaves out. */
async function checkListed({ jobs, storage, violate }: World): Promise<void> {
  const listed = new Set<string>();
  for (const tenantId of new Set(jobs.map((job) => job.tenantId))) {
    const { entries } = await storage.store.listDeadLetters({ tenantId, limit: jobs.length });
    for (const { jobId } of entries) listed.add(jobId);
  }
  for (const { jobId, deadLettered, generation } of jobs) {
    if (deadLettered === true && !listed.has(jobId))
      violate('I7', `generation ${generation} of ${jobId} is a dead letter and not listed`);
  }
}

/** One spawn makes one job, however often it is replayed. */
function checkChildren({ ledger, violate }: World): void {
  for (const [spawn, children] of ledger.children) {
    if (children.size > 1) violate('I2', `spawn ${spawn} made ${children.size} sub-jobs`);
  }
}

async function checkJob(world: World, job: Job): Promise<void> {
  const { storage, ledger, violate } = world;
  const versions = world.versionsOf(job.agent);
  const pages = storage.pages.get(job.jobId) ?? [];
  const numberOf = (page: JournalPage): number => ledger.pageNumbers.get(page) ?? 0;
  const view = viewOf(job, pages, numberOf);
  checkJournal(world, job, pages);
  for (const fault of view.faults) violate('I2', `${job.jobId}: ${fault}`);
  checkDecisions(world, job, { versions, view });
  checkNoRepetition(world, job, (generation) =>
    generation === job.generation
      ? view
      : referenceFold(pages, { generation, cuts: job.cuts ?? [] }, numberOf),
  );
  checkFork(world, job, numberOf);
  checkSteps(world, job, { versions, view });
  await checkOutcome(world, job, { versions, view });
}

/** What an agent's version makes of the journal, and what it must have seen. */
async function subjectOf(
  world: World,
  job: Job,
  { spec, view }: { spec: AgentSpec; view: ReferenceView },
): Promise<OracleSubject> {
  const { ledger, violate } = world;
  const { jobId, generation } = job;
  const saw = (path: string, outcome: unknown): void => {
    const first = ledger.seen.get(seenKey({ jobId, generation, path }, spec));
    if (first !== undefined && first !== JSON.stringify(outcome))
      violate(
        'I2',
        `${jobId} saw another outcome of ${path} than its journal has: ${first.slice(0, 80)}`,
      );
  };
  const valueOf = (stored: StoredValue): Promise<unknown> => readStored(world, job, stored);
  const input = (await readStored(world, job, job.input)) as AgentInput;
  return { spec, job, input, view, valueOf, saw };
}

/** No job records more steps than its agent allows. */
function checkSteps({ violate }: World, job: Job, { versions, view }: Known): void {
  const [spec] = versions;
  const steps = stepsOf(versions);
  const own = [...view.decisions.values()].filter(
    ({ path, kind }) => !path.startsWith(CLEAN_UP) && kind !== 'spawn' && steps.has(path),
  );
  if (own.length > (spec?.maxSteps ?? 0))
    violate('limits', `${job.jobId} has ${own.length} steps, ${spec?.maxSteps ?? 0} are allowed`);
}

/** The first final entry of a generation decides, and a spawn makes the sub-job of its own generation. */
function checkJournal({ ledger, violate }: World, job: Job, pages: readonly JournalPage[]): void {
  for (const page of [...pages].sort((a, b) => a.seq - b.seq)) {
    for (const entry of page.entries) {
      if (entry.type === 'child.spawned' && !ledger.copies.has(page)) {
        const born = ledger.born.get(entry.childId);
        if (born !== undefined && born !== page.generation)
          violate(
            'I2',
            `${job.jobId} took the sub-job ${entry.childId} of generation ${born} for one of ${page.generation}`,
          );
      }
    }
  }
  for (const [generation, final] of ledger.finals.get(job.jobId) ?? []) {
    const entries = pages
      .filter((page) => page.generation === generation)
      .sort((a, b) => a.seq - b.seq)
      .flatMap((page) => page.entries);
    const first = entries.find(({ type }) => type === 'job.failed' || type === 'job.cancelled');
    const isUnclaimed = final.epoch === 0;
    if (final.status !== 'succeeded' && !isUnclaimed && first?.type !== `job.${final.status}`)
      violate(
        'I3',
        `generation ${generation} of ${job.jobId} is ${final.status}, its journal says ${first?.type ?? 'nothing'}`,
      );
  }
}

async function readStored(world: World, job: Job, stored: StoredValue): Promise<unknown> {
  const { store, payloads } = world.storage;
  switch (stored.kind) {
    case 'inline':
      return stored.json === '' ? undefined : JSON.parse(stored.json);
    case 's3':
      return JSON.parse(await payloads.get(stored));
    case 'item':
      return JSON.parse(
        (stored === job.input ? await store.getInput(job) : await store.getResult(job)) ?? 'null',
      );
  }
}

const FAILING: ReadonlySet<string> = new Set(['exhausted', 'terminal', 'overrun']);

/** Every outcome is one that the step can have, brought by a try that took place. */
function checkDecisions({ ledger, violate }: World, job: Job, { versions, view }: Known): void {
  const steps = stepsOf(versions);
  for (const { path, kind, tryNumber, value } of view.decisions.values()) {
    const node = steps.get(path);
    if (node === undefined || kind === 'spawn' || kind === 'sleep') continue;
    const fails = FAILING.has(node.behaviour.kind);
    if (kind === 'error' && !fails) violate('I2', `${job.jobId}: ${path} failed, which it cannot`);
    const mayHelp = node.behaviour.kind === 'exhausted' && node.behaviour.mayHelp;
    if (kind === 'value' && fails && !mayHelp)
      violate('I2', `${job.jobId}: ${path} cannot succeed`);
    const tries = node.behaviour.kind === 'terminal' ? 1 : node.retries + 1;
    if (kind === 'error' && tryNumber !== tries)
      violate('I5', `${job.jobId}: ${path} failed for good after try ${tryNumber} of ${tries}`);
    if (value?.kind === 'inline') {
      const nonce = (JSON.parse(value.json) as string).split(' ')[1] ?? '';
      const start = ledger.starts[Number(nonce.slice(1))];
      if (start?.path !== path)
        violate('I2', `${job.jobId}: the outcome of ${path} came from nowhere`);
    }
  }
  for (const [message, count] of view.logged) {
    if (count > 1) violate('I2', `${job.jobId} logged ${JSON.stringify(message)} ${count} times`);
  }
  for (const [key, path] of view.consumed) {
    const isSent = ledger.signals.some((s) => `${s.name} ${s.signalId}` === key);
    if (!isSent)
      violate('I2', `${job.jobId}: ${path} consumed the signal ${key}, which nobody sent`);
  }
  for (const [childId, end] of view.children) {
    const first = ledger.finals.get(childId)?.get(1);
    if (first?.status !== end.status)
      violate(
        'I3',
        `${job.jobId} got ${end.status} from ${childId}, which was ${first?.status ?? 'unfinished'}`,
      );
  }
}

/** Whoever claims a job knows what was recorded before, and runs none of it again. */
function checkNoRepetition(
  { ledger, violate }: World,
  job: Job,
  viewAt: (generation: number) => ReferenceView,
): void {
  const views = new Map<number, ReferenceView>();
  for (const start of ledger.startsOf.get(job.jobId) ?? []) {
    let view = views.get(start.generation);
    if (view === undefined) {
      view = viewAt(start.generation);
      views.set(start.generation, view);
    }
    const decided = view.decisions.get(start.path);
    const claimedAt = ledger.claims.get(`${start.process} ${job.jobId}`) ?? 0;
    if (decided !== undefined && decided.writtenAt < claimedAt && start.generation > 0)
      violate(
        'I2',
        `${start.process} ran ${start.path} of ${job.jobId} again although its outcome was recorded`,
      );
  }
}

async function checkOutcome(world: World, job: Job, known: Known): Promise<void> {
  const verdicts: Verdict[] = [];
  for (const spec of known.versions) {
    // The version that ended a job is known when it succeeded; whoever recorded a failure may have been another one.
    if (job.status === 'succeeded' && spec.version !== job.agentVersion) continue;
    verdicts.push(await askOracle(await subjectOf(world, job, { spec, view: known.view })));
  }
  switch (job.status) {
    case 'succeeded':
      return checkResult(world, job, verdicts[0]);
    case 'cancelled':
      return checkCancelled(world, job, known);
    default:
      checkFailure(world, job, { versions: known.versions, verdicts });
  }
}

async function checkResult(world: World, job: Job, verdict: Verdict | undefined): Promise<void> {
  const { violate } = world;
  if (verdict?.kind !== 'returned') {
    violate('I2', `${job.jobId} succeeded; by its journal it is ${describe(verdict)}`);
    return;
  }
  const result = job.result === undefined ? undefined : await readStored(world, job, job.result);
  if (JSON.stringify(result) !== JSON.stringify(verdict.value))
    violate('I3', `${job.jobId} has another result than its journal`);
}

const CLEAN_UP_SLACK_MS = 2 * 3_600_000;

/** A clean-up is done or its failure noted, and it has not held the job beyond its time. */
async function checkCancelled(world: World, job: Job, known: Known): Promise<void> {
  const { violate, ledger, storage, horizon } = world;
  const { jobId, generation, epoch, finishedAt = 0, cancelRequestedAt = 0 } = job;
  if (epoch === 0) return;
  if (!ledger.cancels.has(`${jobId} g${generation}`))
    violate('I3', `${jobId} was cancelled in generation ${generation}, which nobody asked for`);
  const [spec] = known.versions;
  const latest = Math.max(cancelRequestedAt, horizon) + (spec?.maxCleanUpMs ?? 0);
  if (finishedAt > latest + CLEAN_UP_SLACK_MS)
    violate('I1', `${jobId} was held by its clean-up for ${finishedAt - cancelRequestedAt} ms`);
  const final = (storage.pages.get(jobId) ?? [])
    .filter((page) => page.generation === generation)
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ entries }) => entries)
    .find(({ type }) => type === 'job.cancelled');
  const error = final?.type === 'job.cancelled' ? final.cleanUpError : undefined;
  if (NO_VERDICT.has(error?.code ?? '')) return;
  const kinds: string[] = [];
  for (const each of known.versions) {
    const subject = await subjectOf(world, job, { spec: each, view: known.view });
    kinds.push((await askOracleOfCleanUp(subject)).kind);
  }
  const expected = error === undefined ? 'returned' : 'threw';
  if (!kinds.includes(expected))
    violate('I3', `the clean-up of ${jobId} is said to have ${expected}, it is ${kinds.join()}`);
}

/** A clean-up that was stopped from outside may have come to any point. */
const NO_VERDICT: ReadonlySet<string> = new Set([
  'agent_missing',
  'clean_up_exceeded',
  'steps_exceeded',
]);

function checkFailure(
  { violate, ledger, scheduler, weather }: World,
  job: Job,
  { versions, verdicts }: { versions: readonly AgentSpec[]; verdicts: readonly Verdict[] },
): void {
  const { jobId, generation, error } = job;
  const threw = verdicts.flatMap((verdict) => (verdict.kind === 'threw' ? [verdict.error] : []));
  const said = verdicts.map(describe).join(' or ');
  const maxAttempts = versions[0]?.maxAttempts ?? 0;
  switch (error?.code) {
    case 'step_failed': {
      const isSame = threw.some(
        ({ path, message }) => path === error.step && message === error.cause?.message,
      );
      if (!isSame)
        violate('I3', `${jobId} failed in ${error.step ?? '?'}; by its journal it is ${said}`);
      const isTerminal = stepsOf(versions).get(error.step ?? '')?.behaviour.kind === 'terminal';
      if ((job.deadLettered === true) === isTerminal)
        violate(
          'I7',
          `${jobId} failed in a ${isTerminal ? 'terminal' : 'retried'} step: dead letter ${String(job.deadLettered)}`,
        );
      return;
    }
    case 'agent_failed':
      if (!threw.some(({ code, message }) => code === 'child_failed' && message === error.message))
        violate('I3', `${jobId} failed (${error.message}); by its journal it is ${said}`);
      return;
    case 'steps_exceeded':
      if (countIds(versions) <= (versions[0]?.maxSteps ?? 0))
        violate('limits', `${jobId} failed for too many steps, which its agent does not have`);
      return;
    case 'attempts_exhausted': {
      const crashes = ledger.crashes.get(`${jobId} g${generation}`) ?? 0;
      // A count that could not be reset is one too high until the next attempt has read the journal.
      const allowed = maxAttempts - (ledger.uncounted.has(jobId) ? 1 : 0);
      if (crashes < allowed)
        violate(
          'I7',
          `${jobId} failed for ${crashes} crashes in a row, ${maxAttempts} are allowed`,
        );
      if (job.deadLettered !== true)
        violate('I7', `${jobId} used up its attempts without a dead letter`);
      return;
    }
    case 'duration_exceeded': {
      const livedMs = (job.finishedAt ?? scheduler.now) - beginOf(job);
      if (livedMs > 20 * DAY_MS) violate('I1', `${jobId} was left until its deadline`);
      if ((job.finishedAt ?? 0) + 2 * weather.skewMs < job.deadlineAt)
        violate('I3', `${jobId} failed before its deadline`);
      return;
    }
    default:
      violate('I3', `${jobId} failed: ${error?.code ?? '?'} ${error?.message ?? ''}`);
  }
}

function describe(verdict: Verdict | undefined): string {
  if (verdict?.kind !== 'threw') return verdict?.kind ?? 'of no known version';
  return `failed in ${verdict.error.path ?? 'its agent'}: ${verdict.error.message}`;
}
