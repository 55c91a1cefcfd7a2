import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@aws-lambda-powertools/logger';
import type { LogFields, Telemetry } from '../../core/ports/telemetry.ts';
import { METRICS } from '../../settings/names.ts';
import { HeldLines } from './held-lines.ts';
import { LineFormatter } from './line-formatter.ts';
import { scrubbed, writtenFields } from './log-fields.ts';

type Level = Parameters<Telemetry['log']>[0];

const OPTIONS = { serviceName: METRICS.service, logFormatter: new LineFormatter() };
const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

export interface LogOptions {
  /** Whether lines show payloads. Default: never. */
  readonly showPayloads?: boolean;
}

/**
 * JSON lines by Powertools' Logger. Those below the level of the deployment are held back, and written when an error line of the same
 * job or request follows in the same invocation.
 */
export class LogWriter {
  readonly #logger = new Logger(OPTIONS);
  /** Writes what the level would keep back. */
  readonly #all = new Logger({ ...OPTIONS, logLevel: 'DEBUG' });
  readonly #held = new HeldLines<Level>();
  readonly #around = new AsyncLocalStorage<LogFields>();
  readonly #showPayloads: boolean;

  constructor({ showPayloads = false }: LogOptions) {
    this.#showPayloads = showPayloads;
  }

  /** Runs work all of whose lines carry these fields, too. */
  during<T>(fields: LogFields, work: () => T): T {
    return this.#around.run(fields, work);
  }

  log(level: Level, message: string, own: LogFields = {}): void {
    const fields = { ...this.#around.getStore(), ...own };
    const line = {
      level,
      message: scrubbed(message),
      fields: writtenFields(fields, { showPayloads: this.#showPayloads }),
    };
    const key = keyOf(fields);
    if (this.#isHeld(level)) {
      this.#held.hold(key, { ...line, fields: { ...line.fields, at: new Date().toISOString() } });
      return;
    }
    if (level === 'error') this.#writeHeld(fields);
    this.#logger[level](line.message, line.fields);
  }

  /** At the end of an invocation: what nobody had to see is gone. */
  forget(): void {
    this.#held.clear();
  }

  #isHeld(level: Level): boolean {
    const least = this.#logger.getLevelName().toLowerCase() as Level;
    return LEVELS.indexOf(level) < LEVELS.indexOf(least);
  }

  #writeHeld(fields: LogFields): void {
    const { jobId, requestId } = fields;
    const { lines, dropped } = this.#held.take(keyOf(fields));
    for (const line of lines) this.#all[line.level](line.message, { ...line.fields });
    if (dropped > 0)
      this.#all.debug('earlier lines are gone', { jobId, requestId, lines: dropped });
  }
}

function keyOf({ jobId, requestId }: LogFields): string {
  const key = jobId ?? requestId;
  return typeof key === 'string' ? key : '';
}
