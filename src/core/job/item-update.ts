import type { Job } from './job.ts';

type Attribute = keyof Job;

/** A condition on the stored job item, as data: adapters translate it, so that every rule is written once, in `transitions.ts`. */
export type Condition =
  | {
      readonly attribute: Attribute;
      readonly is: '=' | '<' | '<=';
      readonly value: string | number | boolean;
    }
  | { readonly attribute: Attribute; readonly is: 'present' | 'absent' }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** One conditional change of the job item. Values are set before counters are added; a removed attribute is gone. */
export interface JobUpdate {
  readonly condition: Condition;
  readonly set?: Partial<Job>;
  readonly add?: Partial<Record<'epoch' | 'crashes' | 'wakeups' | 'generation', number>>;
  /** Set only where the item has no value yet. */
  readonly setIfAbsent?: Partial<Job>;
  readonly remove?: readonly Attribute[];
}

/** `job` is the item after the change, or, when refused, as it stands (undefined: there is none). */
export type UpdateResult =
  | { readonly applied: true; readonly job: Job }
  | { readonly applied: false; readonly job: Job | undefined };
