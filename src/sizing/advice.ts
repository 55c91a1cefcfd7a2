import { type Demand, TARGET_UTILISATION } from './demand.ts';
import type { Load, Settings } from './load.ts';
import { QUOTAS } from './quotas.ts';
import type { Requests } from './requests.ts';

export interface QuotaUse {
  readonly quota: string;
  readonly needed: number;
  readonly default: number;
  /** What to ask AWS for; undefined: the default does. */
  readonly raiseTo?: number;
}

/** A setting that would carry the load better. */
export interface Suggestion {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Submit and reads hold an environment this long. */
const API_SECONDS = 0.05;

/** What the load uses of each quota; the environments of sweeper and authorizer are counted with two. */
export function quotasOf(load: Load, demand: Demand, requests: Requests): QuotaUse[] {
  const perSecond = (perJob: number) => perJob * load.jobsPerSecond;
  const apiConcurrency = perSecond(requests.apiRequests) * API_SECONDS;
  return [
    quota(
      'Lambda: concurrent executions of the account',
      demand.concurrency + apiConcurrency + 2,
      QUOTAS.lambdaConcurrency,
    ),
    quota(
      'SQS: messages in flight in the jobs queue',
      demand.jobsInFlight,
      QUOTAS.messagesInFlight,
    ),
    quota(
      'API Gateway: requests a second',
      perSecond(requests.apiRequests),
      QUOTAS.apiRequestsPerSecond,
    ),
    quota(
      'DynamoDB: write units a second of the table',
      perSecond(requests.writeUnits),
      QUOTAS.tableWriteUnits,
    ),
    quota(
      'DynamoDB: write units a second of a new table',
      perSecond(requests.writeUnits),
      QUOTAS.newTableWriteUnits,
    ),
    quota(
      'S3: objects written a second under one prefix',
      perSecond(requests.objectPuts),
      QUOTAS.objectPutsPerSecond,
    ),
  ];
}

function quota(name: string, needed: number, normal: number): QuotaUse {
  const wanted = needed / TARGET_UTILISATION;
  return {
    quota: name,
    needed,
    default: normal,
    ...(wanted > normal && { raiseTo: roundUp(wanted) }),
  };
}

/** Two digits that count. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}

export function suggestionsOf(load: Load, settings: Settings, demand: Demand): Suggestion[] {
  const suggestions: Suggestion[] = [];
  const { batchSize, maxConcurrency } = settings;
  const fits = (size: number) => demand.jobsInFlight / size / TARGET_UTILISATION;
  const enough = Math.max(2, Math.ceil(fits(batchSize)));
  if (enough > QUOTAS.mappingConcurrency) {
    const larger = Math.ceil(fits(QUOTAS.mappingConcurrency));
    suggestions.push({
      key: 'worker.batchSize',
      from: batchSize,
      to: larger,
      why: `${Math.round(demand.jobsInFlight)} jobs in flight need more than ${QUOTAS.mappingConcurrency} invocations of ${batchSize}, the most an event source mapping gives; above 10 set worker.batchingWindowSeconds to 1`,
    });
  } else if (enough > maxConcurrency) {
    suggestions.push({
      key: 'worker.maxConcurrency',
      from: maxConcurrency,
      to: enough,
      why: `carries ${demand.capacityPerSecond.toFixed(1)} jobs a second at most; ${load.jobsPerSecond} need ${Math.ceil(demand.jobsInFlight / batchSize)} full invocations, and peaks need room`,
    });
  } else if (demand.jobsPerInvocation < batchSize / 2 && demand.concurrency >= 2) {
    suggestions.push({
      key: 'worker.maxConcurrency',
      from: maxConcurrency,
      to: enough,
      why: `only ${demand.jobsPerInvocation.toFixed(1)} jobs share an invocation: fewer invocations fill their batches, and compute costs by the invocation`,
    });
  }
  return suggestions;
}
