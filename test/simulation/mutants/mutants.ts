/** A deliberate fault: text of one source file replaced by other text. Runs of white space count as one. */
export interface Edit {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
  /** Replaces every place and not the only one. */
  readonly everywhere?: boolean;
}

export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Why no schedule can show it, when none can. */
  readonly harmless?: string;
}

const TRANSITIONS = 'src/core/job/transitions.ts';
const RUN_JOB = 'src/core/engine/run-job.ts';
const RUN_AGENT = 'src/core/engine/run-agent.ts';
const LOAD = 'src/core/engine/load-job.ts';
const RELEASE = 'src/core/engine/release-order.ts';
const WRITER = 'src/core/engine/journal-writer.ts';
const VIEW = 'src/core/engine/journal-view.ts';
const KEPT = 'src/core/engine/kept-by-cut.ts';
const CHILDREN = 'src/core/engine/children.ts';
const DUTIES = 'src/core/engine/duties.ts';
const SWEEP = 'src/core/sweep/sweep.ts';
const CANCEL = 'src/core/engine/cancel-job.ts';
const SIGNAL = 'src/core/commands/signal-job.ts';
const END = 'src/core/engine/end-job.ts';
const NEW_DELIVERY = 'src/core/notify/new-delivery.ts';
const DELIVER = 'src/core/notify/deliver.ts';
const RESTART = 'src/core/commands/restart-job.ts';

function edit(file: string, search: string, replace: string): Edit {
  return { file, search, replace };
}

function mutant(name: string, ...edits: readonly Edit[]): Mutant {
  return { name, edits };
}

const BLIND_HOLD = `condition: { attribute: 'status', is: '=', value: 'running' },`;

const ONLY_COMMANDS =
  'an owner only ever adopts entries of commands: a takeover that was not clean is fenced before the first append, and a clean one leaves no append in flight';

export const MUTANTS: readonly Mutant[] = [
  mutant(
    'append without its condition',
    edit(
      'src/adapters/memory/journal-pages.ts',
      `if (there !== undefined) return there.text === text ? 'appended' : 'conflict';`,
      '',
    ),
  ),
  mutant(
    'a signal starts a job before its time',
    edit(TRANSITIONS, 'condition: { all: [waiting, hasStarted] },', 'condition: waiting,'),
    edit(TRANSITIONS, 'const hasStarted: Condition = {', 'const _hasStarted: Condition = {'),
  ),
  mutant(
    'the end of a pause starts a job before its time',
    edit(TRANSITIONS, 'if (isBeforeStart(job) && job.wakeAt', 'if (job.epoch < 0 && job.wakeAt'),
  ),
  mutant(
    'finish without epoch and owner',
    edit(
      TRANSITIONS,
      `condition: isMine(hold), set: { status, totals,`,
      `${BLIND_HOLD} set: { status, totals,`,
    ),
  ),
  mutant(
    'suspend and continue without epoch and owner',
    edit(
      TRANSITIONS,
      'const conditions = [isMine(hold), sawAllWakeups(hold.wakeups)];',
      `const conditions: Condition[] = [{ attribute: 'status', is: '=', value: 'running' }, sawAllWakeups(hold.wakeups)];`,
    ),
  ),
  mutant(
    'fencing by time: status and lease only, no epoch and owner',
    edit(
      TRANSITIONS,
      `{ attribute: 'epoch', is: '=', value: hold.epoch }, { attribute: 'owner', is: '=', value: hold.owner },`,
      '',
    ),
  ),
  mutant(
    'suspend blind to wake-ups',
    edit(TRANSITIONS, '[isMine(hold), sawAllWakeups(hold.wakeups)]', '[isMine(hold)]'),
  ),
  mutant(
    'suspend blind to cancel and pause',
    edit(
      TRANSITIONS,
      'hold.obeying ? conditions : [...conditions, noCommandPending]',
      'conditions',
    ),
  ),
  mutant('changes to queued without dueAt', {
    ...edit(TRANSITIONS, `status: 'queued', dueAt: now + QUEUED_DUE_MS`, `status: 'queued'`),
    everywhere: true,
  }),
  mutant(
    'suspend without its dueAt',
    edit(TRANSITIONS, 'dueAt: Math.min(wakeAt ?? deadlineAt, deadlineAt),', ''),
  ),
  mutant(
    'suspend due at its timer only, not at the deadline',
    edit(
      TRANSITIONS,
      'dueAt: Math.min(wakeAt ?? deadlineAt, deadlineAt),',
      'dueAt: wakeAt ?? deadlineAt,',
    ),
  ),
  mutant(
    'claim blind to the deadline',
    edit(TRANSITIONS, `{ all: [waiting, { attribute: 'deadlineAt', is: '<=', value: now }] },`, ''),
  ),
  mutant('claim takes paused jobs', edit(TRANSITIONS, '[ready, notPaused]', '[ready]')),
  mutant(
    'claim takes crashed jobs into any batch',
    edit(
      TRANSITIONS,
      `if (!alone) conditions.push({ attribute: 'crashes', is: '=', value: 0 });`,
      '',
    ),
  ),
  mutant(
    'sweeper blind to queued jobs',
    edit(SWEEP, 'return sweepQueued(deps, job, hasBacklog);', 'return undefined;'),
  ),
  mutant(
    'sweeper blind to running jobs past their invocation',
    edit(
      SWEEP,
      'const taken = job.owner !== undefined && (await takeBack(deps, job.jobId, job.owner));',
      'const taken = false;',
    ),
  ),
  mutant('sweeper blind to waiting jobs', edit(SWEEP, `await hint(deps, job, 'woken');`, '')),
  mutant('sweeper blind to open duties', edit(SWEEP, 'await performDuties(deps, job);', '')),
  mutant(
    'sweeper blind to dead invocations, which it only forgets',
    edit(
      SWEEP,
      'manifest.jobIds.map((jobId) => takeBack(deps, jobId, invocationId))',
      'manifest.jobIds.map(() => Promise.resolve(false))',
    ),
    edit(
      SWEEP,
      'const taken = job.owner !== undefined && (await takeBack(deps, job.jobId, job.owner));',
      'const taken = false;',
    ),
  ),
  mutant(
    'reclaim without its owner condition',
    edit(TRANSITIONS, `{ attribute: 'owner', is: '=', value: owner },`, ''),
  ),
  mutant('crashes never counted', edit(TRANSITIONS, 'add: { crashes: 1 },', '')),
  mutant(
    'crashes never reset by work',
    edit(RUN_AGENT, 'if (!run.afterCrash ||', 'if (run.pages > 0 ||'),
    edit(RUN_JOB, 'if (job.crashes > 1 && view.endsInWork)', 'if (job.crashes > 1_000)'),
    edit(RUN_JOB, 'if (!view.endsInWork) return giveUp(', 'return giveUp('),
  ),
  mutant(
    'child id not deterministic',
    edit(
      CHILDREN,
      `deps.ids.deriveId('child', job.jobId, String(job.generation), spawn.stepId)`,
      'deps.ids.newId()',
    ),
  ),
  mutant(
    'child id without the generation',
    edit(CHILDREN, `job.jobId, String(job.generation), spawn.stepId`, 'job.jobId, spawn.stepId'),
  ),
  mutant(
    'signal consumed twice',
    edit(
      'src/core/engine/wait-for-signal.ts',
      '!run.view.consumedSignals.has(key) && !run.takenSignals.has(key)',
      '!run.takenSignals.has(key)',
    ),
  ),
  mutant(
    'signal wakes no job that runs or is queued',
    edit(
      SIGNAL,
      'const noted = await deps.jobs.updateJob(job.jobId, counted(noteWakeup()));',
      `if (woken.job !== undefined && !isFinal(woken.job.status)) return { outcome: 'done', job: woken.job }; const noted = await deps.jobs.updateJob(job.jobId, counted(noteWakeup()));`,
    ),
  ),
  mutant(
    'signal that is there already wakes nobody',
    edit(
      SIGNAL,
      `return { outcome: 'id_reused', job }; } // Also`,
      `return { outcome: 'id_reused', job }; return { outcome: 'done', job }; } // Also`,
    ),
  ),
  mutant(
    'cancel ignored between steps',
    edit(RUN_AGENT, 'run.meetCommands(now); return true;', 'return true;'),
  ),
  mutant(
    'command entry swallowed by the load',
    edit(
      LOAD,
      'job: { ...job, wakeups: claimed.wakeups },',
      'job: (({ cancelRequestedAt: _c, ...rest }) => ({ ...rest, wakeups: claimed.wakeups }))(job),',
    ),
  ),
  mutant(
    'fork keeps one entry too many',
    edit(KEPT, 'order >= position ||', 'order > position ||'),
  ),
  mutant(
    'fork begins with what a retry has cut',
    edit(
      'src/core/commands/fork-job.ts',
      'if (record?.order !== position) return false;',
      `if (record?.order === undefined || (entry.type !== 'step.succeeded' && record.order !== position)) return false;`,
    ),
  ),
  mutant(
    'retry from a step drops failures before it',
    edit(
      KEPT,
      'return (stepId, { order, spawned }) => {',
      `return (stepId, { order, spawned, outcome }) => { if (outcome?.kind === 'failed') return false;`,
    ),
  ),
  mutant(
    'retry from a step keeps what the job failed by',
    edit(KEPT, 'const culprits = whatItFailedBy(view);', 'const culprits = new Set<string>();'),
  ),
  mutant(
    'retry from a step keeps a sub-job that failed after it',
    edit(KEPT, 'return child.order < position &&', 'return'),
  ),
  mutant(
    'retry keeps the cancel',
    edit(
      TRANSITIONS,
      `remove: [ 'cancelRequestedAt', 'paused', 'error',`,
      `remove: [ 'paused', 'error',`,
    ),
  ),
  mutant(
    'retry drops duties',
    edit(
      RESTART,
      'if (isRestartable(found) && found.duties !== undefined) await performDuties(deps, found);',
      '',
    ),
    edit(TRANSITIONS, `{ attribute: 'duties', is: 'absent' },`, ''),
    edit(TRANSITIONS, `'deadLettered', 'finishedAt',`, `'deadLettered', 'duties', 'finishedAt',`),
  ),
  mutant(
    'retry blind to the generation it read',
    edit(
      TRANSITIONS,
      `{ attribute: 'generation', is: '=', value: job.generation }, { attribute: 'duties', is: 'absent' },`,
      `{ attribute: 'duties', is: 'absent' },`,
    ),
  ),
  mutant(
    'retry without a new generation',
    edit(TRANSITIONS, 'add: { generation: 1, wakeups: 1 },', 'add: { wakeups: 1 },'),
  ),
  mutant(
    'child duty struck off before it is done',
    edit(
      DUTIES,
      'await perform(deps, job, duty); const after = await strike(deps, job, duty);',
      'const after = await strike(deps, job, duty); await perform(deps, job, duty);',
    ),
  ),
  mutant(
    'child told again wakes nobody',
    edit(DUTIES, '(isNew && (parent.joinPending ?? 0) > 0)', '(parent.joinPending ?? 0) > 0'),
  ),
  {
    ...mutant(
      'child told again counts twice',
      edit(DUTIES, 'updateJob(parentId, noteChild(isNew))', 'updateJob(parentId, noteChild(true))'),
    ),
    harmless:
      'the count of missing outcomes only saves wake-ups: one too low wakes the parent early, and it looks and waits on',
  },
  mutant(
    'final entry ignored by the load',
    edit(
      RUN_JOB,
      'if (view.ended !== undefined) return endAsRecorded(deps, held, view.ended); // A worker',
      '// A worker',
    ),
  ),
  mutant(
    'load does not check who holds the job',
    edit(LOAD, '!isHeld(job, claimed, invocation)', 'false'),
  ),
  mutant(
    'no fence after a crash',
    edit(
      RUN_JOB,
      'if (job.crashes > 0 && !(await fence(deps, loaded, agent?.version))) return claimed;',
      '',
    ),
  ),
  mutant(
    'finish keeps its owner',
    edit(TRANSITIONS, `const HELD_ATTRIBUTES = [ 'owner',`, `const HELD_ATTRIBUTES = [`),
  ),
  mutant(
    'finish keeps its dueAt',
    edit(TRANSITIONS, `[...HELD_ATTRIBUTES, 'dueAt']`, '[...HELD_ATTRIBUTES]'),
  ),
  mutant(
    'lease not renewed',
    edit(
      'src/core/engine/run-batch.ts',
      'await jobs.renewManifest(invocationId, renewed)',
      'await jobs.getManifest(invocationId)',
    ),
  ),
  mutant(
    'lost lease ignored',
    edit(
      'src/core/engine/run-batch.ts',
      'if (clock.now() >= expiresAt) controller',
      'if (clock.now() < 0) controller',
    ),
  ),
  mutant(
    'outcome released before its page is stored',
    edit(
      WRITER,
      'const answer = await this.#deps.jobs.appendPage(page);',
      'applyPage(this.#view, page); for (const { stored } of batch) stored(); const answer = await this.#deps.jobs.appendPage(page);',
    ),
  ),
  {
    ...mutant(
      'adoption ignores foreign outcomes',
      edit(
        WRITER,
        'for (const page of pages) applyPage(this.#view, page);',
        'for (const page of pages) this.#view.lastSeq = page.seq;',
      ),
    ),
    harmless: ONLY_COMMANDS,
  },
  {
    ...mutant(
      'adoption keeps its own outcome beside a foreign one',
      edit(
        WRITER,
        'batch.filter((pending) => !this.#isSuperseded(pending.entry))',
        'batch.filter(() => true)',
      ),
    ),
    harmless: ONLY_COMMANDS,
  },
  mutant(
    'append goes on although the job is lost',
    edit(WRITER, 'if (!mine) {', 'if (mine === undefined) {'),
  ),
  mutant(
    'wake-ups taken from the query',
    edit(LOAD, 'job: { ...job, wakeups: claimed.wakeups },', 'job,'),
  ),
  mutant(
    'late removal of a duty, after a restart',
    edit(
      TRANSITIONS,
      `{ attribute: 'generation', is: '=', value: job.generation }, { attribute: 'dueAt', is: '=', value: job.dueAt ?? 0 },`,
      '',
    ),
    edit(DUTIES, ' || now.generation !== done.generation', ''),
  ),
  mutant(
    'late removal of a duty, within a generation',
    edit(
      TRANSITIONS,
      `{ attribute: 'dueAt', is: '=', value: job.dueAt ?? 0 }, ], }, ...(left`,
      `], }, ...(left`,
    ),
  ),
  mutant(
    'direct cancel of a claimed job',
    edit(TRANSITIONS, `{ attribute: 'epoch', is: '=', value: 0 },`, ''),
    edit(CANCEL, `job.epoch === 0 && (job.status`, `(job.status`),
  ),
  mutant(
    'direct cancel blind to a claim meanwhile',
    edit(TRANSITIONS, `{ attribute: 'epoch', is: '=', value: 0 },`, ''),
  ),
  mutant(
    'cut that filters only its own generation',
    edit(
      VIEW,
      'const cut = cutOf(job, generation); if (cut !== undefined) view = applyCut(view, cut); } return view;',
      `const cut = cutOf(job, generation); if (cut !== undefined) { const own = emptyView(); for (const page of pages) if (page.generation === generation && page.seq <= cut.seq) applyPage(own, page);
       const kept = applyCut(own, cut); for (const [id, record] of kept.steps) before.steps.set(id, record); for (const [id, child] of kept.children) before.children.set(id, child);
       view = { ...kept, steps: new Map(before.steps), children: new Map(before.children), logged: view.logged, consumedSignals: view.consumedSignals, recorded: view.recorded }; } } return view;`,
    ),
    edit(
      VIEW,
      'let view = emptyView(); for (let generation',
      'let view = emptyView(); const before = emptyView(); for (let generation',
    ),
  ),
  {
    ...mutant(
      'pages behind a cut count',
      edit(VIEW, 'return cut === undefined || seq <= cut.seq;', 'return true;'),
    ),
    harmless:
      'a generation is closed by a final entry, which the append of a zombie meets; only commands, which decide nothing, come behind it',
  },
  mutant(
    'dead letter that is not listed',
    edit(
      DUTIES,
      `await deps.jobs.putDeadLetter({ jobId, tenantId, generation, failedAt, expiresAtSeconds });`,
      '',
    ),
  ),
  mutant(
    'restart that takes a later dead letter out of the list',
    edit(
      RESTART,
      `await deps.jobs.removeDeadLetter(job.jobId, job.generation);`,
      `await deps.jobs.removeDeadLetter(job.jobId, job.generation + 1);`,
    ),
  ),
  mutant(
    'dead letter before the final write',
    edit(
      'src/core/engine/end-job.ts',
      `const duties: Duty[] = failure.deadLetter`,
      `if (failure.deadLetter) await performDuties(deps, { ...held.job, error: failure.error, duties: ['deadLetter'] }); const duties: Duty[] = failure.deadLetter`,
    ),
  ),
  mutant(
    'first load skipped although there are wake-ups',
    edit(LOAD, 'claimed.epoch === 1 && claimed.wakeups === 0', 'claimed.epoch === 1'),
  ),
  mutant(
    'sleep begins anew in each replay',
    edit(
      'src/core/engine/agent-context.ts',
      'if (recorded !== undefined) return',
      'if (recorded === 0) return',
    ),
  ),
  mutant(
    'sleep goes by the clock of the worker alone',
    edit(
      'src/core/engine/run-state.ts',
      'return Math.max(this.deps.clock.now(), this.view.clockAt);',
      'return this.deps.clock.now();',
    ),
  ),
  mutant(
    'outcomes handed out as they come',
    edit(
      RELEASE,
      'if (first === undefined || isBefore(waiting, first))',
      'if (first === undefined)',
    ),
  ),
  mutant(
    'large outcome loses its place while it is fetched',
    edit(
      RELEASE,
      'const prepared = prepare(); await new Promise',
      'const prepared = prepare(); await prepared.catch(() => undefined); await new Promise',
    ),
  ),
  mutant(
    'idempotency key of the attempt',
    edit(
      'src/core/engine/step.ts',
      `ids.deriveId('step', ...identityOf(run.job, stepId))`,
      `ids.deriveId('step', ...identityOf(run.job, stepId), String(attempt))`,
    ),
  ),
  mutant(
    'interrupted run starts another try',
    edit(
      'src/core/engine/run-try.ts',
      'if (run.hasEnded) return new Promise(() => undefined);',
      '',
    ),
  ),
  mutant(
    'lease lost before the run begins goes unnoticed',
    edit(
      'src/core/engine/run-state.ts',
      'if (invocation.leaseLost.aborted) this.#lose(); else',
      '',
    ),
  ),
  mutant(
    'store that fails at the end leaves the job running',
    edit(
      RUN_AGENT,
      'if (!isStored && run.fault !== undefined) return handBack(run, run.fault.error);',
      '',
    ),
  ),
  mutant(
    'giving up without a look at who holds the job',
    edit(
      RUN_JOB,
      'if (now === undefined || !isHeld(now, claimed, invocation)) return undefined;',
      '',
    ),
  ),
  mutant(
    'clean-up beyond the deadline',
    edit(
      'src/core/engine/clean-up.ts',
      'return Math.min(job.deadlineAt, job.cancelRequestedAt + agent.limits.maxCleanUpMs);',
      'return job.cancelRequestedAt + agent.limits.maxCleanUpMs + 30 * 86_400_000;',
    ),
  ),
  mutant(
    'clean-up without an end of its own',
    edit(
      'src/core/engine/clean-up.ts',
      'return Math.min(job.deadlineAt, job.cancelRequestedAt + agent.limits.maxCleanUpMs);',
      'return job.deadlineAt;',
    ),
  ),
  mutant(
    'clean-up that waits is not woken at its end',
    edit(
      RUN_AGENT,
      'return run.obeying ? { wakeAt: Math.min(wakeAt ?? Infinity, run.endsAt) } : {};',
      'return wakeAt === undefined ? {} : { wakeAt };',
    ),
  ),
  mutant('clean-up kept by a retry', edit(KEPT, '!isOfCleanUp(stepId) && isKept', 'isKept')),
  mutant(
    'failed clean-up passes for a done one',
    edit(
      RUN_AGENT,
      `case 'threw': return concludeCancelled(run, ended);`,
      `case 'threw': return concludeCancelled(run);`,
    ),
  ),
  mutant(
    'stale pause entry obeyed',
    edit(
      VIEW,
      `'pause.requested': ignore, 'job.resumed': ignore,`,
      `'pause.requested': (view) => { (view as { isPaused?: boolean }).isPaused = true; }, 'job.resumed': (view) => { (view as { isPaused?: boolean }).isPaused = false; },`,
    ),
    edit(
      RUN_JOB,
      'if (job.paused === true) {',
      'if ((view as { isPaused?: boolean }).isPaused === true) {',
    ),
    edit(
      TRANSITIONS,
      `condition: { all: [isMine(hold), { attribute: 'paused', is: 'present' }] },`,
      'condition: isMine(hold),',
    ),
  ),
  mutant(
    'pause ignored by the load',
    edit(RUN_JOB, 'if (job.paused === true) {', 'if (job.jobId === undefined) {'),
  ),
  mutant(
    'pause ignored between steps',
    edit(
      'src/core/engine/run-state.ts',
      'job.cancelRequestedAt !== undefined || job.paused === true;',
      'job.cancelRequestedAt !== undefined;',
    ),
  ),
  mutant(
    'commands blind to the tenant',
    edit(
      'src/core/commands/read-job.ts',
      'return job?.tenantId === tenantId ? job : undefined;',
      'return job?.tenantId === tenantId ? job : job;',
    ),
  ),
  mutant(
    'signal gives up when job and store changed between its tries',
    edit(
      SIGNAL,
      'if (noted.job === undefined || isFinal(noted.job.status))',
      'if (noted.job !== null)',
    ),
  ),
  mutant(
    'job of a missing agent waits on a cancel',
    edit(
      RUN_JOB,
      'return cancelFenced(deps, held, view.lastSeq, noCleanUp(deployed.unavailable));',
      'return waitForAgent(deps, held.invocation, job, deployed.unavailable);',
    ),
    edit(RUN_JOB, 'wakeups, obeying: false };', 'wakeups, obeying: true };'),
  ),
  mutant(
    'job of a missing agent waits beyond its deadline',
    edit(
      RUN_JOB,
      'if (deps.clock.now() >= job.deadlineAt) {',
      'if (agent !== undefined && deps.clock.now() >= job.deadlineAt) {',
    ),
  ),
  mutant(
    'no timeout of steps',
    edit(
      'src/core/engine/run-try.ts',
      'run.deps.clock.setTimer(timeoutMs, () => {',
      'run.deps.clock.setTimer(1e9, () => {',
    ),
  ),
  mutant(
    'one step more than the limit',
    edit(
      'src/core/engine/step.ts',
      'if (run.newSteps.size + recordedSteps(run) < maxSteps) {',
      'if (run.newSteps.size + recordedSteps(run) <= maxSteps) {',
    ),
  ),
  mutant(
    'steps side by side all find the last place free',
    edit(
      'src/core/engine/step.ts',
      'run.newSteps.add(stepId); return undefined;',
      'return undefined;',
    ),
  ),
  mutant(
    'sub-jobs to cancel read eventually consistent',
    edit(DUTIES, 'generation <= job.generation; generation++', 'generation < 0; generation++'),
  ),
  mutant(
    'webhook duty dropped',
    edit(CANCEL, "if (isAnnounced(job, status)) duties.push('webhook');", ''),
  ),
  mutant(
    'notification before the final write',
    edit(
      END,
      'const { applied, job: final } = await deps.jobs.updateJob(job.jobId, update);',
      `if (ending.duties.includes('webhook'))
        await performDuties(deps, { ...job, status: ending.status, duties: ['webhook'] });
      const { applied, job: final } = await deps.jobs.updateJob(job.jobId, update);`,
    ),
  ),
  mutant(
    'webhook duty struck off before it is done',
    edit(
      DUTIES,
      'await perform(deps, job, duty); const after = await strike(deps, job, duty);',
      `const after = duty === 'webhook' ? await strike(deps, job, duty) : undefined;
      await perform(deps, job, duty);
      if (duty !== 'webhook') { const next = await strike(deps, job, duty); if (next === undefined) return; job = next; continue; }`,
    ),
  ),
  mutant(
    'wait told of only after the job has let go',
    edit(
      RUN_AGENT,
      "const announced = ended.kind === 'suspend' ? await putWaits(run, ended.signalWaits) : [];",
      '',
    ),
    edit(
      RUN_AGENT,
      'await hintAt(deps, announced);',
      "const announced = ended.kind === 'suspend' ? await putWaits(run, ended.signalWaits) : []; await hintAt(deps, announced);",
    ),
  ),
  mutant(
    'delivery id not deterministic',
    edit(
      NEW_DELIVERY,
      "ids.deriveId('delivery', ...parts)",
      "ids.newId() + parts.join('').slice(0, 0)",
    ),
  ),
  mutant(
    'delivery not in the due index while it is tried',
    edit(
      DELIVER,
      'nextTryAt: claimedUntil, dueAt: claimedUntil',
      'nextTryAt: claimedUntil, dueAt: undefined as never',
    ),
  ),
  mutant(
    'sweeper blind to deliveries',
    edit(
      SWEEP,
      "if (item.kind === 'delivery') return await sweepDelivery(deps, item);",
      "if (item.kind === 'delivery') return undefined;",
    ),
  ),
];
