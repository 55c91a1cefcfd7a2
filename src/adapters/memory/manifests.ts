import type { SliceManifest } from '../../core/job/slice-manifest.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { ExpiringMap } from './expiring-map.ts';
import { frozenCopy } from './frozen-copy.ts';

/** Slice manifests by invocation. */
export class Manifests {
  readonly #manifests: ExpiringMap<SliceManifest>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#manifests = new ExpiringMap(clock);
  }

  put(manifest: SliceManifest): void {
    this.#manifests.set(manifest.invocationId, frozenCopy(manifest));
  }

  get(invocationId: string): SliceManifest | undefined {
    return this.#manifests.get(invocationId);
  }

  delete(invocationId: string): void {
    this.#manifests.delete(invocationId);
  }

  /** Moves the end of the lease; with `expected` only when it still is there. */
  move(invocationId: string, leaseExpiresAt: number, expected?: number): SliceManifest | undefined {
    const stored = this.#manifests.get(invocationId);
    if (stored === undefined) return undefined;
    if (expected !== undefined && stored.leaseExpiresAt !== expected) return undefined;
    this.put({ ...stored, leaseExpiresAt });
    return this.get(invocationId);
  }

  callAttention(invocationId: string, jobId: string): void {
    const stored = this.#manifests.get(invocationId);
    if (stored === undefined) return;
    this.put({ ...stored, attention: [...(stored.attention ?? []), jobId] });
  }

  all(): SliceManifest[] {
    return this.#manifests.values();
  }
}
