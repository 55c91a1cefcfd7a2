// #region receiver
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

interface JobNotification {
  type: 'job.succeeded' | 'job.failed' | 'job.cancelled' | 'job.waiting';
  timestamp: string;
  data: { jobId: string; status: string; result?: unknown };
}

/** Takes webhooks of Longhaul; `work` is called once for each. */
export function receiver(secret: string, work: (job: JobNotification) => void): Server {
  const webhook = new Webhook(secret);
  const done = new Set<string>(); // in a program that may restart: a table with a unique key
  return createServer((request, response) => {
    void text(request).then((body) => {
      try {
        webhook.verify(body, request.headers as Record<string, string>);
      } catch {
        response.writeHead(401).end();
        return;
      }
      response.writeHead(204).end(); // first the answer, then the work: it has 15 seconds
      const id = String(request.headers['webhook-id']);
      if (done.has(id)) return;
      done.add(id);
      work(JSON.parse(body) as JobNotification);
    });
  });
}
// #endregion
