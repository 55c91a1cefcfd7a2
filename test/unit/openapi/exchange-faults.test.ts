import { describe, expect, it } from '@jest/globals';
import { problemType } from '../../../src/protocol/problem.ts';
import {
  exchangeFaults,
  type ReceivedAnswer,
  type SentRequest,
} from '../../support/contract/exchange-faults.ts';

const HEADERS = {
  'content-type': 'application/json',
  'x-request-id': 'r-1',
  vary: 'Prefer',
  etag: 'W/"1"',
};
const { etag: _, ...SUBMITTED } = HEADERS;
const JOB = {
  jobId: 'job_1',
  agent: 'echo',
  status: 'succeeded',
  createdAt: '2026-11-29T22:49:56.147Z',
  updatedAt: '2026-11-29T22:49:56.147Z',
  attempts: 1,
  generation: 1,
  links: { self: '/v1/jobs/job_1', trace: '/v1/jobs/job_1/trace', events: '/v1/jobs/job_1/events' },
};
const SUBMIT = { agent: 'echo', input: null };

function read(answer: Partial<ReceivedAnswer> & { body?: object }, path = '/jobs/job_1'): string[] {
  const { body = JOB, ...rest } = answer;
  return exchangeFaults(
    { method: 'GET', path, query: new URLSearchParams(), headers: {} },
    { status: 200, headers: HEADERS, text: JSON.stringify(body), ...rest },
  );
}

function submit(sent: Partial<SentRequest>, headers: object = {}): string[] {
  return exchangeFaults(
    {
      method: 'POST',
      path: '/jobs',
      query: new URLSearchParams(),
      headers: {},
      text: JSON.stringify(SUBMIT),
      ...sent,
    },
    {
      status: 202,
      headers: { ...SUBMITTED, location: '/v1/jobs/job_1', 'retry-after': '1', ...headers },
      text: JSON.stringify(JOB),
    },
  );
}

function problem(status: number, code: string, facts: object = {}): Partial<ReceivedAnswer> {
  const requestId = 'r-1';
  const body = { type: problemType(code), title: 't', status, detail: 'd', code, requestId };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': requestId },
    text: JSON.stringify({ ...body, ...facts }),
  };
}

describe('an exchange that keeps to the document', () => {
  it.each([
    { name: 'a job', faults: read({}) },
    { name: 'a problem of the route', faults: read(problem(404, 'not_found')) },
    { name: 'a path there is not', faults: read(problem(404, 'not_found'), '/nothing') },
    { name: 'a submit', faults: submit({ headers: { 'idempotency-key': '"k"' } }) },
  ])('has no fault: $name', ({ faults }) => {
    expect(faults).toEqual([]);
  });
});

describe('an exchange that breaks the document', () => {
  it.each([
    { name: 'an undocumented status', faults: read({ status: 201 }), says: 'status 201' },
    {
      name: 'a field that is not documented',
      faults: read({ body: { ...JOB, x: 1 } }),
      says: '"x"',
    },
    {
      name: 'one of a part',
      faults: read({ body: { ...JOB, links: { ...JOB.links, x: '' } } }),
      says: '/links',
    },
    { name: 'a missing field', faults: read({ body: { jobId: 'job_1' } }), says: '/status' },
    {
      name: 'an instant that is none',
      faults: read({ body: { ...JOB, createdAt: 'today' } }),
      says: '/createdAt',
    },
    {
      name: 'no request id',
      faults: read({ headers: { 'content-type': HEADERS['content-type'] } }),
      says: 'x-request-id',
    },
    {
      name: 'an undocumented header',
      faults: read({ headers: { ...HEADERS, location: '/' } }),
      says: 'location',
    },
    {
      name: 'a header of another type',
      faults: submit({}, { 'retry-after': 'soon' }),
      says: 'Retry-After',
    },
    {
      name: 'another media type',
      faults: read({ headers: { ...HEADERS, 'content-type': 'text/html' } }),
      says: 'text/html',
    },
    { name: 'a body that is no JSON', faults: read({ text: '<html>' }), says: 'not JSON' },
    { name: 'a code of another route', faults: read(problem(404, 'unknown_agent')), says: '/code' },
    {
      name: 'a fact that no problem has',
      faults: read(problem(404, 'not_found', { stack: '' })),
      says: 'stack',
    },
    {
      name: 'a problem beside every route',
      faults: read({ status: 404, text: '{}' }, '/nothing'),
      says: 'not documented',
    },
    {
      name: 'a request body that is not allowed',
      faults: submit({ text: '{"input":{}}' }),
      says: '/agent',
    },
    {
      name: 'a request header that is not allowed',
      faults: submit({ headers: { 'Idempotency-Key': 'a,b' } }),
      says: 'Idempotency-Key',
    },
  ])('is told by $name', ({ faults, says }) => {
    expect(faults.join('\n')).toContain(says);
  });
});
