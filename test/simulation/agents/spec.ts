import type { Random } from '../world/random.ts';

/** How a step behaves, on every try the same way. */
export type Behaviour =
  | { readonly kind: 'fine' }
  /** An outcome that does not fit into a page. */
  | { readonly kind: 'large' }
  /** Fails so many times, fewer than it has tries. */
  | { readonly kind: 'flaky'; readonly failures: number }
  /** Fails on every try, until a user gives a hint. */
  | { readonly kind: 'exhausted'; readonly mayHelp: boolean }
  | { readonly kind: 'terminal' }
  /** Takes longer than its timeout. */
  | { readonly kind: 'overrun' }
  /** Takes its environment down. */
  | { readonly kind: 'killer' };

export type Node =
  | {
      readonly kind: 'step';
      readonly id: string;
      readonly ms: number;
      readonly timeoutMs: number;
      readonly behaviour: Behaviour;
      readonly retries: number;
      readonly backoffMs: number;
    }
  | { readonly kind: 'sleep'; readonly id: string; readonly ms: number }
  | {
      readonly kind: 'signal';
      readonly id: string;
      readonly name: string;
      readonly timeoutMs: number | undefined;
    }
  | { readonly kind: 'branches'; readonly id: string; readonly branches: readonly Plan[] }
  | {
      readonly kind: 'map';
      readonly id: string;
      readonly count: number;
      readonly concurrency: number;
      readonly body: Plan;
    }
  | {
      readonly kind: 'children';
      readonly id: string;
      readonly agent: string;
      readonly count: number;
      readonly cancelWithParent: boolean;
      readonly onFailure: 'fail' | 'collect';
      /** What the parent does between spawning and joining. */
      readonly meanwhile: Plan;
    }
  | { readonly kind: 'attempt'; readonly id: string; readonly body: Plan }
  | { readonly kind: 'note'; readonly id: string };

export type Plan = readonly Node[];

export interface AgentSpec {
  readonly name: string;
  readonly version: string;
  readonly plan: Plan;
  readonly cleanUp: Plan | undefined;
  readonly maxAttempts: number;
  readonly maxDurationMs: number;
  readonly maxSteps: number;
  readonly maxCleanUpMs: number;
  /** Bytes of the input and of the result beyond what they need. */
  readonly inputPadding: number;
  readonly resultPadding: number;
}

export const SIGNALS = ['alpha', 'beta'] as const;
const DAY_MS = 86_400_000;

interface Draw {
  readonly random: Random;
  /** Agents that may be spawned. */
  readonly children: readonly string[];
  /** Whether this plan may fail: of branches side by side only one may, so that the error is the same in every replay. */
  mayFail: boolean;
  readonly ids: { last: number };
}

/** Agents of one seed; each may spawn those before it, so they nest once. Among many jobs at once the last one takes long. */
export function drawAgents(random: Random, isBusy: boolean): AgentSpec[] {
  const specs: AgentSpec[] = [];
  const count = random.between(isBusy ? 2 : 1, 3);
  for (let index = 0; index < count; index++) {
    const draw: Draw = {
      random,
      children: specs.map(({ name }) => name),
      mayFail: true,
      ids: { last: 0 },
    };
    const plan = drawPlan(draw, index === 0 && count > 1 ? 1 : 2, random.between(1, 4));
    const isSlow = isBusy && index === count - 1;
    specs.push({
      name: `agent-${index}`,
      version: '1',
      plan: isSlow ? [...drawSlow(draw), ...plan] : plan,
      cleanUp: random.chance(0.5) ? drawCleanUp(draw) : undefined,
      maxAttempts: random.pick([2, 3, 5]),
      maxDurationMs: random.chance(0.15) ? random.magnitude(60_000, 3_600_000) : 30 * DAY_MS,
      maxSteps: random.chance(0.1) ? random.between(1, 8) : 10_000,
      maxCleanUpMs: random.magnitude(5_000, 3_600_000),
      inputPadding: random.chance(0.9) ? 0 : random.pick([600, 9_000]),
      resultPadding: random.chance(0.9) ? 0 : random.pick([600, 9_000]),
    });
  }
  return specs;
}

function drawSlow(draw: Draw): Plan {
  return Array.from({ length: 4 }, () => ({
    kind: 'step',
    id: `n${++draw.ids.last}`,
    ms: draw.random.between(2_000, 9_000),
    timeoutMs: 10_000,
    behaviour: { kind: 'fine' },
    retries: 3,
    backoffMs: 1_000,
  }));
}

function drawCleanUp(draw: Draw): Plan {
  const { random } = draw;
  return drawPlan({ ...draw, children: [], mayFail: random.chance(0.2) }, 0, random.between(1, 2));
}

function drawPlan(draw: Draw, depth: number, length: number): Plan {
  return Array.from({ length }, () => drawNode(draw, depth));
}

function drawNode(draw: Draw, depth: number): Node {
  const { random, children } = draw;
  const id = `n${++draw.ids.last}`;
  const dice = random.next();
  if (dice < 0.1) return { kind: 'sleep', id, ms: drawSleep(random) };
  if (dice < 0.22) {
    const timeoutMs = random.chance(0.5) ? random.magnitude(1_000, DAY_MS) : undefined;
    return { kind: 'signal', id, name: random.pick(SIGNALS), timeoutMs };
  }
  if (dice < 0.27) return { kind: 'note', id };
  if (depth > 0 && dice < 0.38) return drawBranches(draw, depth, id);
  if (depth > 0 && dice < 0.46) {
    const count = random.between(1, 4);
    const concurrency = random.between(1, 3);
    const body = drawPlan(draw, depth - 1, random.between(1, 2));
    return { kind: 'map', id, count, concurrency, body };
  }
  if (depth > 0 && dice < 0.53) {
    const body = drawPlan({ ...draw, mayFail: true }, depth - 1, random.between(1, 2));
    return { kind: 'attempt', id, body };
  }
  if (children.length > 0 && dice < 0.68) {
    return {
      kind: 'children',
      id,
      agent: random.pick(children),
      count: random.between(1, 3),
      cancelWithParent: random.chance(0.7),
      onFailure: draw.mayFail && random.chance(0.4) ? 'fail' : 'collect',
      meanwhile: depth > 0 ? drawPlan(draw, depth - 1, random.between(0, 1)) : [],
    };
  }
  return drawStep(draw, id);
}

function drawBranches(draw: Draw, depth: number, id: string): Node {
  const { random } = draw;
  const failing = draw.mayFail ? random.between(0, 3) : -1;
  const branches = Array.from({ length: random.between(2, 3) }, (_, index) => {
    const part = { ...draw, mayFail: index === failing };
    return drawPlan(part, depth - 1, random.between(1, 2));
  });
  return { kind: 'branches', id, branches };
}

function drawStep(draw: Draw, id: string): Node {
  const { random } = draw;
  const behaviour = drawBehaviour(draw);
  const timeoutMs = random.chance(0.3) ? random.magnitude(100, 26_000) : 15_000;
  const ms = random.chance(0.3) ? random.magnitude(100, 12_000) : random.between(0, 50);
  return {
    kind: 'step',
    id,
    // Well below the timeout or beyond it: which comes first is nobody's luck.
    ms:
      behaviour.kind === 'overrun'
        ? timeoutMs + random.between(1, 5_000)
        : Math.min(ms, timeoutMs - 50),
    timeoutMs,
    behaviour,
    retries: random.between(1, 3),
    backoffMs: random.magnitude(100, 60_000),
  };
}

function drawBehaviour({ random, mayFail }: Draw): Behaviour {
  const dice = random.next();
  if (dice < 0.14) return { kind: 'flaky', failures: 1 };
  if (dice < 0.16) return { kind: 'large' };
  if (!mayFail) return { kind: 'fine' };
  if (dice < 0.24) return { kind: 'exhausted', mayHelp: random.chance(0.7) };
  if (dice < 0.29) return { kind: 'terminal' };
  if (dice < 0.31) return { kind: 'killer' };
  if (dice < 0.34) return { kind: 'overrun' };
  return { kind: 'fine' };
}

function drawSleep(random: Random): number {
  return random.chance(0.5) ? random.between(100, 8_000) : random.magnitude(8_000, DAY_MS);
}

/** How many steps of a plan can run at the same time. */
export function widthOf(plan: Plan): number {
  return Math.max(1, ...plan.map(widthOfNode));
}

function widthOfNode(node: Node): number {
  switch (node.kind) {
    case 'branches':
      return node.branches.reduce((sum, branch) => sum + widthOf(branch), 0);
    case 'map':
      return node.concurrency * widthOf(node.body);
    case 'attempt':
      return widthOf(node.body);
    case 'children':
      return Math.max(node.count, widthOf(node.meanwhile));
    default:
      return 1;
  }
}
