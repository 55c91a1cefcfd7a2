/** Numbers the engine goes by. Sizes are bytes of JSON text in UTF-8 unless said otherwise. */
export const LIMITS = {
  /** Up to here an input or result rides in the job item, which must stay under 1 KB. */
  inlineInJobBytes: 512,
  /** Up to here a payload stays in DynamoDB; a write of more costs above one PUT to S3 (8 write units = $5 per million). */
  inlineBytes: 8 * 1024,
  /** The largest payload at all: what a worker of 512 MB can parse beside nine others. */
  payloadBytes: 48 * 1024 * 1024,
  /** Levels of arrays and objects in an input: a body has as many, of which one is its own. */
  inputNesting: 127,
  /** Levels of arrays and objects in what an agent returns: far from where reading or writing it would overflow a stack. */
  outcomeNesting: 1_000,
  /** A page stays well below DynamoDB's item limit of 400 KB. */
  pageBytes: 256 * 1024,
  /** All entries of a job: each replay reads and holds them, in a worker of 512 MB. */
  journalBytes: 64 * 1024 * 1024,
  progressMessageChars: 256,
  logMessageChars: 1_024,
  logDataBytes: 8 * 1024,
  stepIdChars: 256,
  /** Waits up to this long are waited in place; longer ones suspend the job. */
  inPlaceWaitMs: 5_000,
  /** After this long a progress report gets a page of its own. */
  progressFlushMs: 1_000,
  maxRetries: 100,
  /** Signals of one job, over its life: each replay reads them all, and the largest that ride in the table have 8 KB. */
  signals: 1_000,
  /** Sub-jobs of one job that are made or cancelled at the same time: hundreds would wait for each other longer than requests may take. */
  spawnsAtOnce: 25,
  /** Slices in a row that may end without a page of the journal. */
  maxHops: 10,
} as const;

/** Deadline of the one who must look at a job that has just become `queued`. */
export const QUEUED_DUE_MS = 30_000;

/** Longest delay SQS gives a message (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html). */
export const MAX_QUEUE_DELAY_MS = 900_000;
