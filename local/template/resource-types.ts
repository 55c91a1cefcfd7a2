import { ACCOUNT, apiId, arn, type Identity } from './identity.ts';
import { PLAYED_PROPERTIES } from './played-properties.ts';
import type { PropertyRules } from './property-rules.ts';

export interface ResourceType {
  /** Checked property by property; absent for a type that is accepted and has no effect here. */
  readonly properties?: PropertyRules;
  /** Why the type has no effect in the local cloud. */
  readonly inertBecause?: string;
  /** The property that holds an explicit physical name. */
  readonly nameProperty?: string;
  /** What `Ref` gives; the physical name unless stated. */
  readonly ref?: (identity: Identity) => string;
  readonly attributes: Readonly<Record<string, (identity: Identity) => string>>;
}

type Identify = Pick<ResourceType, 'nameProperty' | 'ref' | 'attributes'>;

const plays = (type: string, identify: Identify): ResourceType => {
  const properties = PLAYED_PROPERTIES[type];
  if (!properties) throw new Error(`no property rules for ${type}`);
  return { properties, ...identify };
};

const inert = (because: string, identify: Partial<Identify> = {}): ResourceType => ({
  inertBecause: because,
  attributes: {},
  ...identify,
});

const idAs = (attribute: string): Identify => ({
  ref: ({ logicalId }) => logicalId,
  attributes: { [attribute]: ({ logicalId }) => logicalId },
});

const table: Identify = {
  nameProperty: 'TableName',
  attributes: {
    Arn: ({ name }) => arn('dynamodb', `table/${name}`),
    TableId: ({ logicalId }) => logicalId,
  },
};

const alarm: Identify = {
  nameProperty: 'AlarmName',
  attributes: { Arn: ({ name }) => arn('cloudwatch', `alarm:${name}`) },
};

/** Every resource type this cloud knows. A type that is not here is an error that names the resource. */
export const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'AWS::DynamoDB::Table': plays('AWS::DynamoDB::Table', table),
  'AWS::DynamoDB::GlobalTable': plays('AWS::DynamoDB::GlobalTable', table),
  'AWS::SQS::Queue': plays('AWS::SQS::Queue', {
    nameProperty: 'QueueName',
    ref: ({ name, addresses }) => `${addresses.queues}/${ACCOUNT}/${name}`,
    attributes: {
      Arn: ({ name }) => arn('sqs', name),
      QueueName: ({ name }) => name,
      QueueUrl: ({ name, addresses }) => `${addresses.queues}/${ACCOUNT}/${name}`,
    },
  }),
  'AWS::S3::Bucket': plays('AWS::S3::Bucket', {
    nameProperty: 'BucketName',
    attributes: {
      Arn: ({ name }) => arn('s3', name, '', ''),
      DomainName: ({ name }) => `${name}.s3.amazonaws.com`,
      RegionalDomainName: ({ name }) => `${name}.s3.us-east-1.amazonaws.com`,
    },
  }),
  'AWS::Lambda::Function': plays('AWS::Lambda::Function', {
    nameProperty: 'FunctionName',
    attributes: { Arn: ({ name }) => arn('lambda', `function:${name}`) },
  }),
  'AWS::Lambda::EventSourceMapping': plays('AWS::Lambda::EventSourceMapping', idAs('Id')),
  'AWS::Scheduler::Schedule': plays('AWS::Scheduler::Schedule', {
    nameProperty: 'Name',
    attributes: { Arn: ({ name }) => arn('scheduler', `schedule/default/${name}`) },
  }),
  'AWS::Scheduler::ScheduleGroup': plays('AWS::Scheduler::ScheduleGroup', {
    nameProperty: 'Name',
    attributes: { Arn: ({ name }) => arn('scheduler', `schedule-group/${name}`) },
  }),
  'AWS::CloudWatch::Alarm': plays('AWS::CloudWatch::Alarm', alarm),
  'AWS::CloudWatch::CompositeAlarm': plays('AWS::CloudWatch::CompositeAlarm', alarm),
  'AWS::Logs::MetricFilter': plays('AWS::Logs::MetricFilter', { attributes: {} }),
  'AWS::Events::EventBus': plays('AWS::Events::EventBus', {
    nameProperty: 'Name',
    attributes: {
      Arn: ({ name }) => arn('events', `event-bus/${name}`),
      Name: ({ name }) => name,
    },
  }),
  'AWS::Events::Rule': plays('AWS::Events::Rule', {
    nameProperty: 'Name',
    attributes: { Arn: ({ name }) => arn('events', `rule/${name}`) },
  }),
  'AWS::ApiGateway::RestApi': plays('AWS::ApiGateway::RestApi', {
    ref: ({ logicalId }) => apiId(logicalId),
    attributes: {
      RootResourceId: ({ logicalId }) => `${logicalId}-root`,
      RestApiId: ({ logicalId }) => apiId(logicalId),
    },
  }),
  'AWS::ApiGateway::Resource': plays('AWS::ApiGateway::Resource', idAs('ResourceId')),
  'AWS::ApiGateway::Method': plays('AWS::ApiGateway::Method', idAs('Id')),
  'AWS::ApiGateway::Deployment': plays('AWS::ApiGateway::Deployment', idAs('DeploymentId')),
  'AWS::ApiGateway::Stage': plays('AWS::ApiGateway::Stage', {
    nameProperty: 'StageName',
    attributes: {},
  }),
  'AWS::ApiGateway::Authorizer': plays('AWS::ApiGateway::Authorizer', idAs('AuthorizerId')),
  'AWS::ApiGateway::GatewayResponse': plays('AWS::ApiGateway::GatewayResponse', idAs('Id')),

  'AWS::ApiGateway::Account': inert('access logs go to a file, which takes no role', {
    attributes: { Id: ({ logicalId }) => logicalId },
  }),
  'AWS::CDK::Metadata': inert('usage statistics of the CDK'),
  'AWS::CloudWatch::Dashboard': inert('nothing is drawn', { nameProperty: 'DashboardName' }),
  'AWS::IAM::ManagedPolicy': inert('calls are not authorised', {
    ref: ({ name }) => arn('iam', `policy/${name}`, ''),
  }),
  'AWS::IAM::Policy': inert('calls are not authorised'),
  'AWS::IAM::Role': inert('calls are not authorised', {
    nameProperty: 'RoleName',
    attributes: {
      Arn: ({ name }) => arn('iam', `role/${name}`, ''),
      RoleId: ({ logicalId }) => logicalId,
    },
  }),
  'AWS::KMS::Key': inert('the emulators keep everything in memory', {
    ref: ({ logicalId }) => logicalId,
    attributes: {
      Arn: ({ logicalId }) => arn('kms', `key/${logicalId}`),
      KeyId: ({ logicalId }) => logicalId,
    },
  }),
  'AWS::Lambda::Permission': inert('calls are not authorised'),
  'AWS::Logs::LogGroup': inert('log lines go to one file of the state directory', {
    nameProperty: 'LogGroupName',
    attributes: { Arn: ({ name }) => arn('logs', `log-group:${name}:*`) },
  }),
  'AWS::Logs::QueryDefinition': inert('saved queries are for the console'),
  'AWS::S3::BucketPolicy': inert('calls are not authorised'),
  'AWS::SNS::Topic': inert('only alarms publish to topics, and nobody is told of an alarm', {
    nameProperty: 'TopicName',
    ref: ({ name }) => arn('sns', name),
    attributes: { TopicArn: ({ name }) => arn('sns', name), TopicName: ({ name }) => name },
  }),
  'AWS::SNS::Subscription': inert('only alarms publish to topics, and nobody is told of an alarm'),
  'AWS::SNS::TopicPolicy': inert('calls are not authorised'),
  'AWS::SQS::QueuePolicy': inert('calls are not authorised'),
  'AWS::WAFv2::WebACL': inert('nobody attacks this machine', {
    nameProperty: 'Name',
    attributes: {
      Arn: ({ name }) => arn('wafv2', `regional/webacl/${name}/local`),
      Id: ({ logicalId }) => logicalId,
    },
  }),
  'AWS::WAFv2::WebACLAssociation': inert('nobody attacks this machine'),
  'Custom::S3AutoDeleteObjects': inert('the emulators forget everything when they end'),
};
