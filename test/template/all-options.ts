import type { LonghaulConfigInput } from '../../lib/config.ts';

/** Everything on that a deployment may have beside the defaults. */
export const ALL_OPTIONS: LonghaulConfigInput = {
  encryption: { customerKey: true },
  api: { waf: true, vpcEndpoints: 'vpce-0123456789abcdef0 vpce-0123456789abcdef1' },
  workers: {
    heavy: {
      agents: ['ticket-report'],
      memoryMb: 2_048,
      timeoutSeconds: 900,
      batchSize: 1,
      maxConcurrency: 5,
      reservedConcurrency: 10,
    },
  },
  tags: { team: 'agents', 'cost-centre': '4711' },
  eventBus: 'new',
  events: { reservedConcurrency: 100 },
  alarms: { email: 'oncall@example.com' },
};
