import type { CommandEntry } from '../commands.ts';

const WITH = '[--json]';
const INPUT = "[--input '{…}' | --input-file <path>]";
const JOB =
  '[--tag <tag>]… [--metadata <name=value>]… [--max-steps <n>] [--max-duration <2h>] [--notify <url> [--notify-on <event,…>]]';

type Entry = Omit<CommandEntry, 'usesTable'>;

/** Commands that talk to the API as any client does. */
const ENTRIES: readonly Entry[] = [
  {
    name: 'submit',
    takes: `<agent> ${INPUT} ${JOB} [--idempotency-key <key>] [--delay <2h> | --start-at <time>] [--input-ref <uploadId>] [--wait | --watch] [--timeout <10m>] ${WITH}`,
    does: 'submits a job and prints its id; with --wait its result, with --watch what happens',
    examples: [
      `longhaul submit greet --input '{"names": ["Ada"]}' --wait`,
      'longhaul submit summarize-document --input-file document.json --tag nightly --watch',
      'jq .order order.json | longhaul submit refund-approval --idempotency-key order-17',
    ],
    load: async () => (await import('./submit.ts')).submit,
  },
  {
    name: 'batch',
    takes: `${INPUT} ${WITH}`,
    does: 'submits any number of jobs, and prints the id of each or why it was refused',
    examples: [
      `longhaul batch --input '[{"agent": "greet", "input": {"names": ["Ada"]}, "idempotencyKey": "guest-1"}]'`,
      `jq -c '[.[] | {agent: "refund-approval", input: ., idempotencyKey: .orderId}]' orders.json | longhaul batch`,
    ],
    load: async () => (await import('./batch.ts')).batch,
  },
  {
    name: 'get',
    takes: `<jobId> [--result] ${WITH}`,
    does: 'shows a job; with --result what it has for a result, however large, and nothing else',
    examples: ['longhaul get job_…', 'longhaul get job_… --result > report.json'],
    load: async () => (await import('./get.ts')).get,
  },
  {
    name: 'watch',
    takes: `<jobId> [--timeout <10m>] [--after <event id>] ${WITH}`,
    does: 'shows what happens in a job until it has ended; its exit code tells how',
    examples: ['longhaul watch job_… --timeout 10m || echo "ended with $?"'],
    load: async () => (await import('./watch.ts')).watch,
  },
  {
    name: 'list',
    takes: `[--status <status>] [--agent <agent>] [--tag <tag>] [--created-after <2h | time>] [--created-before <2h | time>] [--limit <20> | --all] ${WITH}`,
    does: 'lists jobs, newest first',
    examples: ['longhaul list --status failed --created-after 24h --json | jq -r .jobId'],
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'trace',
    takes: `<jobId> ${WITH}`,
    does: 'shows what has happened in a job so far',
    examples: ['longhaul trace job_…'],
    load: async () => (await import('./trace.ts')).trace,
  },
  {
    name: 'cancel',
    takes: `<jobId> ${WITH}`,
    does: 'ends a job',
    examples: ['longhaul cancel job_…'],
    load: async () => (await import('./control.ts')).control('cancel'),
  },
  {
    name: 'pause',
    takes: `<jobId> ${WITH}`,
    does: 'holds a job at its next step',
    examples: ['longhaul pause job_…'],
    load: async () => (await import('./control.ts')).control('pause'),
  },
  {
    name: 'resume',
    takes: `<jobId> ${WITH}`,
    does: 'lets a paused job go on',
    examples: ['longhaul resume job_…'],
    load: async () => (await import('./control.ts')).control('resume'),
  },
  {
    name: 'retry',
    takes: `<jobId> [--hint <words>] [--from-step <step>] [--watch] ${WITH}`,
    does: 'restarts a failed or cancelled job, from where it stopped or from a step',
    examples: ['longhaul retry job_… --hint "ask for the invoice first" --from-step draft --watch'],
    load: async () => (await import('./retry.ts')).retry,
  },
  {
    name: 'fork',
    takes: `<jobId> --from-step <step> [--hint <words>] [--idempotency-key <key>] [--watch] ${WITH}`,
    does: 'makes a new job of a succeeded one, which goes on from a step',
    examples: ['longhaul fork job_… --from-step refund --hint "smaller amount"'],
    load: async () => (await import('./fork.ts')).fork,
  },
  {
    name: 'signal',
    takes: `<jobId> <name> ${INPUT} [--idempotency-key <key>] ${WITH}`,
    does: 'gives a job what it waits for, or is going to wait for',
    examples: [`longhaul signal job_… decision --input '{"approved": true, "by": "Grace"}'`],
    load: async () => (await import('./signal.ts')).signal,
  },
  {
    name: 'deliveries',
    takes: `<jobId> ${WITH}`,
    does: 'shows the notifications of a job and what came of each try',
    examples: ['longhaul deliveries job_…'],
    load: async () => (await import('./deliveries.ts')).deliveries,
  },
  {
    name: 'resend',
    takes: `<jobId> <deliveryId> ${WITH}`,
    does: 'sends a notification once more',
    examples: ['longhaul resend job_… msg_…'],
    load: async () => (await import('./resend.ts')).resend,
  },
  {
    name: 'dead-letters',
    takes: `[<jobId>] [--agent <agent>] [--code <code>] [--limit <20> | --all] ${WITH}`,
    does: 'lists dead letters, or shows one with its job; needs the scope ops',
    examples: ['longhaul dead-letters --code attempts_exhausted', 'longhaul dead-letters job_…'],
    load: async () => (await import('./dead-letters.ts')).deadLetters,
  },
  {
    name: 'redrive',
    takes: `<jobId>… | --all [--agent <agent>] [--code <code>] [--hint <words>] [--rate <5/s>] ${WITH}`,
    does: 'retries jobs that lie in the dead-letter queue, no faster than --rate; needs the scope ops',
    examples: [
      'longhaul redrive job_… job_…',
      'longhaul redrive --all --agent greet --rate 30/min',
    ],
    load: async () => (await import('./redrive.ts')).redrive,
  },
  {
    name: 'stalled',
    takes: `[--waiting-longer <24h>] [--agent <agent>] [--created-after <2h | time>] [--limit <20> | --all] ${WITH}`,
    does: 'lists jobs that are overdue or wait for long, with the reason; needs the scope ops',
    examples: [
      'longhaul stalled --waiting-longer 1h',
      'longhaul stalled --all --json | jq -r .jobId',
    ],
    load: async () => (await import('./stalled.ts')).stalled,
  },
  {
    name: 'schedules list',
    takes: WITH,
    does: 'lists schedules, with their next and last runs',
    examples: ['longhaul schedules list'],
    load: async () => (await import('./schedules.ts')).listSchedules,
  },
  {
    name: 'schedules get',
    takes: `<name> ${WITH}`,
    does: 'shows a schedule',
    examples: ['longhaul schedules get daily-report'],
    load: async () => (await import('./schedules.ts')).getSchedule,
  },
  {
    name: 'schedules put',
    takes: `<name> --expression <cron(…) | rate(…)> --agent <agent> ${INPUT} [--timezone <zone>] [--start-at <time>] [--end-at <time>] ${JOB} ${WITH}`,
    does: 'makes a schedule that submits a job again and again, or changes it',
    examples: [
      `longhaul schedules put daily-report --expression 'cron(0 9 ? * MON-FRI *)' --timezone Europe/Berlin --agent greet --input '{"names": ["Ada"]}'`,
      `longhaul schedules put poll --expression 'rate(15 minutes)' --agent greet --input-file poll.json`,
    ],
    load: async () => (await import('./put-schedule.ts')).putSchedule,
  },
  {
    name: 'schedules pause',
    takes: `<name> ${WITH}`,
    does: 'holds a schedule until it is resumed',
    examples: ['longhaul schedules pause daily-report'],
    load: async () => (await import('./schedules.ts')).controlSchedule('pauseSchedule'),
  },
  {
    name: 'schedules resume',
    takes: `<name> ${WITH}`,
    does: 'lets a paused schedule go on',
    examples: ['longhaul schedules resume daily-report'],
    load: async () => (await import('./schedules.ts')).controlSchedule('resumeSchedule'),
  },
  {
    name: 'schedules delete',
    takes: `<name> ${WITH}`,
    does: 'ends a schedule; jobs that it has submitted go on',
    examples: ['longhaul schedules delete daily-report'],
    load: async () => (await import('./schedules.ts')).deleteSchedule,
  },
  {
    name: 'upload',
    takes: `${INPUT} ${WITH}`,
    does: 'uploads an input and prints what `submit --input-ref` takes',
    examples: ['longhaul upload --input-file document.json'],
    load: async () => (await import('./upload.ts')).upload,
  },
  {
    name: 'usage',
    takes: `[--month <2026-11>] ${WITH}`,
    does: 'shows what the tenant used in a month',
    examples: ['longhaul usage --month 2026-11'],
    load: async () => (await import('./month-usage.ts')).monthUsage,
  },
];

export const API_COMMANDS: readonly CommandEntry[] = ENTRIES.map((entry) => ({
  ...entry,
  usesTable: false,
  usesApi: true,
}));
