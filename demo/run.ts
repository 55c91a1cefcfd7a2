import { Surprise } from './expect-that.ts';
import { type LocalCloud, startLocalCloud } from './local-cloud.ts';
import { print, seconds } from './print.ts';
import { refundApprovalDemo } from './refund-approval.ts';
import { summarizeDocumentDemo } from './summarize-document.ts';
import { ticketReportDemo } from './ticket-report.ts';

/** Demos by the name of the agent they show. */
const DEMOS: Readonly<Record<string, (cloud: LocalCloud) => Promise<void>>> = {
  'summarize-document': summarizeDocumentDemo,
  'refund-approval': refundApprovalDemo,
  'ticket-report': ticketReportDemo,
};

const name = process.argv[2] ?? 'summarize-document';
const demo = DEMOS[name];
if (demo === undefined) {
  print(`there is no demo ${JSON.stringify(name)}: known are ${Object.keys(DEMOS).join(', ')}`);
  process.exit(1);
}

const startedAt = Date.now();
let cloud: LocalCloud | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void (cloud?.stop() ?? Promise.resolve()).then(() => process.exit(130));
  });
}
try {
  print('Start the local cloud from the synthesized CDK app');
  cloud = await startLocalCloud();
  print(`  ready at ${cloud.apiUrl} after${seconds(Date.now() - startedAt)}`);
  await demo(cloud);
  print();
  print(`All as it must be, in${seconds(Date.now() - startedAt)}.`);
} catch (error) {
  print();
  const message = Error.isError(error) ? error.message : String(error);
  print(error instanceof Surprise ? `NOT AS IT MUST BE: ${message}` : message);
  process.exitCode = 1;
} finally {
  await cloud?.stop();
}
