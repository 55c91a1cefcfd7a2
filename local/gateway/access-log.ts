import { TemplateError } from '../template/template-error.ts';
import type { ContextVariables } from './context-variables.ts';

const VARIABLE = /\$[A-Za-z]\w*(?:\.\w+)*/g;

/** Whatever the authorizer answered under a name of its own. */
const OF_AUTHORIZER = /^\$context\.authorizer\.\w+$/;

const KNOWN_VARIABLES = [
  'accountId',
  'apiId',
  'error.message',
  'error.messageString',
  'error.responseType',
  'extendedRequestId',
  'httpMethod',
  'identity.sourceIp',
  'identity.userAgent',
  'integrationLatency',
  'path',
  'protocol',
  'requestId',
  'requestTime',
  'requestTimeEpoch',
  'resourcePath',
  'responseLatency',
  'responseLength',
  'stage',
  'status',
] as const;

/**
 * The format of a stage's access log, with variables that are all known.
 * @throws TemplateError naming the stage and the variable that is not.
 */
export function checkedFormat(where: string, format: string): string {
  for (const [variable] of format.matchAll(VARIABLE)) {
    if (OF_AUTHORIZER.test(variable)) continue;
    if (KNOWN_VARIABLES.some((known) => variable === `$context.${known}`)) continue;
    throw new TemplateError(where, `unknown variable ${variable} in the format of the access log`);
  }
  return format;
}

/** The line of one request. */
export function accessLine(format: string, context: ContextVariables): string {
  // API Gateway writes a dash for what there is not.
  return format.replaceAll(
    VARIABLE,
    (variable) => context[variable.slice('$context.'.length)] ?? '-',
  );
}
