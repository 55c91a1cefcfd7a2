import type { Agent } from '../../agent/index.ts';

export interface InputFault {
  /** From the root of the input. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What an agent's schema has against an input, which it may change. */
export async function inputFaults(agent: Agent, input: unknown): Promise<InputFault[]> {
  const result = await agent.input['~standard'].validate(input);
  return (result.issues ?? []).map((issue) => ({
    path: (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)),
    message: issue.message,
  }));
}
