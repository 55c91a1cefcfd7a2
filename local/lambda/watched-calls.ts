import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { CallCounter } from './call-counter.ts';
import type { EmulatorCall } from './thread-protocol.ts';

interface Watch {
  readonly emulatorPorts: Readonly<Record<number, string>>;
  readonly counter: CallCounter;
  readonly report: (call: EmulatorCall) => void;
}

const CRASH_EXIT_CODE = 99;

/**
 * Numbers and reports every call the bundle makes to an emulator, and ends the thread at the armed crash point: just
 * before the call is sent, or when its answer has arrived and the SDK has not seen it yet.
 */
export function watchCalls({ emulatorPorts, counter, report }: Watch): void {
  const request = http.request;
  const watched = (...args: unknown[]): http.ClientRequest => {
    const send = () => Reflect.apply(request, http, args as Parameters<typeof request>);
    const options = args.find((arg) => typeof arg === 'object') as http.RequestOptions | undefined;
    const service = emulatorPorts[Number(options?.port)];
    if (!options || service === undefined) return send();
    const number = counter.next();
    report({ number, ...named(service, options) });
    if (counter.goesOff(number, 'before')) process.exit(CRASH_EXIT_CODE);
    return send().prependListener('response', () => {
      if (counter.goesOff(number, 'after')) process.exit(CRASH_EXIT_CODE);
    });
  };
  http.request = watched;
  syncBuiltinESMExports();
}

/** The JSON protocols name their operation in a header (`DynamoDB_20120810.PutItem`); S3 does not. */
function named(service: string, { headers, method, path }: http.RequestOptions) {
  const target = Object.entries(headers ?? {}).find(([name]) => /^x-amz-target$/i.test(name))?.[1];
  if (typeof target === 'string') {
    const [api = '', operation = ''] = target.split('.');
    return { service: api.startsWith('AmazonSQS') ? 'sqs' : service, operation };
  }
  return { service: 's3', operation: `${method ?? 'GET'} ${(path ?? '/').split('?')[0] ?? '/'}` };
}
