import { describe, expect, it } from '@jest/globals';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { usageRoute } from '../../../lambdas/http/usage-route.ts';
import { memoryUsageStore } from '../../../src/adapters/memory/usage-store.ts';
import { usageSchema } from '../../../src/protocol/usage.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';
import type { RequestParts } from '../../support/http.ts';

const usage = memoryUsageStore();
const handler = httpHandler(
  recordingTelemetry(),
  usageRoute({ usage, clock: { now: () => Date.UTC(2026, 10, 30, 23, 59) } }),
);
const get = (parts: RequestParts) =>
  handler(anEvent({ method: 'GET', resource: '/usage', ...parts }), LAMBDA_CONTEXT);

describe('GET /usage', () => {
  it("answers the caller's own, of the month asked for, and of the current one", async () => {
    const used = { jobs: { succeeded: 2, failed: 1, cancelled: 0 }, steps: 9 };
    await usage.add('acme', '2026-11', used);
    await usage.add('globex', '2026-11', used);
    await usage.add('globex', '2026-10', used);

    const answers = await Promise.all([get({}), get({ query: { month: '2026-11' } })]);

    for (const answer of answers) {
      expect(usageSchema.strict().parse(bodyOf(answer))).toEqual({ month: '2026-11', ...used });
    }
    expect(bodyOf(await get({ query: { month: '2026-10' } }))).toEqual({
      month: '2026-10',
      jobs: { succeeded: 0, failed: 0, cancelled: 0 },
      steps: 0,
    });
  });

  it.each(['2026-13', '2026-1', '2026-00', 'november', ''])(
    'refuses %j as a month',
    async (month) => {
      expect(bodyOf(await get({ query: { month } }))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ parameter: 'month', message: expect.stringContaining('YYYY-MM') }],
      });
    },
  );

  it('needs the scope to read', async () => {
    const caller = { tenantId: 'acme', scopes: 'jobs:write ops' };
    expect(bodyOf(await get({ caller }))).toMatchObject({ status: 403 });
  });
});
