import { describe, expect, it } from '@jest/globals';
import { NOON, aManifest } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const LATER = NOON + 90_000;

export function describeManifests(make: MakeJobStore): void {
  describe('slice manifests', () => {
    it('are read back as they were put, and gone when deleted', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      expect(await store.getManifest('invocation-1')).toEqual(aManifest());

      await store.deleteManifest('invocation-1');
      await store.deleteManifest('invocation-1');

      expect(await store.getManifest('invocation-1')).toBeUndefined();
    });

    it('are renewed while they are there, and answered as they then are', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      const renewed = aManifest({ leaseExpiresAt: LATER });
      expect(await store.renewManifest('invocation-1', LATER)).toEqual(renewed);
      expect(await store.getManifest('invocation-1')).toEqual(renewed);
    });

    it('bring the jobs that somebody wants to be looked at, in the order of the calls', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      await store.callAttention('invocation-1', 'job-2');
      const once = aManifest({ leaseExpiresAt: LATER, attention: ['job-2'] });
      expect(await store.renewManifest('invocation-1', LATER)).toEqual(once);

      await store.callAttention('invocation-1', 'job-1');
      await store.callAttention('invocation-1', 'job-2');
      const thrice = { ...once, attention: ['job-2', 'job-1', 'job-2'] };
      expect(await store.renewManifest('invocation-1', LATER)).toEqual(thrice);
      expect(await store.getManifest('invocation-1')).toEqual(thrice);
    });

    it('lose none of many simultaneous calls', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      const ids = Array.from({ length: 8 }, (_, index) => `job-${index}`);
      await Promise.all(ids.map((id) => store.callAttention('invocation-1', id)));
      const manifest = await store.getManifest('invocation-1');
      expect(manifest?.attention?.toSorted()).toEqual(ids);
    });

    it('keep their calls when they are re-armed, and when they are put with some', async () => {
      const { store } = await make();
      const manifest = aManifest({ attention: ['job-1'] });
      await store.putManifest(manifest);
      expect(await store.rearmManifest(manifest, LATER)).toBe(true);
      const rearmed = { ...manifest, leaseExpiresAt: LATER };
      expect(await store.getManifest('invocation-1')).toEqual(rearmed);
    });

    it('are not created by a call for attention', async () => {
      const { store } = await make();
      await store.callAttention('invocation-1', 'job-1');
      expect(await store.getManifest('invocation-1')).toBeUndefined();
    });

    it('are not renewed, nor created, when they are gone', async () => {
      const { store } = await make();
      expect(await store.renewManifest('invocation-1', LATER)).toBeUndefined();
      expect(await store.rearmManifest(aManifest(), LATER)).toBe(false);
      expect(await store.getManifest('invocation-1')).toBeUndefined();
    });

    it('are re-armed by one of two sweepers that saw the same', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      expect(await store.rearmManifest(aManifest(), LATER)).toBe(true);
      expect(await store.rearmManifest(aManifest(), LATER + 1)).toBe(false);
      expect((await store.getManifest('invocation-1'))?.leaseExpiresAt).toBe(LATER);
    });

    it('are not re-armed when a heartbeat came between', async () => {
      const { store } = await make();
      const seen = aManifest();
      await store.putManifest(seen);
      await store.renewManifest('invocation-1', LATER);
      expect(await store.rearmManifest(seen, LATER + 1)).toBe(false);
    });

    it('are put again with other jobs', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      await store.putManifest(aManifest({ jobIds: [] }));
      expect((await store.getManifest('invocation-1'))?.jobIds).toEqual([]);
    });
  });
}
