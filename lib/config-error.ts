/** A configuration that cannot be synthesized: every fault names the key, the value got and the values allowed. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`longhaul configuration: ${faults.join('; ')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
