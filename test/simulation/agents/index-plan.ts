import { CLEAN_UP } from './bind.ts';
import type { AgentSpec, Node, Plan } from './spec.ts';

type Step = Extract<Node, { kind: 'step' }>;

const indexes = new WeakMap<AgentSpec, Map<string, Step>>();

/** Steps of an agent by their full ids. */
export function stepsOf(spec: AgentSpec): ReadonlyMap<string, Step> {
  let index = indexes.get(spec);
  if (index === undefined) {
    index = new Map();
    walk(spec.plan, '', index);
    walk(spec.cleanUp ?? [], CLEAN_UP, index);
    indexes.set(spec, index);
  }
  return index;
}

function walk(plan: Plan, path: string, index: Map<string, Step>): void {
  for (const node of plan) {
    const full = `${path}${node.id}`;
    switch (node.kind) {
      case 'step':
        index.set(full, node);
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
        walk(node.meanwhile, path, index);
        break;
      default:
    }
  }
}
