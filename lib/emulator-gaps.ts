import { Aspects, CfnResource, type IAspect } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
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

/** Removes from the tree what the emulator cannot take. */
export function leaveOutEmulatorGaps(scope: IConstruct): void {
  Aspects.of(scope).add(new LeaveOutGaps());
}

class LeaveOutGaps implements IAspect {
  visit(node: IConstruct): void {
    if (CfnResource.isCfnResource(node) && EMULATOR_GAPS.some((gap) => matches(gap, node))) {
      node.node.scope?.node.tryRemoveChild(node.node.id);
    }
  }
}

function matches({ type, only }: EmulatorGap, resource: CfnResource): boolean {
  return resource.cfnResourceType === type && (only === undefined || only(resource));
}
