import { drawFault, type Fault, type Weather } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import { describeCall } from './describe-call.ts';

/** What planned adversaries may do to a call: say which fault it meets. */
export type Plan = (
  process: SimProcess,
  call: string,
  args: readonly unknown[],
) => PlannedFault | undefined;

export interface PlannedFault {
  readonly fault: Fault;
  readonly forMs?: number;
}

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly weather: Weather;
  /** From this instant on nothing goes wrong any more. */
  readonly horizon: number;
  /** Called with each call that meets a fault. */
  readonly onFault: (name: string, args: readonly unknown[]) => void;
  readonly trace?: ((line: string) => void) | undefined;
}

/**
 * Between a process and what it calls: requests take time, meet faults, take effect although their sender is gone, and
 * their answers may never come.
 */
export class Network {
  /** Set by planned adversaries. */
  plan: Plan | undefined;
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  call<T>(
    process: SimProcess,
    name: string,
    args: readonly unknown[],
    perform: () => Promise<T>,
  ): Promise<T> {
    if (process.isDead) return new Promise(() => undefined);
    const { scheduler, random, weather, horizon, trace } = this.#options;
    const isFair = scheduler.now >= horizon;
    const planned = isFair ? undefined : this.plan?.(process, name, args);
    const fault = isFair ? undefined : (planned?.fault ?? drawFault(random, weather));
    trace?.(
      `${process.name} → ${name} ${describeCall(name, args)}${fault === undefined ? '' : `  !! ${fault}`}`,
    );
    if (fault !== undefined) this.#options.onFault(name, args);
    if (fault === 'dieBefore') {
      process.die();
      return new Promise(() => undefined);
    }
    const forMs = planned?.forMs ?? random.between(...weather.freezeMs);
    if (fault === 'freezeBefore') process.freeze(forMs);
    if ((name === 'renewManifest' || name === 'putManifest') && fault !== undefined)
      process.troubledAt =
        Math.max(process.troubledAt, process.frozenUntil, scheduler.now) + 60_000;
    const sentAt = Math.max(scheduler.now, process.frozenUntil);
    const latencyMs = fault === 'slow' ? random.between(500, 25_000) : random.between(1, 20);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        if (process.isDead) return;
        if (process.frozenUntil > scheduler.now) scheduler.at(process.frozenUntil, settle, process);
        else settle();
      };
      const fail = (why: string): void => {
        answer(() => {
          reject(new Error(`${name}: ${why}`));
        });
      };
      const effect = (): Promise<T> => {
        const result = perform();
        // Whoever asked may be gone.
        result.catch(() => undefined);
        return result;
      };
      scheduler.at(sentAt + latencyMs, () => {
        switch (fault) {
          case 'throttle':
            fail('throttled');
            return;
          case 'late':
            fail('no answer in time');
            scheduler.in(random.between(1, 20_000), () => void effect());
            return;
          case 'loseAnswer':
            void effect();
            fail('the connection broke');
            return;
          case 'resend':
            void effect();
            scheduler.in(random.between(1, 500), () => {
              const result = effect();
              answer(() => {
                resolve(result);
              });
            });
            return;
          case 'dieAfter':
            void effect();
            process.die();
            return;
          case 'freezeAfter':
            process.freeze(forMs);
            break;
          default:
        }
        const result = effect();
        answer(() => {
          resolve(result);
        });
      });
    });
  }
}
