/** The command line was called in a way it does not know: exit code 2, and the usage is shown. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
