import type { Job, JobEvent } from '../../client/index.ts';
import type { Screen, Terminal } from '../terminal.ts';
import { eventText, progressText } from './event-text.ts';
import { statusText } from './job-text.ts';
import { afterEvent, hasLine, historyLine, statusLine, viewOf } from './watch-view.ts';
import { printable } from './printable.ts';

/** Shows a job while it is watched. */
export interface Report {
  /** Something happened. */
  event(event: JobEvent): void;
  /** The job was looked at, because there are no events. */
  job(job: Job): void;
  /** Nothing follows. */
  end(): void;
}

type Out = Pick<Terminal, 'out'>;

/** Events as lines of JSON, as the API has them. */
export function jsonReport({ out }: Out): Report {
  return {
    event: (event) => {
      out(JSON.stringify(event));
    },
    job: () => undefined,
    end: () => undefined,
  };
}

/** One line for each thing that happened, for files and logs. */
export function lineReport({ out }: Out): Report {
  let shown = '';
  return {
    event: (event) => {
      const text = hasLine(event) ? eventText(event) : `progress: ${eventText(event)}`;
      out(`${event.at}  ${text}`);
    },
    job: (job) => {
      const now = printable(`${statusText(job)}  ${progressText(job.progress ?? {})}`).trimEnd();
      if (now !== shown) out(`${job.updatedAt}  ${now}`);
      shown = now;
    },
    end: () => undefined,
  };
}

const CLEAR_LINE = '\r\u001b[2K';
const REDRAW_MS = 250;

/** The history above, and a last line that is written over again and again. */
export function screenReport(screen: Screen, { out }: Out, job: Job): Report {
  let view = viewOf(job);
  const draw = () => {
    const { columns } = screen;
    screen.write(`${CLEAR_LINE}${statusLine(view, { columns, now: Date.now() })}`);
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    event: (event) => {
      view = afterEvent(view, event);
      if (hasLine(event)) {
        screen.write(CLEAR_LINE);
        out(historyLine(view, event));
      }
      draw();
    },
    job: (seen) => {
      const { status, progress } = viewOf(seen);
      view = { ...view, status, ...(progress !== undefined && { progress }) };
      draw();
    },
    end: () => {
      clearInterval(timer);
      screen.write(CLEAR_LINE);
    },
  };
}
