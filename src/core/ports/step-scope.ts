/** The step whose function is running. */
export interface RunningStep {
  readonly jobId: string;
  readonly stepId: string;
  /** 1-based. */
  readonly try: number;
}

/** Knows to which step the code that is running now belongs, across every `await` in it. */
export interface StepScope {
  /** Calls a step's function; whatever it starts belongs to the step. */
  run<T>(step: RunningStep, fn: () => T): T;
  current(): RunningStep | undefined;
}
