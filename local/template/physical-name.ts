/** Longest physical name of each type that has a limit a stack could meet. */
const LIMITS: Readonly<Record<string, number>> = {
  'AWS::IAM::Role': 64,
  'AWS::Lambda::Function': 64,
  'AWS::S3::Bucket': 63,
  'AWS::SQS::Queue': 80,
  'AWS::Scheduler::Schedule': 64,
};

/** The name CloudFormation would give, without its random end: `Stack-LogicalId`, its tail kept when it is too long. */
export function physicalName(stackName: string, logicalId: string, type: string): string {
  const name = `${stackName}-${logicalId}`;
  const limit = LIMITS[type] ?? 128;
  const short = name.length <= limit ? name : name.slice(name.length - limit).replace(/^-+/, '');
  return type === 'AWS::S3::Bucket' ? short.toLowerCase() : short;
}
