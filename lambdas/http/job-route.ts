import { awaitChange, type Looks, looksUntil } from '../../src/core/commands/await-job.ts';
import type { JobReading } from '../../src/core/commands/read-job.ts';
import { isFinal } from '../../src/core/job/job.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { entityTag, isKnown } from './entity-tag.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { type JobAnswerDeps, type ShownJob, showJob } from './job-answer.ts';
import { ownJobOf } from './own-job.ts';
import { holdUntil, preferenceHeaders, preferencesOf } from './preferences.ts';
import { headerValues } from './request.ts';
import { routeOf } from './route-of.ts';

export type JobRouteDeps = JobAnswerDeps & {
  readonly jobs: Pick<JobStore, 'lookAt'>;
  readonly clock: Pick<Clock, 'setTimer'>;
};

/** `GET /jobs/{jobId}`: at once, or held back until there is something new. */
export function jobRoute(deps: JobRouteDeps): Serve {
  return async (request) => {
    const { event, context } = request;
    const own = ownJobOf(request, routeOf('getJob'));
    const preferences = preferencesOf(event);
    const until = holdUntil(preferences, context, deps.clock.now());
    const show = async (): Promise<TaggedJob> => {
      const shown = await showJob(deps, request, own);
      return { ...shown, tag: entityTag(shown.body, deps.clock.now()) };
    };
    const first = await show();
    const { body, headers, tag } =
      until === undefined || isNews(request, first)
        ? first
        : await changed(deps, { first, show, looks: looksUntil(deps.clock, until) });
    const all = {
      ...headers,
      ...preferenceHeaders({ ...preferences, respondAsync: false }),
      etag: tag,
    };
    return isKnown(event, tag)
      ? { status: 304, headers: all }
      : { status: 200, body, headers: all };
  };
}

type TaggedJob = ShownJob & { readonly tag: string };

/** The caller knows the job in another state. */
function isNews({ event }: HttpRequest, { tag }: TaggedJob): boolean {
  return headerValues(event, 'if-none-match').length > 0 && !isKnown(event, tag);
}

/** Of a job that has ended nothing new is expected. */
async function changed(
  deps: JobRouteDeps,
  {
    first,
    show,
    looks,
  }: {
    readonly first: TaggedJob;
    readonly show: () => Promise<TaggedJob>;
    readonly looks: Looks;
  },
): Promise<TaggedJob> {
  let shown = first;
  while (shown.tag === first.tag && !isFinal(shown.reading.job.status)) {
    if (!(await awaitChange(deps, seenOf(shown.reading), looks))) break;
    shown = await show();
  }
  return shown;
}

function seenOf({ job, page }: JobReading) {
  return { job, page: page ?? { generation: job.generation, seq: 0 } };
}
