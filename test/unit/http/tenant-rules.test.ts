import { describe, expect, it } from '@jest/globals';
import { findCaller } from '../../../lambdas/http/caller.ts';
import { rulesContext, rulesOf } from '../../../lambdas/http/tenant-rules.ts';
import type { TenantSettings } from '../../../src/core/ports/tenant-store.ts';
import { ACME, anEvent, bodyOf } from '../../support/http.ts';
import { NOON } from '../../support/builders.ts';
import { commandWorld } from '../../support/command-world.ts';
import { submitWorld } from '../../support/submit-world.ts';

describe('rules of a tenant', () => {
  it.each<{ name: string; settings: TenantSettings | undefined; rules: object }>([
    { name: 'none', settings: undefined, rules: { limits: {}, requestsPerSecond: 3 } },
    {
      name: 'an empty list of agents',
      settings: { allowedAgents: [] },
      rules: { allowedAgents: [], limits: {}, requestsPerSecond: 3 },
    },
    {
      name: 'all',
      settings: {
        allowedAgents: ['greet', 'echo'],
        limits: { maxSteps: 5, maxDurationMs: 1_000 },
        requestsPerSecond: 0,
        webhookEndpoints: [{ id: 'e', url: 'https://acme.example' }],
      },
      rules: {
        allowedAgents: ['greet', 'echo'],
        limits: { maxSteps: 5, maxDurationMs: 1_000 },
        requestsPerSecond: 0,
        hasEndpoints: true,
      },
    },
  ])('come out of the authorizer as they went in: $name', ({ settings, rules }) => {
    const handedOver = Object.entries(rulesContext(settings, { requestsPerSecond: 3 }));
    // API Gateway makes texts of everything.
    const arrived = Object.fromEntries(handedOver.map(([name, value]) => [name, String(value)]));

    expect(rulesOf(arrived)).toEqual(rules);
  });
});

describe('a caller', () => {
  const event = (expiresAt: string) => {
    const event = anEvent({ caller: { ...ACME, expiresAt } });
    event.requestContext.requestTimeEpoch = NOON;
    return event;
  };

  it('is nobody any more once the key has ended, however long the verdict is kept', () => {
    expect(findCaller(event(String(NOON)))).toBeUndefined();
    expect(findCaller(event(String(NOON + 1)))).toMatchObject({ tenantId: 'acme' });
  });
});

describe('a tenant that may use some agents only', () => {
  const caller = { ...ACME, allowedAgents: 'echo not-deployed' };

  it('submits to those', async () => {
    const { statusCode } = await submitWorld().submit(
      { agent: 'echo', input: { value: 1 } },
      { caller },
    );
    expect(statusCode).toBe(202);
  });

  it.each(['order', 'never-heard-of'])('is told which when it asks for %s', async (agent) => {
    const world = submitWorld();

    const result = await world.submit({ agent, input: {} }, { caller });

    expect(bodyOf(result)).toMatchObject({
      status: 403,
      code: 'agent_not_allowed',
      knownAgents: ['echo'],
      errors: [{ pointer: '/agent' }],
    });
    expect(result.body).not.toContain('five-steps');
    expect(world.queue.messages).toEqual([]);
  });

  it('does not learn of others when it asks for one that is not deployed', async () => {
    const result = await submitWorld().submit({ agent: 'not-deployed', input: {} }, { caller });
    expect(bodyOf(result)).toMatchObject({
      status: 422,
      code: 'unknown_agent',
      knownAgents: ['echo'],
    });
  });
});

describe('an agent taken from a tenant', () => {
  const caller = { ...ACME, allowedAgents: 'other' };

  it.each([
    { command: 'retry', status: 'failed', body: {} },
    { command: 'fork', status: 'succeeded', body: { fromStep: 'first' } },
  ] as const)('does not run again by a $command', async ({ command, status, body }) => {
    const world = commandWorld();
    await world.given({ status, agent: 'summarize' });

    const problem = bodyOf(await world.send(command, body, { caller }));

    expect(problem).toMatchObject({ status: 403, code: 'agent_not_allowed' });
    expect((await world.job()).status).toBe(status);
  });

  it('can be cancelled', async () => {
    const world = commandWorld();
    await world.given({ status: 'queued' });
    expect((await world.send('cancel', undefined, { caller })).statusCode).toBe(200);
  });
});
