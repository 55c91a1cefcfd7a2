import { TemplateError } from '../template/template-error.ts';
import { type ContextVariables, isOneOf, RESPONSE_VARIABLES } from './context-variables.ts';

const VARIABLE = /\$[A-Za-z]\w*(?:\.\w+)*/g;

/** Whatever the authorizer answered under a name of its own. */
const OF_AUTHORIZER = /^\$context\.authorizer\.\w+$/;

/** Besides what a response may name: how the request ended. */
const KNOWN_VARIABLES = [
  ...RESPONSE_VARIABLES,
  'integrationLatency',
  'responseLatency',
  'responseLength',
  'status',
];

/**
 * The format of a stage's access log, with variables that are all known.
 * @throws TemplateError naming the stage and the variable that is not.
 */
export function checkedFormat(where: string, format: string): string {
  for (const [variable] of format.matchAll(VARIABLE)) {
    if (OF_AUTHORIZER.test(variable)) continue;
    if (isOneOf(KNOWN_VARIABLES, variable)) continue;
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
