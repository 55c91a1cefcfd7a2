/** What the process and the thread of an execution environment say to each other. */

export interface ThreadData {
  readonly directory: string;
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** Ports of the emulators by service; a call to one of them is numbered and may be a crash point. */
  readonly emulatorPorts: Readonly<Record<number, string>>;
  /** `CallCounter` of the function, shared by all of its environments. */
  readonly callCounter: SharedArrayBuffer;
}

export interface InvokeMessage {
  readonly requestId: string;
  readonly payload: string;
  readonly deadlineAt: number;
  readonly traceId: string;
}

export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** A call of the bundle to an emulator. */
export interface EmulatorCall {
  /** Position among the calls of the function since the last reset, from 1. */
  readonly number: number;
  readonly service: string;
  /** `PutItem`, `SendMessage`, or method and path for S3. */
  readonly operation: string;
}

export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'called'; readonly call: EmulatorCall }
  | { readonly kind: 'chunk'; readonly chunk: Uint8Array }
  | { readonly kind: 'succeeded'; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: FunctionError; readonly inInit: boolean };
