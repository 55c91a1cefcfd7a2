/** Knows since when the present deployment runs. */
export interface DeploymentLog {
  /** Epoch milliseconds at which `deployment` took over from another one: `now`, if this is the first to say so. */
  since(deployment: string, now: number): Promise<number>;
}
