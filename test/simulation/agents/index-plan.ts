import { CLEAN_UP } from './bind.ts';
import type { AgentSpec, Node, Plan } from './spec.ts';

type Step = Extract<Node, { kind: 'step' }>;

interface Index {
  readonly steps: Map<string, Step>;
  /** Ids that `run` records: of steps, sleeps, waits and spawns. */
  readonly ids: Set<string>;
}

const indexes = new WeakMap<AgentSpec, Index>();

/** Steps of an agent by their full ids, in any of its versions. */
export function stepsOf(versions: readonly AgentSpec[]): ReadonlyMap<string, Step> {
  const [only] = versions;
  if (only !== undefined && versions.length === 1) return indexOf(only).steps;
  return new Map(versions.flatMap((spec) => [...indexOf(spec).steps]));
}

/** How many ids a job of the agent may record, its clean-up not counted. */
export function countIds(versions: readonly AgentSpec[]): number {
  return new Set(versions.flatMap((spec) => [...indexOf(spec).ids])).size;
}

function indexOf(spec: AgentSpec): Index {
  let index = indexes.get(spec);
  if (index === undefined) {
    index = { steps: new Map(), ids: new Set() };
    walk(spec.plan, '', index);
    walk(spec.cleanUp ?? [], CLEAN_UP, { steps: index.steps, ids: new Set() });
    indexes.set(spec, index);
  }
  return index;
}

function walk(plan: Plan, path: string, index: Index): void {
  for (const node of plan) {
    const full = `${path}${node.id}`;
    switch (node.kind) {
      case 'step':
        index.steps.set(full, node);
        index.ids.add(full);
        break;
      case 'sleep':
      case 'signal':
        index.ids.add(full);
        break;
      case 'branches':
        node.branches.forEach((branch, number) => {
          walk(branch, `${full}-${number}/`, index);
        });
        break;
      case 'map':
        for (let item = 0; item < node.count; item++) walk(node.body, `${full}[${item}]/`, index);
        break;
      case 'attempt':
        walk(node.body, path, index);
        break;
      case 'children':
        for (let child = 0; child < node.count; child++) index.ids.add(`${full}-${child}`);
        walk(node.meanwhile, path, index);
        break;
      default:
    }
  }
}
