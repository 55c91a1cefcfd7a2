import { describe, expect, it } from '@jest/globals';
import { total } from '../../../src/sizing/cost.ts';
import type { Load, Settings } from '../../../src/sizing/load.ts';
import { queueRisks } from '../../../src/sizing/queue-risks.ts';
import { sizeOf } from '../../../src/sizing/size.ts';

const SETTINGS: Settings = {
  timeoutSeconds: 300,
  memoryMb: 512,
  batchSize: 10,
  batchingWindowSeconds: 0,
  maxConcurrency: 100,
  leaseSeconds: 60,
  retentionDays: 90,
};
const LOAD: Load = {
  jobsPerSecond: 100,
  durationSeconds: 10,
  steps: 5,
  inputBytes: 100,
  outcomeBytes: 100,
  resultBytes: 100,
  readsPerJob: 0,
};

describe('sizing', () => {
  it("reckons by Little's law: 100 jobs a second of 10 s are 1,000 in flight, ten in each of 100 invocations", () => {
    const { demand } = sizeOf(LOAD, SETTINGS);

    expect(demand).toEqual({
      jobsInFlight: 1_000,
      jobsPerInvocation: 10,
      concurrency: 100,
      slicesPerJob: 1,
      capacityPerSecond: 100,
    });
  });

  it('agrees with the requests that ten jobs of five steps were counted to make', () => {
    const { requests } = sizeOf(LOAD, SETTINGS);

    // The figures of test/integration/request-budget.test.ts and the README.
    expect(requests.writeUnits).toBeCloseTo(13.5);
    expect(requests.queueRequests).toBeCloseTo(1.2);
    expect(requests.invocations).toBeCloseTo(1.1);
    expect(requests.apiRequests).toBe(1);
  });

  it('prices a month like a hand calculation', () => {
    const { cost } = sizeOf({ ...LOAD, jobsPerSecond: 1_000_000 / 2_592_000 }, SETTINGS);
    const dollars = Object.fromEntries(
      cost.map(({ line, dollarsPerMonth }) => [line, dollarsPerMonth]),
    );

    // A million jobs a month, each alone in its invocation: 18 write units, since 0.4 of the manifest become 4, 0.1 of the usage 1, and 0.5 more.
    expect(dollars['API Gateway (REST)']).toBeCloseTo(3.5);
    expect(dollars['Lambda requests']).toBeCloseTo(0.4);
    expect(dollars['DynamoDB writes']).toBeCloseTo(18 * 0.625);
    expect(dollars.SQS).toBeCloseTo(3 * 0.5);
    // 10 s of 0.5 GB, and 25 ms of 1 GB for the submit.
    expect(dollars['Lambda compute']).toBeCloseTo(5.025 * 13.3334);
  });

  it('comes to what a hand calculation does for the worked example of docs/sizing.md', () => {
    const load = { ...LOAD, jobsPerSecond: 5, durationSeconds: 90, steps: 6, readsPerJob: 2 };
    const sizes = { inputBytes: 2_048, outcomeBytes: 500, resultBytes: 500 };
    const { demand, requests, cost } = sizeOf({ ...load, ...sizes }, SETTINGS);

    // 5/s × 90 s, shared by the 100 invocations that there may be.
    expect(demand).toMatchObject({ jobsInFlight: 450, jobsPerInvocation: 4.5, concurrency: 100 });
    // Key 2, job and its entries 3, input 2, claim 1, pages 6, end 2; for the 4.5 of an invocation: manifest 4, four heartbeats of 3, usage 1.
    expect(requests.writeUnits).toBeCloseTo(2 + 3 + 2 + 1 + 6 + 2 + (4 + 12 + 1) / 4.5);
    // A send; a receive and a delete for each invocation.
    expect(requests.queueRequests).toBeCloseTo(1 + 2 / 4.5);
    // 90 s of 0.5 GB for 4.5 jobs; 50 ms of 0.5 GB for the submit and each of two reads.
    expect(requests.gbSeconds).toBeCloseTo((90 * 0.5) / 4.5 + 3 * 0.025);

    // Of 12.96 million jobs a month, in dollars.
    const dollars = Object.fromEntries(
      cost.map(({ line, dollarsPerMonth }) => [line, Math.round(dollarsPerMonth)]),
    );
    expect(dollars).toEqual({
      'API Gateway (REST)': 136, // 3 × $3.50 a million
      'Lambda requests': 8, // 3.22 × $0.20 a million
      'Lambda compute': 1_741, // 10.075 GB-s × $13.33 a million
      SQS: 9, // 1.44 × $0.50 a million
      'DynamoDB writes': 160, // 19.78 × $0.625 a million
      'DynamoDB reads': 6, // 2 × 2 × $0.125 a million
      'DynamoDB storage': 77, // 900 + 6 × 850 + 2,548 bytes, for three months of $0.25 a GB
      S3: 0,
      'CloudWatch logs': 9, // 1,500 bytes × $0.50 a GB
    });
    expect(Math.round(total(cost) / 50) * 50).toBe(2_150);
  });

  it.each([
    {
      name: 'a payload above 512 bytes has an item of its own',
      bytes: 2_048,
      units: 2,
      objects: 0,
    },
    { name: 'a payload above 8 KB is an object', bytes: 9_000, units: 0, objects: 1 },
  ])('$name', ({ bytes, units, objects }) => {
    const small = sizeOf(LOAD, SETTINGS).requests;
    const large = sizeOf({ ...LOAD, inputBytes: bytes }, SETTINGS).requests;

    expect(large.writeUnits - small.writeUnits).toBeCloseTo(units);
    expect(large.objectPuts - small.objectPuts).toBe(objects);
  });

  it('counts slices of a job that outlasts its invocations', () => {
    const { demand } = sizeOf({ ...LOAD, durationSeconds: 900 }, SETTINGS);

    // 300 s less the 15 that are kept for writing down.
    expect(demand.slicesPerJob).toBe(4);
  });

  it('suggests the concurrency that carries the load with room for peaks', () => {
    const { suggestions } = sizeOf({ ...LOAD, durationSeconds: 90 }, SETTINGS);

    // 9,000 jobs in flight, 10 in an invocation, at 70 %: 1,286, which is more than a mapping gives.
    expect(suggestions).toMatchObject([{ key: 'worker.batchSize', from: 10, to: 13 }]);
    expect(sizeOf({ ...LOAD, durationSeconds: 30 }, SETTINGS).suggestions).toMatchObject([
      { key: 'worker.maxConcurrency', from: 100, to: 429 },
    ]);
  });

  it('names the quotas that a load outgrows, and by how much', () => {
    const { quotas } = sizeOf({ ...LOAD, jobsPerSecond: 2_500 }, SETTINGS);
    const raised = quotas.filter(({ raiseTo }) => raiseTo !== undefined);

    expect(raised.map(({ quota }) => quota.split(':')[0])).toEqual([
      'Lambda',
      'DynamoDB',
      'DynamoDB',
    ]);
    for (const { needed, default: normal, raiseTo = 0 } of raised) {
      expect(raiseTo).toBeGreaterThan(Math.max(needed, normal));
    }
  });

  it('is cheaper than the alternatives on AWS when jobs share invocations', () => {
    const { cost, alternatives } = sizeOf(LOAD, SETTINGS);

    for (const other of alternatives)
      expect(other.dollarsPerMonth).toBeGreaterThan(2 * total(cost));
  });
});

describe('settings that send good messages to the dead-letter queue', () => {
  const SOUND = {
    functionTimeoutSeconds: 300,
    batchingWindowSeconds: 0,
    visibilityTimeoutSeconds: 330,
    maxConcurrency: 100,
    mappings: 2,
    maxReceiveCount: 5,
    retentionSeconds: 345_600,
    deadLetterRetentionSeconds: 1_209_600,
  };

  it.each([
    { name: 'none of a sound deployment', settings: {}, risk: undefined },
    {
      name: 'a visibility timeout below the function timeout',
      settings: { visibilityTimeoutSeconds: 299 },
      risk: /visibility timeout of 299 s/,
    },
    {
      name: 'a reserved concurrency below that of the mappings',
      settings: { reservedConcurrency: 199 },
      risk: /reserved concurrency of 199/,
    },
    {
      name: 'no concurrency at all',
      settings: { reservedConcurrency: 0 },
      risk: /reserved concurrency of 0/,
    },
    { name: 'few receives', settings: { maxReceiveCount: 3 }, risk: /maxReceiveCount 3/ },
    {
      name: 'a dead-letter queue that forgets sooner',
      settings: { deadLetterRetentionSeconds: 345_600 },
      risk: /keeps messages 345600 s/,
    },
  ])('$name', ({ settings, risk }) => {
    const risks = queueRisks({ ...SOUND, ...settings });

    expect(risks).toEqual(risk === undefined ? [] : [expect.stringMatching(risk)]);
  });
});
