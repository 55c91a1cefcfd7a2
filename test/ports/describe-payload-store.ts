import { describe, expect, it } from '@jest/globals';
import type { PayloadStore } from '../../src/core/ports/payload-store.ts';

const KEY = 'tenants/acme/jobs/job-1/g1/steps/page_5b_12_5d_/e1-t1.json';
const JSON_TEXT = '{ "a":  1.0, "é": "\\u00e9" }';
const SHA256 = '14ba3d792a84fff220cbf65d52331a4680837eddc9815fefaa3de915a3be7e0a';

/** What every payload store does. */
export function describePayloadStore(name: string, make: () => Promise<PayloadStore>): void {
  describe(`payload store: ${name}`, () => {
    it('answers size and hash of what it stored, and reads it back byte for byte', async () => {
      const payloads = await make();
      const ref = await payloads.put(KEY, JSON_TEXT);
      expect(ref).toEqual({ key: KEY, sizeBytes: 29, sha256: SHA256 });
      expect(await payloads.get(ref)).toBe(JSON_TEXT);
    });

    it('takes the same text under the same key again', async () => {
      const payloads = await make();
      const ref = await payloads.put(KEY, JSON_TEXT);
      expect(await payloads.put(KEY, JSON_TEXT)).toEqual(ref);
    });

    it('stores a payload of several megabytes', async () => {
      const payloads = await make();
      const json = JSON.stringify('é'.repeat(2_000_000));
      const ref = await payloads.put(KEY, json);
      expect(ref.sizeBytes).toBe(4_000_002);
      expect((await payloads.get(ref)) === json).toBe(true);
    });

    it('refuses to hand out a payload that is missing', async () => {
      const payloads = await make();
      const missing = { key: 'nowhere', sizeBytes: 2, sha256: SHA256 };
      await expect(payloads.get(missing)).rejects.toMatchObject({
        code: 'internal_error',
        details: { key: 'nowhere' },
      });
    });

    it('refuses to hand out a payload that is not the one referred to', async () => {
      const payloads = await make();
      const ref = await payloads.put(KEY, JSON_TEXT);
      const refused = { code: 'internal_error' };
      await expect(payloads.get({ ...ref, sizeBytes: 28 })).rejects.toMatchObject(refused);
      const sameSize = JSON_TEXT.replace('1.0', '2.0');
      await payloads.put(KEY, sameSize);
      await expect(payloads.get(ref)).rejects.toMatchObject(refused);
    });

    it('reads an upload that is as it was announced', async () => {
      const payloads = await make();
      const upload = { key: 'uploads/acme/1', sizeBytes: 29, sha256: SHA256 };
      expect(await payloads.readUpload(upload)).toEqual({ outcome: 'absent' });
      await payloads.put(upload.key, JSON_TEXT);
      expect(await payloads.readUpload(upload)).toEqual({ outcome: 'read', text: JSON_TEXT });
    });

    it('says how an upload differs from what was announced', async () => {
      const payloads = await make();
      const upload = { key: 'uploads/acme/1', sizeBytes: 29, sha256: SHA256 };
      await payloads.put(upload.key, '"short"');
      expect(await payloads.readUpload(upload)).toEqual({ outcome: 'differs', sizeBytes: 7 });
      await payloads.put(upload.key, JSON_TEXT.replace('1.0', '2.0'));
      expect(await payloads.readUpload(upload)).toEqual({
        outcome: 'differs',
        sizeBytes: 29,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    it('copies a payload under another key', async () => {
      const payloads = await make();
      const ref = await payloads.put('uploads/a b+ü/1', JSON_TEXT);
      const copy = await payloads.copy(ref, KEY);
      expect(copy).toEqual({ ...ref, key: KEY });
      expect(await payloads.get(copy)).toBe(JSON_TEXT);
    });

    it('copies nothing that is not there', async () => {
      const payloads = await make();
      const missing = { key: 'nowhere', sizeBytes: 2, sha256: SHA256 };
      await expect(payloads.copy(missing, KEY)).rejects.toThrow();
    });

    it('presigns a URL that names the payload', async () => {
      const payloads = await make();
      const ref = await payloads.put(KEY, JSON_TEXT);
      expect(await payloads.presignGet(ref, 900)).toMatch(/e1-t1\.json\?.*900/);
    });
  });
}
