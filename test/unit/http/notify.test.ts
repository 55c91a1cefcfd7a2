import { describe, expect, it } from '@jest/globals';
import { bodyOf } from '../../support/http.ts';
import { submitWorld } from '../../support/submit-world.ts';

const URL = 'https://example.com/hook';
const body = (notify: unknown) => ({ agent: 'echo', input: { value: 1 }, notify });

describe('notify of a submission', () => {
  it('is kept with the job and shown', async () => {
    const world = submitWorld();
    const notify = { url: URL, events: ['failed', 'waiting'] };
    const response = await world.submit(body(notify));
    const { jobId } = bodyOf(response) as { jobId: string };

    expect(response.statusCode).toBe(202);
    expect(bodyOf(response)).toMatchObject({ notify });
    expect(await world.jobs.getJob(jobId)).toMatchObject({ notify });
  });

  it('is no part of a job that has none', async () => {
    const world = submitWorld();
    const { jobId } = bodyOf(await world.submit(body(undefined))) as { jobId: string };
    const job = await world.jobs.getJob(jobId);
    expect(Object.keys(job ?? {})).not.toContain('notify');
    expect(Object.keys(job ?? {})).not.toContain('notifyTenant');
  });

  it.each([
    ['no object', 'https://example.com', '/notify'],
    ['no url', {}, '/notify/url'],
    ['another field', { url: URL, secret: 'x' }, '/notify/secret'],
    ['no URL', { url: 'example.com' }, '/notify/url'],
    ['plain http', { url: 'http://example.com/' }, '/notify/url'],
    ['a private address', { url: 'https://10.0.0.1/' }, '/notify/url'],
    ['the metadata service', { url: 'https://169.254.169.254/' }, '/notify/url'],
    ['loopback', { url: 'https://localhost:8443/' }, '/notify/url'],
    ['credentials', { url: 'https://user:secret@example.com/' }, '/notify/url'],
    ['a port of mail', { url: 'https://example.com:25/' }, '/notify/url'],
    ['513 characters', { url: `${URL}/${'x'.repeat(512 - URL.length)}` }, '/notify/url'],
    ['an unknown event', { url: URL, events: ['started'] }, '/notify/events/0'],
    ['an event twice', { url: URL, events: ['failed', 'failed'] }, '/notify/events'],
    ['no events', { url: URL, events: [] }, '/notify/events'],
  ])('is refused with %s, which is pointed at', async (_what, notify, pointer) => {
    const response = await submitWorld().submit(body(notify));

    expect(response.statusCode).toBe(400);
    const { code, errors } = bodyOf(response) as { code: string; errors: { pointer: string }[] };
    expect({ code, pointers: errors.map((fault) => fault.pointer) }).toEqual({
      code: 'invalid_request',
      pointers: [pointer],
    });
    expect(response.body).not.toContain('user:secret');
  });

  it('may be 512 characters long', async () => {
    const url = `${URL}/${'x'.repeat(511 - URL.length)}`;
    expect((await submitWorld().submit(body({ url }))).statusCode).toBe(202);
  });

  it('makes another request of it under the same fingerprint', async () => {
    const world = submitWorld();
    const fingerprintOf = async (notify: unknown) => {
      const { jobId } = bodyOf(await world.submit(body(notify))) as { jobId: string };
      return (await world.jobs.getJob(jobId))?.fingerprint;
    };
    const [none, one, same, other] = [
      await fingerprintOf(undefined),
      await fingerprintOf({ url: URL }),
      await fingerprintOf({ url: URL }),
      await fingerprintOf({ url: `${URL}/2` }),
    ];
    expect(one).toBe(same);
    expect(new Set([none, one, other]).size).toBe(3);
  });
});
