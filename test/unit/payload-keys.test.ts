import { describe, expect, it } from '@jest/globals';
import { inputKey, outcomeKey, resultKey } from '../../src/core/job/payload-keys.ts';

const OWNER = { tenantId: 'acme', jobId: 'job1' };
const HASH = 'ab'.repeat(32);
const OUTCOME = { ...OWNER, generation: 2, epoch: 3, try: 4 };

const stepOf = (stepId: string): string => {
  const key = outcomeKey({ ...OUTCOME, stepId }, () => HASH);
  const match = /^tenants\/acme\/jobs\/job1\/g2\/steps\/([^/]*)\/e3-t4\.json$/.exec(key);
  return match?.[1] ?? `not a key of an outcome: ${key}`;
};

describe('payload keys', () => {
  it('name tenant, job, and what tells one write from another', () => {
    expect(inputKey({ ...OWNER, fingerprint: 'ff' })).toBe('tenants/acme/jobs/job1/input-ff.json');
    expect(resultKey({ ...OWNER, generation: 2, epoch: 3 })).toBe(
      'tenants/acme/jobs/job1/g2/result-e3.json',
    );
  });

  it.each([
    { stepId: 'combine', step: 'combine' },
    { stepId: 'page[12]/summarize', step: 'page_5b_12_5d__2f_summarize' },
    { stepId: '..', step: '_2e__2e_' },
    { stepId: 'a_b', step: 'a_5f_b' },
    { stepId: 'é😀', step: '_e9__1f600_' },
    { stepId: '\ud800', step: '_d800_' },
    { stepId: 'a'.repeat(256), step: 'a'.repeat(256) },
    { stepId: 'a'.repeat(257), step: `${'a'.repeat(191)}.${HASH}` },
    { stepId: '/'.repeat(200), step: `${'_2f_'.repeat(48).slice(0, 191)}.${HASH}` },
  ])('write the step id $stepId as $step', ({ stepId, step }) => {
    expect(stepOf(stepId)).toBe(step);
    expect(step.length).toBeLessThanOrEqual(256);
  });

  it('never let two step ids share a key', () => {
    const ids = ['a/b', 'a_2f_b', 'a_b', 'a.b', 'a b', 'a', 'A', '_', '__', '_5f_', ''];
    expect(new Set(ids.map(stepOf)).size).toBe(ids.length);
  });
});
