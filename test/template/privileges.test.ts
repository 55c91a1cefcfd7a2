import { describe, expect, it } from '@jest/globals';
import { privileges } from './privileges.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const { template } = synthesize();
const granted = privileges(template);

/** Every function logs to its group and sends its trace. */
const everyFunction = (path: string) => [
  `logs:CreateLogStream on ${path}Logs`,
  `logs:PutLogEvents on ${path}Logs`,
  'xray:PutTelemetryRecords on *',
  'xray:PutTraceSegments on *',
];

const on = (resource: string, ...actions: string[]) =>
  actions.map((action) => `${action} on ${resource}`);

const consume = (queue: string) =>
  on(
    queue,
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ReceiveMessage',
  );

const TIDY = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];

/** Every schedule of the group, which has a name of its own. */
const TRIGGERS =
  'arn:{"Ref":"AWS::Partition"}:scheduler:{"Ref":"AWS::Region"}:{"Ref":"AWS::AccountId"}:schedule/Longhaul-Schedules-Group-D51D5108/*';

const EXPECTED = {
  Submit: [
    ...on('JobTable/Table', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
    ...on(
      'IdempotencyTable/Table',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    ),
    ...on('Payloads/Bucket/tenants/*/jobs/*/input-*', 's3:PutObject'),
    ...on('Payloads/Bucket/tenants/*/jobs/*/g*/result-*', 's3:GetObject'),
    ...on('Payloads/Bucket/uploads/*', 's3:GetObject'),
    ...on('Queue/Jobs', 'sqs:SendMessage'),
  ],
  'Schedules/Function': [
    ...on(
      'JobTable/Table',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    ),
    ...on('Queue/Jobs', 'sqs:SendMessage'),
    ...on('Queue/DeadLetters', 'sqs:SendMessage'),
    ...on(
      TRIGGERS,
      'scheduler:CreateSchedule',
      'scheduler:UpdateSchedule',
      'scheduler:DeleteSchedule',
    ),
    ...on('Schedules/TriggerRole', 'iam:PassRole'),
  ],
  Api: [
    ...on(
      'JobTable/Table',
      'dynamodb:GetItem',
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ),
    ...on('JobTable/Table/index/by-tenant', 'dynamodb:Query'),
    ...on(
      'IdempotencyTable/Table',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    ),
    ...on('Payloads/Bucket/*', 's3:GetObject'),
    ...on('Payloads/Bucket/tenants/*/jobs/*/signals/*', 's3:PutObject'),
    ...on('Payloads/Bucket/uploads/*', 's3:PutObject'),
    ...on('Queue/Jobs', 'sqs:SendMessage'),
    ...on('Queue/Isolation', 'sqs:SendMessage'),
    ...on('Notifications/Pending', 'sqs:SendMessage'),
    ...on('Queue/DeadLetters', 'sqs:SendMessage', ...TIDY),
  ],
  Events: on('JobTable/Table', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'),
  Authorizer: on('JobTable/Table', 'dynamodb:GetItem', 'dynamodb:UpdateItem'),
  'Worker/Function': [
    ...on(
      'JobTable/Table',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    ),
    ...on('Payloads/Bucket/*', 's3:GetObject', 's3:PutObject'),
    ...on('Queue/Jobs', 'sqs:SendMessage'),
    ...on('Queue/Isolation', 'sqs:SendMessage'),
    ...on('Queue/DeadLetters', 'sqs:SendMessage'),
    ...on('Notifications/Pending', 'sqs:SendMessage'),
    ...consume('Queue/Jobs'),
    ...consume('Queue/Isolation'),
  ],
  'Notifier/Function': [
    ...on('JobTable/Table', 'dynamodb:GetItem', 'dynamodb:PutItem'),
    ...on('Notifications/Pending', 'sqs:SendMessage'),
    ...on('Notifications/Undelivered', 'sqs:SendMessage'),
    ...consume('Notifications/Pending'),
  ],
  'Sweeper/Function': [
    ...on('JobTable/Table/index/due', 'dynamodb:Query'),
    ...on(
      'JobTable/Table',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    ),
    ...on('Queue/Jobs', 'sqs:SendMessage', 'sqs:GetQueueAttributes'),
    ...on('Queue/Isolation', 'sqs:SendMessage'),
    ...on('Notifications/Pending', 'sqs:SendMessage'),
    ...on('Queue/DeadLetters', 'sqs:SendMessage', 'sqs:GetQueueAttributes', ...TIDY),
  ],
};

describe('least privilege', () => {
  it.each(Object.entries(EXPECTED))('%s may do this and nothing else', (path, expected) => {
    expect(granted[`Longhaul/${path}`]).toEqual([...expected, ...everyFunction(path)].sort());
  });

  it('the schedule may start the sweeper and nothing else', () => {
    expect(granted['Longhaul/Sweeper/Schedule']).toEqual([
      'lambda:InvokeFunction on Sweeper/Function',
      'lambda:InvokeFunction on Sweeper/Function:*',
    ]);
  });

  it('triggers may start the function of the schedules, and leave what could not be started', () => {
    expect(granted['Longhaul/Schedules/Trigger']).toEqual([
      'lambda:InvokeFunction on Schedules/Function',
      'sqs:SendMessage on Queue/DeadLetters',
    ]);
  });

  it('the function of the schedules may hand its role to EventBridge Scheduler only', () => {
    const policies = resourcesByPath(template, 'AWS::IAM::Policy');
    const { PolicyDocument } =
      policies['Longhaul/Schedules/FunctionRole/DefaultPolicy']?.Properties ?? {};
    const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };

    expect(Statement.filter(({ Action }) => Action === 'iam:PassRole')).toMatchObject([
      { Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } } },
    ]);
  });

  it('nobody else may do anything', () => {
    expect(Object.keys(granted).sort()).toEqual(
      [...Object.keys(EXPECTED), 'Sweeper/Schedule', 'Schedules/Trigger']
        .map((path) => `Longhaul/${path}`)
        .sort(),
    );
  });

  it('no role carries a managed policy but the one by which API Gateway logs', () => {
    const roles = Object.entries(resourcesByPath(template, 'AWS::IAM::Role'));
    const managed = roles.filter(([, { Properties }]) => 'ManagedPolicyArns' in Properties);

    expect(managed.map(([path]) => path)).toEqual(['Longhaul/JobApi/Api/CloudWatchRole']);
    expect(JSON.stringify(managed)).toMatch(/service-role\/AmazonAPIGatewayPushToCloudWatchLogs"/);
  });
});
