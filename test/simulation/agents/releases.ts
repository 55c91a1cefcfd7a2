import type { Random } from '../world/random.ts';
import type { AgentSpec, Node, Plan } from './spec.ts';

/** What is deployed from an instant on. */
export interface Release {
  readonly at: number;
  readonly specs: readonly AgentSpec[];
}

/** The deploys of a seed: in most there is one, some replace all agents in the middle, some of those take that back. */
export function drawReleases(
  random: Random,
  specs: readonly AgentSpec[],
  time: { readonly start: number; readonly horizon: number },
): Release[] {
  const releases: Release[] = [{ at: 0, specs }];
  if (!random.chance(0.3)) return releases;
  const spanMs = time.horizon - time.start;
  const at = time.start + random.next() * spanMs;
  releases.push({ at, specs: specs.map((spec) => nextVersion(random, spec)) });
  if (random.chance(0.3)) releases.push({ at: at + random.next() * spanMs, specs });
  return releases;
}

/** Steps added, removed and reordered, as `docs/deploys-in-flight.md` allows it. */
function nextVersion(random: Random, spec: AgentSpec): AgentSpec {
  const change = changer(random);
  const { plan, cleanUp } = spec;
  return {
    ...spec,
    version: '2',
    plan: change(plan),
    cleanUp: cleanUp === undefined ? undefined : change(cleanUp),
  };
}

function changer(random: Random): (plan: Plan) => Plan {
  let added = 0;
  const addedStep = (): Node => ({
    kind: 'step',
    id: `v${++added}`,
    ms: random.between(0, 50),
    timeoutMs: 15_000,
    behaviour: { kind: 'fine' },
    retries: 1,
    backoffMs: 1_000,
  });
  const change = (plan: Plan): Plan => {
    const nodes = plan.map(changeInside);
    const place = random.between(0, nodes.length);
    const [first, second] = [nodes[place], nodes[place + 1]];
    if (random.chance(0.15)) nodes.splice(place, 1);
    else if (random.chance(0.3)) nodes.splice(place, 0, addedStep());
    else if (first !== undefined && second !== undefined && random.chance(0.4))
      nodes.splice(place, 2, second, first);
    return nodes;
  };
  const changeInside = (node: Node): Node => {
    switch (node.kind) {
      case 'branches':
        return { ...node, branches: node.branches.map(change) };
      case 'map':
      case 'attempt':
        return { ...node, body: change(node.body) };
      case 'children':
        return { ...node, meanwhile: change(node.meanwhile) };
      default:
        return node;
    }
  };
  return change;
}
