import { type JobFilters, listJobs } from '../../src/core/commands/list-jobs.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { ListPosition } from '../../src/core/job/list-position.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import {
  type JobListRepresentation,
  type ListJobsQuery,
  listJobsQuerySchema,
} from '../../src/protocol/job-list.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedQuery } from './checked-query.ts';
import type { CursorSeal } from './cursor-seal.ts';
import type { Serve } from './http-handler.ts';
import { jobRepresentation, type PathOf } from './job-representation.ts';
import { pathsOf } from './request.ts';
import { routeOf } from './route-of.ts';

export interface ListDeps {
  readonly jobs: Pick<JobStore, 'listJobs'>;
  readonly cursors: CursorSeal;
}

/** `GET /jobs` */
export function listRoute({ jobs, cursors }: ListDeps): Serve {
  return async ({ event, note }) => {
    const { tenantId, ...caller } = callerOf(event);
    note({ tenantId });
    requireScope({ tenantId, ...caller }, routeOf('listJobs'));
    const { limit, cursor, ...query } = checkedQuery(listJobsQuerySchema, event);
    const filters = filtersOf(query);
    const boundTo = ['jobs', tenantId, filters];
    const after =
      cursor === undefined ? undefined : ((await cursors.open(boundTo, cursor)) as ListPosition);
    const page = await listJobs(
      { jobs },
      { tenantId, filters, limit, ...(after !== undefined && { after }) },
    );
    const body: JobListRepresentation = {
      jobs: page.jobs.map((job) => row(job, pathsOf(event))),
      ...(page.next !== undefined && { next: await cursors.seal(boundTo, page.next) }),
    };
    return { status: 200, body };
  };
}

function filtersOf(query: Omit<ListJobsQuery, 'limit' | 'cursor'>): JobFilters {
  const { status, agent, tag, createdAfter, createdBefore } = query;
  return {
    ...(status !== undefined && { status }),
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tag }),
    ...(createdAfter !== undefined && { createdAfter: Date.parse(createdAfter) }),
    ...(createdBefore !== undefined && { createdBefore: Date.parse(createdBefore) }),
  };
}

/** What the job item says: results and the newest progress would be more reads for each. */
function row(job: Job, pathOf: PathOf): JobListRepresentation['jobs'][number] {
  const progress = job.totals?.progress;
  const reading = { job, ...(progress !== undefined && { progress }) };
  return jobRepresentation(reading, { pathOf, resultUrlExpiresAt: 0 });
}
