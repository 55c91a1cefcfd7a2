/** A request to the routes below `/_local`. */
export interface ControlRequest {
  readonly method: string;
  /** Below `/_local`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request the control routes refuse, with the status to answer. */
export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, problem: string) {
    super(problem);
    this.status = status;
  }
}

type Body = ControlRequest['body'];

export function text(body: Body, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ControlError(400, `${name} must be a string, got ${JSON.stringify(value)}`);
}

export function whole(body: Body, name: string, least: number): number {
  const value = Number(body[name]);
  if (Number.isInteger(value) && value >= least) return value;
  const got = JSON.stringify(body[name]);
  throw new ControlError(400, `${name} must be a whole number from ${least}, got ${got}`);
}
