import type { Resource } from '../template/deployment.ts';
import { TemplateError } from '../template/template-error.ts';
import type { Alarm, AlarmReport, AlarmState } from './alarm.ts';

/** An alarm of the template over others: it goes off with the first of them. */
export interface CompositeAlarm {
  readonly name: string;
  readonly of: readonly Alarm[];
  /** While this one is in alarm, nobody is told. */
  readonly suppressor: Alarm | undefined;
}

export interface CompositeReport {
  readonly name: string;
  readonly state: AlarmState;
  /** Names of the alarms that have gone off. */
  readonly because: readonly string[];
  /** Whether somebody would be told now, were the state to change. */
  readonly tells: boolean;
}

const ONE = /^ALARM\("([^"]+)"\)$/;

/**
 * Played is a rule that names alarms with OR between them.
 * @throws TemplateError naming the composite alarm, for any other
 */
export function compositeAlarm(
  { logicalId, name, properties }: Resource,
  alarms: readonly Alarm[],
): CompositeAlarm {
  const alarm = (wanted: string): Alarm => {
    const found = alarms.find((one) => [one.name, one.arn].includes(wanted));
    if (found) return found;
    throw new TemplateError(logicalId, `no alarm ${wanted} in the template`);
  };
  const rule = properties.text('AlarmRule');
  const terms = rule.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return {
    name,
    of: terms.map((term) => {
      const [, wanted] = ONE.exec(term.trim()) ?? [];
      if (wanted !== undefined) return alarm(wanted);
      throw new TemplateError(
        logicalId,
        `unknown rule ${rule}; known: ALARM("…") OR ALARM("…") and so on`,
      );
    }),
    suppressor: properties.has('ActionsSuppressor')
      ? alarm(properties.text('ActionsSuppressor'))
      : undefined,
  };
}

export function judgeComposite(
  { name, of, suppressor }: CompositeAlarm,
  reports: readonly AlarmReport[],
): CompositeReport {
  const isOff = (alarm: Alarm) =>
    reports.some((report) => report.name === alarm.name && report.state === 'ALARM');
  const because = of.filter(isOff).map((alarm) => alarm.name);
  return {
    name,
    state: because.length > 0 ? 'ALARM' : 'OK',
    because,
    tells: suppressor === undefined || !isOff(suppressor),
  };
}
