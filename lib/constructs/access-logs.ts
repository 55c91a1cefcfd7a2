import { Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';
import { encryptedBy } from '../encrypted-by.ts';
import { removalPolicyOf } from '../removal-policy.ts';

/**
 * One JSON line for each request, so that every `requestId` in an answer is in some log, also those of refusals that reach
 * no function. Query strings, headers and bodies may hold what is nobody's business: they stay out. Every value is text,
 * since API Gateway writes `-` for one that it does not have.
 */
const FORMAT = JSON.stringify({
  requestId: AccessLogField.contextRequestId(),
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  ip: AccessLogField.contextIdentitySourceIp(),
  requestTime: AccessLogField.contextRequestTime(),
  httpMethod: AccessLogField.contextHttpMethod(),
  resourcePath: AccessLogField.contextResourcePath(),
  path: AccessLogField.contextPath(),
  status: AccessLogField.contextStatus(),
  responseLength: AccessLogField.contextResponseLength(),
  responseLatency: AccessLogField.contextResponseLatency(),
  integrationLatency: AccessLogField.contextIntegrationLatency(),
  tenantId: AccessLogField.contextAuthorizer('tenantId'),
  errorResponseType: AccessLogField.contextErrorResponseType(),
});

/** What makes a stage write access logs to a group below `scope`; nothing when the configuration wants none. */
export function accessLogs(
  scope: Construct,
  { config, key }: { readonly config: LonghaulConfig; readonly key: IKey | undefined },
): Pick<StageOptions, 'accessLogDestination' | 'accessLogFormat'> {
  if (config.apiAccessLogs === 'off') {
    acknowledgeNone(scope);
    return {};
  }
  const logGroup = new LogGroup(scope, 'AccessLogs', {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is the days, and config allows only its values
    retention: config.logRetentionDays as RetentionDays,
    removalPolicy: removalPolicyOf(config),
    ...encryptedBy(key),
  });
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(FORMAT),
  };
}

/** Tells cdk-nag why the role by which API Gateway logs has a policy of AWS. */
export function acknowledgeLoggingRole(api: Construct): void {
  Validations.of(api).acknowledge({
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason:
      'the role serves every API of the account in this region, whose log groups the stack cannot know; AWS made the policy for that',
  });
}

function acknowledgeNone(scope: Construct): void {
  Validations.of(scope).acknowledge({
    id: 'AwsSolutions-APIG1',
    reason: 'apiAccessLogs is off: whoever deploys wants no line for each request',
  });
}
