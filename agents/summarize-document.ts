import * as z from 'zod';
import { defineAgent } from '../src/agent/index.ts';
import { combineNotes } from './summarize-document/combine-notes.ts';
import { splitPages } from './summarize-document/split-pages.ts';
import { summarizePage } from './summarize-document/summarize-page.ts';

/** Sentences a page offers; fewer from each page of a very long document, so that `combine` stays quick. */
const CANDIDATES = { perPage: 8, inAll: 600, leastPerPage: 2 } as const;

/** Summarises a markdown or plain-text document by sentences of its own: one step per page, one to combine. */
export const summarizeDocument = defineAgent({
  name: 'summarize-document',
  input: z.object({ title: z.string().min(1).max(500), text: z.string().min(1) }),
  output: z.object({
    title: z.string(),
    summary: z.array(z.string()),
    pages: z.number(),
    sections: z.number(),
    sentences: z.number(),
  }),
  limits: { maxDuration: '2h' },
  async run(ctx, { title, text }) {
    const pages = splitPages(text);
    const limit = Math.max(
      CANDIDATES.leastPerPage,
      Math.min(CANDIDATES.perPage, Math.floor(CANDIDATES.inAll / pages.length)),
    );
    let completed = 0;
    const report = () => {
      ctx.progress({
        completed,
        total: pages.length,
        message: `${completed} of ${pages.length} pages done`,
      });
    };
    const notes = await ctx.map('page', pages, { concurrency: 4 }, async (page, item) => {
      const note = await item.step('summarize', () => summarizePage(page, limit));
      completed += 1;
      report();
      return note;
    });
    return { title, ...(await ctx.step('combine', () => combineNotes(title, notes))) };
  },
});
