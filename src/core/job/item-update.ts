import type { Job } from './job.ts';

/** What conditions and updates may name; the id is the item's key. */
export type Attribute = Exclude<keyof Job, 'jobId'>;
type Changes = Partial<Omit<Job, 'jobId'>>;

/**
 * A condition on the stored job item, as data: adapters translate it, so that every rule is written once, in `transitions.ts`.
 * An attribute that is absent or of another type than the value compares with nothing.
 */
export type Condition =
  | {
      readonly attribute: Attribute;
      readonly is: '=';
      readonly value: string | number | boolean;
    }
  | { readonly attribute: Attribute; readonly is: '<' | '<='; readonly value: string | number }
  | { readonly attribute: Attribute; readonly is: 'present' | 'absent' }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/**
 * One conditional change of the job item, refused when there is none. Values are set before counters are added (an absent
 * counter starts at 0), then what is still absent gets its value; a removed attribute is gone, whatever else was said of it.
 */
export interface JobUpdate {
  readonly condition: Condition;
  readonly set?: Changes;
  readonly add?: Partial<
    Record<
      'epoch' | 'crashes' | 'wakeups' | 'generation' | 'hops' | 'joinPending' | 'signals',
      number
    >
  >;
  /** Set only where the item has no value yet. */
  readonly setIfAbsent?: Changes;
  readonly remove?: readonly Attribute[];
}

/** `job` is the item after the change, or, when refused, as it stands (undefined: there is none). */
export type UpdateResult =
  | { readonly applied: true; readonly job: Job }
  | { readonly applied: false; readonly job: Job | undefined };
