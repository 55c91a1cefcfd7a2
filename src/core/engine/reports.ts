import type { AgentContext, LogLevel, Progress } from '../../agent/context.ts';
import { AppError } from '../../errors.ts';
import { LIMITS } from '../policy/limits.ts';
import { sizeBytes, toJson } from './json-value.ts';
import type { RunState } from './run-state.ts';
import { runningStep } from './running-step.ts';

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Calls that the recorded totals already reflect are replays of themselves; those in a step, which is not replayed, are none. */
export function reportProgress(run: RunState, progress: Progress): void {
  const { completed, total, message } = progress;
  for (const [name, value] of Object.entries({ completed, total })) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw invalid(`progress.${name}`, value, 'a number of at least 0');
    }
  }
  if (message !== undefined) checkText('progress.message', message, LIMITS.progressMessageChars);
  const isInStep = runningStep(run) !== undefined;
  if (!isInStep) run.progressCalls++;
  const isReplayed = !isInStep && run.progressCalls <= run.view.totals.progressReports;
  if (run.hasEnded || isReplayed) return;
  const value = {
    ...(completed === undefined ? {} : { completed }),
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
  run.journal.report(value, Math.max(run.progressCalls, run.view.totals.progressReports));
}

/** The n-th call with one message is a replay while the journal holds n of them; calls in a step are not counted. */
export function createLog(run: RunState): AgentContext['log'] {
  const calls = new Map<string, number>();
  return (message: string, data?: Readonly<Record<string, unknown>>, level: LogLevel = 'info') => {
    if (!LOG_LEVELS.includes(level)) throw invalid('log level', level, LOG_LEVELS.join(', '));
    checkText('log message', message, LIMITS.logMessageChars);
    checkData(data);
    const json = data === undefined ? '' : toJson(data);
    if (sizeBytes(json) > LIMITS.logDataBytes) {
      throw invalid('log data', `${sizeBytes(json)} bytes`, `at most ${LIMITS.logDataBytes}`);
    }
    const step = runningStep(run);
    const call = (calls.get(message) ?? 0) + 1;
    if (step === undefined) calls.set(message, call);
    const isReplayed = step === undefined && call <= (run.view.logged.get(message) ?? 0);
    if (run.hasEnded || isReplayed) return;
    run.deps.telemetry.log(level, message, {
      step: step?.stepId,
      ...(json !== '' && { payload: json }),
    });
    void run.journal.append({
      type: 'log.written',
      at: run.deps.clock.now(),
      attempt: run.job.epoch,
      level,
      message,
      ...(step === undefined ? {} : { stepId: step.stepId }),
      ...(json === '' ? {} : { data: JSON.parse(json) as Record<string, unknown> }),
    });
  };
}

/** An author without types may pass anything, which a reader of the trace would get then. */
function checkText(what: string, text: unknown, limit: number): void {
  if (typeof text !== 'string') throw invalid(what, text, 'text');
  if (text.length > limit) throw invalid(what, `${text.length} characters`, `at most ${limit}`);
}

function checkData(data: unknown): void {
  if (data === undefined) return;
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return;
  throw invalid('log data', Array.isArray(data) ? 'an array' : data, 'an object');
}

function invalid(what: string, value: unknown, allowed: string): AppError {
  return new AppError(`${what} is ${String(value)}: allowed is ${allowed}`, {
    code: 'invalid_option',
    details: { option: what, value },
  });
}
