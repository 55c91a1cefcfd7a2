import { Aspects, CfnResource, type IAspect, Validations } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPolicy, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

export interface EmulatorGap {
  /** CloudFormation type that `-c emulator=true` leaves out. */
  readonly type: string;
  readonly reason: string;
  /**
   * Which resources of the type are meant.
   * @default - all
   */
  readonly only?: (resource: CfnResource) => boolean;
}

/**
 * What MiniStack 1.5.33 cannot deploy: the one place that says so, with `docs/emulator.md`. Constructs do not know of it,
 * and nothing here may be referred to by another resource.
 */
export const EMULATOR_GAPS: readonly EmulatorGap[] = [
  {
    type: 'AWS::CloudWatch::CompositeAlarm',
    reason: 'unrecognized resource type',
  },
  {
    type: 'AWS::Logs::QueryDefinition',
    reason: 'unrecognized resource type',
  },
  {
    type: 'AWS::CloudWatch::Alarm',
    reason: 'alarms over metric math are refused, plain ones deploy',
    only: (resource) => resource instanceof CfnAlarm && resource.metrics !== undefined,
  },
];

/** Where the emulator looks for the grant of every trigger, whatever group it is in. */
const TRIGGERS_IN_EMULATOR = 'arn:aws:scheduler:*:*:schedule/default/*';

/** Removes from the tree what the emulator cannot take, and allows what it asks for by another name. */
export function leaveOutEmulatorGaps(scope: IConstruct): void {
  Aspects.of(scope).add(new LeaveOutGaps());
  Aspects.of(scope).add(new AllowTriggers());
}

class LeaveOutGaps implements IAspect {
  visit(node: IConstruct): void {
    if (CfnResource.isCfnResource(node) && EMULATOR_GAPS.some((gap) => matches(gap, node))) {
      node.node.scope?.node.tryRemoveChild(node.node.id);
    }
  }
}

class AllowTriggers implements IAspect {
  visit(node: IConstruct): void {
    if (!(node instanceof CfnPolicy && node.policyDocument instanceof PolicyDocument)) return;
    const granted = JSON.stringify(node.stack.resolve(node.policyDocument));
    const actions = granted.match(/scheduler:\w+/g);
    if (actions === null) return;
    node.policyDocument.addStatements(
      new PolicyStatement({ actions, resources: [TRIGGERS_IN_EMULATOR] }),
    );
    Validations.of(node).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${TRIGGERS_IN_EMULATOR}]`,
      reason: 'for the emulator only, which looks for every trigger in the default group',
    });
  }
}

function matches({ type, only }: EmulatorGap, resource: CfnResource): boolean {
  return resource.cfnResourceType === type && (only === undefined || only(resource));
}
