/**
 * What EventBridge Scheduler puts in the place of this text when it fires
 * (https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html).
 */
export const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** For how long, and how often, it tries to start the function; what comes later than that helps nobody. */
export const TRIGGER_RETRY = { maximumEventAgeInSeconds: 3_600, maximumRetryAttempts: 20 } as const;
