import { readSync, writeSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import {
  CALLS_FD,
  VERDICTS,
  type EmulatorCall,
  type Start,
  type Verdict,
} from './environment-protocol.ts';

const CRASH_EXIT_CODE = 99;

interface Watcher {
  readonly report: (call: EmulatorCall) => void;
  readonly requestId: () => string | undefined;
}

/**
 * Reports every call the bundle makes to an emulator. While a crash point is armed each call is asked for first, and the
 * process ends where it is told to: just before the call is sent, or when its answer has arrived and the SDK has not
 * seen it yet. A call that is to be refused goes to a server that refuses it.
 */
export class WatchedCalls {
  isArmed = false;
  readonly #emulatorPorts: Readonly<Record<number, string>>;
  readonly #refusalPort: number;
  readonly #report: (call: EmulatorCall) => void;
  readonly #requestId: () => string | undefined;

  /** `requestId` tells for which invocation the code runs that is running now. */
  constructor(
    { emulatorPorts, refusalPort }: Pick<Start, 'emulatorPorts' | 'refusalPort'>,
    { report, requestId }: Watcher,
  ) {
    this.#emulatorPorts = emulatorPorts;
    this.#refusalPort = refusalPort;
    this.#report = report;
    this.#requestId = requestId;
  }

  /** Has to come before the bundle is loaded. */
  install(): void {
    const request = http.request;
    http.request = ((...args: Parameters<typeof request>) => {
      const call = this.#emulatorCall(args);
      const verdict = call ? this.#verdictOn(call) : VERDICTS.go;
      if (verdict === VERDICTS.dieBefore) process.exit(CRASH_EXIT_CODE);
      const sent = Reflect.apply(
        request,
        http,
        verdict === VERDICTS.refuse ? this.#toRefusal(args) : args,
      );
      if (verdict === VERDICTS.dieAfter) {
        sent.prependListener('response', () => process.exit(CRASH_EXIT_CODE));
      }
      return sent;
    }) as typeof request;
    syncBuiltinESMExports();
  }

  /** The same request, to another port. */
  #toRefusal<Args extends readonly unknown[]>(args: Args): Args {
    const port = this.#refusalPort;
    const turned = args.map((arg) => (typeof arg === 'object' ? { ...arg, port } : arg));
    return turned as unknown as Args;
  }

  #verdictOn(call: EmulatorCall): Verdict {
    if (this.isArmed) return askFor(call);
    this.#report(call);
    return VERDICTS.go;
  }

  #emulatorCall(args: readonly unknown[]): EmulatorCall | undefined {
    const options = args.find((arg) => typeof arg === 'object') as http.RequestOptions | undefined;
    const service = this.#emulatorPorts[Number(options?.port)];
    if (!options || service === undefined) return undefined;
    const requestId = this.#requestId();
    return { ...named(service, options), ...(requestId !== undefined && { requestId }) };
  }
}

/** Blocks until the local cloud has answered: no other call may come in between. */
function askFor(call: EmulatorCall): Verdict {
  writeSync(CALLS_FD, `${JSON.stringify(call)}\n`);
  const answer = Buffer.alloc(1);
  readSync(CALLS_FD, answer);
  return answer.toString() as Verdict;
}

/** The JSON protocols name their operation in a header (`DynamoDB_20120810.PutItem`); S3 does not. */
function named(service: string, { headers, method, path }: http.RequestOptions): EmulatorCall {
  const target = Object.entries(headers ?? {}).find(([name]) => /^x-amz-target$/i.test(name))?.[1];
  if (typeof target === 'string') {
    const [api = '', operation = ''] = target.split('.');
    return { service: api.startsWith('AmazonSQS') ? 'sqs' : service, operation };
  }
  return { service, operation: `${method ?? 'GET'} ${(path ?? '/').split('?')[0] ?? '/'}` };
}
