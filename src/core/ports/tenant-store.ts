import type { NotifyEvent } from '../notify/job-notify.ts';

/** Where a tenant wants to be told of its jobs. What is sent there is signed with the secret of the tenant. */
export interface WebhookEndpoint {
  /** Unique within the tenant. */
  readonly id: string;
  readonly url: string;
  /** Default: every event. */
  readonly events?: readonly NotifyEvent[];
}

/** What an operator has decided for a tenant. What is absent is as the deployment and its agents have it. */
export interface TenantSettings {
  /** Agents that the tenant may submit jobs to. */
  readonly allowedAgents?: readonly string[];
  /** Bounds of each of its jobs; they only tighten those of the agents. */
  readonly limits?: TenantLimits;
  readonly webhookEndpoints?: readonly WebhookEndpoint[];
  /** Requests a second to the API, 0 for no limit. */
  readonly requestsPerSecond?: number;
}

export interface TenantLimits {
  readonly maxSteps?: number;
  readonly maxDurationMs?: number;
}

/** Settings as they are stored. */
export type StoredTenant = TenantSettings & {
  readonly tenantId: string;
  /** Epoch milliseconds of the last change. */
  readonly updatedAt: number;
};

/** A setting that is named gets its new value, or is taken away by `null`; the others stay as they are. */
export type TenantChanges = {
  readonly [Name in keyof TenantSettings]?: TenantSettings[Name] | null;
};

/** The settings of the tenants. A tenant without any is not in here; its keys alone make a tenant. */
export interface TenantStore {
  /** Eventually consistent. */
  find(tenantId: string): Promise<StoredTenant | undefined>;
  /** Changes settings, of a tenant that has none yet, too; answers what they are then. */
  update(tenantId: string, changes: TenantChanges, now: number): Promise<StoredTenant>;
  /** All tenants with settings, by id; for operators, since it costs a read per tenant. Eventually consistent. */
  list(): Promise<StoredTenant[]>;
}
