import { describe, expect, it } from '@jest/globals';
import { duration } from '../../../cli/api/event-text.ts';
import { cutTo } from '../../../cli/api/printable.ts';
import {
  afterEvent,
  historyLine,
  statusLine,
  viewOf,
  type WatchView,
} from '../../../cli/api/watch-view.ts';
import type { Job, TraceEntry } from '../../../client/index.ts';

const START = Date.parse('2026-11-30T10:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
const entry = (type: string, fields: object = {}) =>
  ({ type, at: at(1), attempt: 1, generation: 1, ...fields }) as TraceEntry;
const START_VIEW = viewOf({ status: 'queued', createdAt: at(0) } as Job);

const view = (...entries: readonly TraceEntry[]): WatchView =>
  entries.reduce(afterEvent, START_VIEW);
const shown = (seen: WatchView, columns = 100) =>
  statusLine(seen, { columns, now: START + 12_300 });

describe('the last line of a watched job', () => {
  it('shows status and time before the job has told how far it is', () => {
    expect(shown(view())).toBe('queued  12.3 s  0 steps');
  });

  it('shows a bar once the job has told, with steps and message', () => {
    const seen = view(
      entry('attempt.started'),
      entry('step.succeeded', { step: 'a' }),
      entry('progress.reported', { completed: 12, total: 26, message: 'page 12' }),
    );
    expect(shown(seen)).toBe(
      '███████████░░░░░░░░░░░░░  46 %  running  12.3 s  1 step  12 of 26, page 12',
    );
  });

  it.each([
    { progress: { completed: 0, total: 26 }, bar: `${'░'.repeat(24)}   0 %` },
    { progress: { completed: 26, total: 26 }, bar: `${'█'.repeat(24)} 100 %` },
    { progress: { completed: 30, total: 26 }, bar: `${'█'.repeat(24)} 100 %` },
    { progress: { completed: -1, total: 26 }, bar: `${'░'.repeat(24)}   0 %` },
  ])('draws $progress as it is', ({ progress, bar }) => {
    expect(shown(view(entry('progress.reported', progress)))).toContain(bar);
  });

  it.each([{ completed: 3 }, { completed: 3, total: 0 }, { message: 'reads' }])(
    'draws no bar of %p',
    (progress) => {
      expect(shown(view(entry('progress.reported', progress)))).not.toMatch(/[█░]/);
    },
  );

  it('says what a job waits for, and that it has ended', () => {
    expect(shown(view(entry('wait.started', { name: 'decision' })))).toContain(
      'waiting for decision',
    );
    expect(shown(view(entry('sleep.started')))).toContain('sleeping');
    expect(shown(view(entry('job.cancelled')))).toMatch(/^cancelled/);
  });

  it('counts from the restart of a job that was retried', () => {
    const seen = view(entry('step.succeeded'), entry('job.restarted', { at: at(10) }));
    expect(shown(seen)).toBe('queued  2.3 s  0 steps');
  });

  it('never fills the screen to its edge, where it would wrap', () => {
    const seen = view(
      entry('progress.reported', { completed: 1, total: 2, message: 'x'.repeat(200) }),
    );
    for (const columns of [1, 2, 40, 80]) {
      expect(shown(seen, columns).length).toBeLessThan(Math.max(columns, 2));
    }
    expect(shown(seen, 40)).toMatch(/…$/);
  });

  it('lets no text of a job move the cursor', () => {
    const message = 'a\r\nb\u001b[1A';
    expect(shown(view(entry('progress.reported', { message })))).toContain('a  b [1A');
  });
});

describe('the lines of a history', () => {
  it.each([
    { of: entry('attempt.started', { crashes: 0 }), text: 'attempt 1' },
    { of: entry('attempt.started', { crashes: 2 }), text: 'attempt 1, after 2 crashes' },
    {
      of: entry('step.succeeded', { step: 'a[1]/b', durationMs: 1_240, try: 1 }),
      text: '✓ a[1]/b  1.2 s',
    },
    {
      of: entry('step.failed', { step: 'a', try: 2, error: { message: 'busy' }, retryAt: at(9) }),
      text: '✗ a, try 2: busy; again at 10:00:09',
    },
    {
      of: entry('step.failed', { step: 'a', try: 3, error: { message: 'no' } }),
      text: '✗ a, try 3: no',
    },
    { of: entry('signal.received', { step: 'w', name: 'go' }), text: '✓ w: the signal go came' },
    {
      of: entry('child.finished', { childId: 'job_2', status: 'failed' }),
      text: '✗ sub-job job_2 failed',
    },
    {
      of: entry('log.written', { level: 'warn', message: 'slow', step: 'a' }),
      text: 'warn: slow  (a)',
    },
    {
      of: entry('job.failed', {
        error: { code: 'step_failed', step: 'a', message: 'no' },
        deadLettered: true,
      }),
      text: 'failed in a: step_failed: no; a dead letter was written',
    },
    { of: entry('job.cancelled'), text: 'cancelled' },
    {
      of: entry('job.cancelled', { cleanUpError: { name: 'Error', message: 'no' } }),
      text: 'cancelled; its clean-up failed: no',
    },
    {
      of: entry('job.restarted', { previous: { status: 'failed' }, hint: 'ask' }),
      text: 'restarted; it was failed; hint: ask',
    },
  ])('say "$text"', ({ of, text }) => {
    expect(historyLine(START_VIEW, of)).toBe(`    1.0 s  ${text}`);
  });
});

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [12_345, '12.3 s'],
    [245_000, '4 min 5 s'],
    [11_520_000, '3 h 12 min'],
  ])('%d ms are %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('cut text and show that it is cut', () => {
    expect([cutTo(3, 'abc'), cutTo(3, 'abcd'), cutTo(0, 'a')]).toEqual(['abc', 'ab…', '…']);
  });
});
