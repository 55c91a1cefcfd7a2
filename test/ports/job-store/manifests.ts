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

    it('are renewed while they are there', async () => {
      const { store } = await make();
      await store.putManifest(aManifest());
      expect(await store.renewManifest('invocation-1', LATER)).toBe(true);
      expect(await store.getManifest('invocation-1')).toEqual(aManifest({ leaseExpiresAt: LATER }));
    });

    it('are not renewed, nor created, when they are gone', async () => {
      const { store } = await make();
      expect(await store.renewManifest('invocation-1', LATER)).toBe(false);
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
