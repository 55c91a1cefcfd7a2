/** Sizes a request may have. Part of the contract: documents, schemas and problem answers name these figures. */
export const LIMITS = {
  /** Body of `POST /jobs`; API Gateway and Lambda would take more, DynamoDB and the reader of an error would not. */
  bodyBytes: 2 * 1024 * 1024,
  /** An input that is uploaded: as large as any payload a worker can take. */
  uploadBytes: 48 * 1024 * 1024,
  /** Entries of `POST /jobs/batch`. */
  batchJobs: 100,
  /** Levels of arrays and objects in a body. */
  nesting: 128,
  idempotencyKeyCharacters: 255,
  metadataEntries: 16,
  metadataKeyCharacters: 64,
  metadataValueCharacters: 256,
  tags: 10,
  tagCharacters: 64,
  /**
   * JSON of metadata and tags together. Both ride on the job item, which every transition rewrites and is billed for by
   * the KB: larger facts belong into the input, which is stored once.
   */
  annotationBytes: 512,
  /** Longest that an answer is held back; API Gateway waits 29 s in all. */
  waitSeconds: 20,
  /** Rows of a page of a list. */
  pageRows: 100,
  /** Rides on the job item, too. */
  notifyUrlCharacters: 512,
  /** Body of a command. */
  commandBytes: 32 * 1024,
  hintCharacters: 2_000,
  /** Hints and restarts of one job: both ride on the job item, which holds 400 KB at most. */
  hints: 20,
  restarts: 100,
  fromStepCharacters: 256,
  signalNameCharacters: 64,
  signalBytes: 256 * 1024,
  /** Signals of one job. */
  signals: 1_000,
  scheduleNameCharacters: 64,
  expressionCharacters: 256,
  timezoneCharacters: 50,
  /** Body of `PUT /schedules/{name}`: an input of this size stays in the table, where each run reads it. */
  scheduleBytes: 8 * 1024,
  /** Steps that a problem names when it knows none of the one asked for. */
  listedSteps: 100,
  /** Faults a problem lists; what is beyond is counted in its `detail`. */
  listedFaults: 100,
} as const;

/** Outcomes up to this size are shown in the trace itself; of larger ones it shows the size. */
export const TRACE_OUTCOME_BYTES = 1024;

/** Validity of the `resultUrl` of a job whose result is kept in the bucket. */
export const RESULT_URL_SECONDS = 900;

/** An event stream ends after this long, and its client resumes. */
export const EVENT_STREAM_SECONDS = 300;

/** Validity of the address that `POST /uploads` gives; a PUT that began before goes on. */
export const UPLOAD_URL_SECONDS = 900;

/** How long an upload may be submitted, at least; S3 removes it at the midnight after. */
export const UPLOAD_DAYS = 2;
