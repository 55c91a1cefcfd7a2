import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Host, Scheduler } from './scheduler.ts';

export type Role = 'worker' | 'sweeper' | 'notifier' | 'user';

/** An execution environment: it has a clock of its own, may die at any moment, or stand still for a while and go on. */
export class SimProcess implements Host {
  readonly name: string;
  readonly role: Role;
  readonly clock: Clock;
  readonly startedAt: number;
  isDead = false;
  /** Its invocation has ended; what it left running may go on. */
  isOver = false;
  frozenUntil = 0;
  /** It acts for a tenant that the job does not belong to. */
  isIntruder = false;
  /** Jobs of its invocation. */
  batch = 0;
  /** When something last went wrong that may have cost it its lease. */
  troubledAt = 0;
  /** When somebody took its lease away. */
  lostAt = Infinity;
  /** When it was told so. */
  refusedAt = Infinity;
  /** Generation of each job that this environment has claimed. */
  readonly claims = new Map<string, number>();
  /** Jobs that it has let go of. */
  readonly released = new Set<string>();
  /** Called when it dies. */
  onDeath: () => void = () => undefined;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler, named: { role: Role; name: string; skewMs: number }) {
    this.#scheduler = scheduler;
    this.role = named.role;
    this.name = named.name;
    this.startedAt = scheduler.now;
    this.clock = {
      now: () => scheduler.now + named.skewMs,
      setTimer: (delayMs, callback) => scheduler.in(Math.max(0, delayMs), callback, this),
      afterTurn: (callback) => {
        scheduler.afterTurn(callback, this);
      },
    };
  }

  trueNow(): number {
    return this.#scheduler.now;
  }

  /** Nothing of it goes on. */
  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.onDeath();
  }

  /** Nothing of it goes on for a while; its clock does. */
  freeze(forMs: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.#scheduler.now + forMs);
    this.troubledAt = Math.max(this.troubledAt, this.frozenUntil);
  }
}
