/** What the local cloud and the process of an execution environment say to each other. */

export interface Start {
  readonly kind: 'start';
  readonly directory: string;
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** Services by port of their emulator; a call to one of them is reported and may be a crash point. */
  readonly emulatorPorts: Readonly<Record<number, string>>;
  /** Where a call goes that is to be refused: whatever listens there says that the service is busy. */
  readonly refusalPort: number;
}

export interface Invoke {
  readonly kind: 'invoke';
  readonly requestId: string;
  readonly payload: string;
  readonly deadlineAt: number;
  readonly traceId: string;
}

/** Whether each call has to be asked for before it is made, since one of them is a crash point or to be refused. */
export interface Arm {
  readonly kind: 'arm';
  readonly isArmed: boolean;
}

/** A piece of a streamed answer has been passed on: there is room for the next. */
export interface Taken {
  readonly kind: 'taken';
  readonly requestId: string;
}

/** Nobody reads the streamed answer any more. */
export interface Abandon {
  readonly kind: 'abandon';
  readonly requestId: string;
}

export type ToEnvironment = Start | Invoke | Arm | Taken | Abandon;

export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** A call of the bundle to an emulator. */
export interface EmulatorCall {
  readonly service: string;
  /** `PutItem`, `SendMessage`, or method and path for S3. */
  readonly operation: string;
  /** Of the invocation that makes it. */
  readonly requestId?: string;
}

export type FromEnvironment =
  | { readonly kind: 'ready' }
  | { readonly kind: 'called'; readonly call: EmulatorCall }
  | { readonly kind: 'chunk'; readonly requestId: string; readonly chunk: Uint8Array }
  | { readonly kind: 'succeeded'; readonly requestId: string; readonly payload: string }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: FunctionError }
  /** The process is about to end. */
  | { readonly kind: 'dying'; readonly error: FunctionError };

/** File descriptor over which an armed environment asks for each call, a JSON line each. */
export const CALLS_FD = 4;

/** The answers it gets, one byte each. */
export const VERDICTS = { go: 'g', dieBefore: 'b', dieAfter: 'a', refuse: 'r' } as const;
export type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS];
