import { describe, expect, it } from '@jest/globals';
import { ITEM_LIMIT_BYTES } from '../../../src/core/job/item-limit.ts';
import type { JournalEntry, JournalPage } from '../../../src/core/job/journal.ts';
import type { JobLook, JobStore, PagePosition } from '../../../src/core/ports/job-store.ts';
import { aJob, aPage, aSignal, aStep } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

const positions = (pages: readonly JournalPage[]) =>
  pages.map(({ generation, seq }) => `${generation}.${seq}`);

async function append(store: JobStore, ...pages: readonly Partial<JournalPage>[]): Promise<void> {
  for (const page of pages) expect(await store.appendPage(aPage(page))).toBe('appended');
}

/** JSON text of a string of that many bytes. */
const textOf = (sizeBytes: number): string => JSON.stringify('x'.repeat(sizeBytes - 2));

export function describeJournal(make: MakeJobStore): void {
  describe('appending pages', () => {
    it('reads a page back as it was written', async () => {
      const { store } = await make();
      const entries: JournalEntry[] = [
        aStep('odd', '{ "n": 1e400, "s":"\\u0000" }'),
        {
          type: 'log.written',
          at: 1,
          attempt: 1,
          level: 'info',
          message: '',
          data: { n: 1e-300, e: '' },
        },
      ];
      const page = aPage({ entries });
      await append(store, page);
      expect(await store.readPages({ jobId: 'job-1', generation: 1, afterSeq: 0 })).toEqual([page]);
    });

    it('refuses another page in a place that is taken, and keeps the first', async () => {
      const { store } = await make();
      const first = aPage();
      await append(store, first);

      expect(await store.appendPage(aPage({ entries: [aStep('other')] }))).toBe('conflict');
      const totals = { ...first.totals, progressReports: 1 };
      expect(await store.appendPage(aPage({ totals }))).toBe('conflict');

      expect(await store.lastPage('job-1', 1)).toEqual(first);
    });

    it('takes the same page again for an append whose answer was lost', async () => {
      const { store } = await make();
      await append(store, aPage(), aPage());
      expect((await store.loadHistory('job-1')).pages).toEqual([aPage()]);
    });

    it('lets exactly one of many workers have a place', async () => {
      const { store } = await make();
      const pages = Array.from({ length: 8 }, (_, index) =>
        aPage({ entries: [aStep(`s${index}`)] }),
      );
      const answers = await Promise.all(pages.map((page) => store.appendPage(page)));
      expect(answers.filter((answer) => answer === 'appended')).toHaveLength(1);
      expect(await store.lastPage('job-1', 1)).toEqual(pages[answers.indexOf('appended')]);
    });

    it('keeps journals of jobs apart', async () => {
      const { store } = await make();
      await append(store, { jobId: 'job-1' }, { jobId: 'job-10' });
      const { pages } = await store.loadHistory('job-1');
      expect(pages.map(({ jobId }) => jobId)).toEqual(['job-1']);
    });

    it('refuses a page that no item can hold, naming size and limit', async () => {
      const { store } = await make();
      const page = aPage({ entries: [aStep('large', textOf(ITEM_LIMIT_BYTES))] });
      await expect(store.appendPage(page)).rejects.toMatchObject({
        code: 'payload_too_large',
        details: { jobId: 'job-1', limitBytes: ITEM_LIMIT_BYTES, sizeBytes: expect.any(Number) },
      });
      expect(await store.lastPage('job-1', 1)).toBeUndefined();
    });

    it('takes a page just below the limit', async () => {
      const { store } = await make();
      await append(store, { entries: [aStep('large', textOf(ITEM_LIMIT_BYTES - 500))] });
    });
  });

  describe('loading a history', () => {
    it('answers the pages of all generations in order, the input and the job', async () => {
      const { store } = await make();
      const job = aJob({ generation: 10, input: { kind: 'item', sizeBytes: 3 } });
      await store.createJob(job, '"i"');
      await store.putResult({ ...job, json: '"r"' });
      await append(
        store,
        { generation: 2, seq: 1 },
        { generation: 10, seq: 1 },
        { seq: 2 },
        { seq: 10 },
        { seq: 1 },
      );

      const history = await store.loadHistory('job-1');

      expect(positions(history.pages)).toEqual(['1.1', '1.2', '1.10', '2.1', '10.1']);
      expect(history.inputJson).toBe('"i"');
      expect(history.job).toEqual(job);
    });

    it('answers nothing for an unknown id', async () => {
      const { store } = await make();
      expect(await store.loadHistory('job-1')).toEqual({
        children: [],
        pages: [],
        job: undefined,
        signals: [],
      });
    });

    it('reads a history of several megabytes to its end', async () => {
      const { store } = await make();
      await store.createJob(aJob());
      const entries = [aStep('large', textOf(300_000))];
      await append(
        store,
        ...Array.from({ length: 8 }, (_, index) => ({ seq: index + 1, entries })),
      );
      const history = await store.loadHistory('job-1');
      expect(history.pages).toHaveLength(8);
      expect(history.job).toEqual(aJob());
    });
  });

  describe('reading pages', () => {
    it('answers what lies behind a position in its generation', async () => {
      const { store } = await make();
      await append(store, { seq: 1 }, { seq: 2 }, { seq: 3 }, { generation: 2, seq: 1 });
      const read = (generation: number, afterSeq: number) =>
        store.readPages({ jobId: 'job-1', generation, afterSeq });

      expect(positions(await read(1, 1))).toEqual(['1.2', '1.3']);
      expect(positions(await read(1, 3))).toEqual([]);
      expect(positions(await read(2, 0))).toEqual(['2.1']);
      expect(positions(await read(3, 0))).toEqual([]);
    });

    it('answers more than a megabyte of new pages', async () => {
      const { store } = await make();
      const entries = [aStep('large', textOf(300_000))];
      await append(
        store,
        ...Array.from({ length: 5 }, (_, index) => ({ seq: index + 1, entries })),
      );
      const pages = await store.readPages({ jobId: 'job-1', generation: 1, afterSeq: 0 });
      expect(positions(pages)).toEqual(['1.1', '1.2', '1.3', '1.4', '1.5']);
    });

    it('finds the newest page of a generation', async () => {
      const { store } = await make();
      await append(store, { seq: 9 }, { seq: 10 }, { seq: 2 }, { generation: 2, seq: 1 });
      expect((await store.lastPage('job-1', 1))?.seq).toBe(10);
      expect((await store.lastPage('job-1', 2))?.seq).toBe(1);
      expect(await store.lastPage('job-1', 3)).toBeUndefined();
    });
  });

  describe('listing pages', () => {
    it('answers a short journal at once, also from a position within it', async () => {
      const { store } = await make();
      await append(store, { seq: 1 }, { seq: 2 }, { generation: 2, seq: 1 });

      const all = await store.listPages('job-1');
      expect(all.next).toBeUndefined();
      expect(positions(all.pages)).toEqual(['1.1', '1.2', '2.1']);

      const rest = await store.listPages('job-1', { generation: 1, seq: 2 });
      expect(positions(rest.pages)).toEqual(['2.1']);
    });

    it('answers a long journal in parts of at most 1 MB without gap or repetition', async () => {
      const { store } = await make();
      const entries = [aStep('large', textOf(300_000))];
      const places = ['1.1', '1.2', '1.3', '1.4', '2.1', '2.2', '2.3'];
      for (const place of places) {
        const [generation = 0, seq = 0] = place.split('.').map(Number);
        await append(store, { generation, seq, entries });
      }

      const seen: string[] = [];
      const sizes: number[] = [];
      let cursor: PagePosition | undefined;
      do {
        const part = await store.listPages('job-1', cursor);
        seen.push(...positions(part.pages));
        sizes.push(part.pages.length);
        cursor = part.next;
      } while (cursor !== undefined);

      expect(seen).toEqual(places);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
      expect(sizes.length).toBeGreaterThan(1);
    });
  });

  describe.each([true, false])('looking at a job (consistent: %s)', (consistent) => {
    const START = { generation: 1, seq: 0 };

    it('shows the pages behind a position, and the job', async () => {
      const { store } = await make();
      await store.createJob(aJob(), '"input"');
      await store.putSignal(aSignal({ jobId: 'job-1' }));
      await append(store, { seq: 1 }, { seq: 2 }, { generation: 2, seq: 1 });

      const all = await store.lookAt('job-1', START, { consistent });
      expect({ ...all, pages: positions(all.pages) }).toEqual({
        pages: ['1.1', '1.2', '2.1'],
        isWhole: true,
        job: aJob(),
      });
      const rest = await store.lookAt('job-1', { generation: 1, seq: 2 }, { consistent });
      expect(positions(rest.pages)).toEqual(['2.1']);
      const none = await store.lookAt('job-1', { generation: 2, seq: 1 }, { consistent });
      expect(none).toEqual({ pages: [], isWhole: true, job: aJob() });
    });

    it('shows no job where there is none', async () => {
      const { store } = await make();

      const look = await store.lookAt('job-1', START, { consistent });

      expect(look).toEqual({ pages: [], isWhole: true });
    });

    it('reaches the job behind a long journal after several looks', async () => {
      const { store } = await make();
      await store.createJob(aJob());
      const entries = [aStep('large', textOf(300_000))];
      for (let seq = 1; seq <= 7; seq++) await append(store, { seq, entries });

      const seen: string[] = [];
      let looks = 0;
      for (let look: JobLook | undefined; look?.isWhole !== true; looks++) {
        expect(look?.job).toBeUndefined();
        const last = look?.pages.at(-1) ?? START;
        look = await store.lookAt('job-1', last, { consistent });
        seen.push(...positions(look.pages));
        if (look.isWhole) expect(look.job).toEqual(aJob());
      }

      expect(seen).toEqual(['1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7']);
      expect(looks).toBeGreaterThan(1);
    });
  });
}
