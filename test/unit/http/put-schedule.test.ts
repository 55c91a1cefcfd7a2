import { describe, expect, it } from '@jest/globals';
import { httpHandler } from '../../../lambdas/http/http-handler.ts';
import { putScheduleRoute } from '../../../lambdas/http/put-schedule-route.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { memoryScheduleStore } from '../../../src/adapters/memory/schedule-store.ts';
import { MemoryScheduleTrigger } from '../../../src/adapters/memory/schedule-trigger.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { AppError } from '../../../src/errors.ts';
import { registry } from '../../support/agents.ts';
import { NOON } from '../../support/builders.ts';
import { anEvent, bodyOf, LAMBDA_CONTEXT, recordingTelemetry } from '../../support/http.ts';

const HOURLY = { expression: 'rate(1 hour)', agent: 'echo', input: { value: 1 } };

describe('a schedule that EventBridge does not take', () => {
  it('is refused with its reason, and stays pending', async () => {
    const clock = { now: () => NOON };
    const trigger = new MemoryScheduleTrigger();
    trigger.set = () =>
      Promise.reject(new AppError('Invalid Schedule Expression.', { code: 'invalid_schedule' }));
    const schedules = memoryScheduleStore();
    const telemetry = recordingTelemetry();
    const handler = httpHandler(
      telemetry,
      putScheduleRoute({
        schedules,
        trigger,
        configured: [],
        maxPerTenant: 5,
        clock,
        ids: systemIdSource,
        agents: registry,
        jobs: memoryJobStore(clock),
        payloads: memoryPayloadStore(),
        webhooks: { allowLoopback: false },
      }),
    );

    const answer = await handler(
      anEvent({
        method: 'PUT',
        resource: '/schedules/{name}',
        pathParameters: { name: 'hourly' },
        body: JSON.stringify(HOURLY),
      }),
      LAMBDA_CONTEXT,
    );

    expect(bodyOf(answer)).toMatchObject({ status: 422, code: 'invalid_schedule' });
    expect(bodyOf(answer)['detail']).toContain('Invalid Schedule Expression.');
    const id = { tenantId: 'acme', name: 'hourly' };
    expect(await schedules.find(id)).toMatchObject({ isArmed: false });
  });
});
