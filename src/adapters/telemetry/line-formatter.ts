import { LogFormatter, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';

/**
 * Lines without what Powertools adds to each: its sampling, and the id of the invocation's X-Ray trace, which stands for several jobs
 * and not for the one that a line is about.
 */
export class LineFormatter extends LogFormatter {
  override formatAttributes(given: UnformattedAttributes, additional: LogAttributes): LogItem {
    const { logLevel: level, message, serviceName: service } = given;
    const timestamp = this.formatTimestamp(given.timestamp);
    return new LogItem({ attributes: { level, message, timestamp, service } }).addAttributes(
      additional,
    );
  }
}
