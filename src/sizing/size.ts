import { type QuotaUse, quotasOf, type Suggestion, suggestionsOf } from './advice.ts';
import { alternatives, type CostLine, monthlyCost } from './cost.ts';
import { type Demand, demandOf } from './demand.ts';
import type { Load, Settings } from './load.ts';
import { type Requests, requestsOf } from './requests.ts';

/** What a load needs and costs. */
export interface Sizing {
  readonly load: Load;
  readonly settings: Settings;
  readonly demand: Demand;
  /** Of one job. */
  readonly requests: Requests;
  readonly quotas: readonly QuotaUse[];
  readonly suggestions: readonly Suggestion[];
  readonly cost: readonly CostLine[];
  readonly alternatives: readonly CostLine[];
}

export function sizeOf(load: Load, settings: Settings): Sizing {
  const demand = demandOf(load, settings);
  const requests = requestsOf(load, settings, demand);
  return {
    load,
    settings,
    demand,
    requests,
    quotas: quotasOf(load, demand, requests),
    suggestions: suggestionsOf(load, settings, demand),
    cost: monthlyCost(load, settings, requests),
    alternatives: alternatives(load, settings),
  };
}
