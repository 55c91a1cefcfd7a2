import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Tells cdk-nag why a policy below `scope` may name everything under a resource. Its ids hold the logical id of the
 * resource, so that one acknowledgement can never cover another wildcard.
 */
export function acknowledgeWildcard(
  scope: IConstruct,
  { resource, suffix, reason }: { resource: IConstruct; suffix: string; reason: string },
): void {
  const logicalId = Stack.of(resource).getLogicalId(resource.node.defaultChild as CfnElement);
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>${suffix}]`,
    reason,
  });
}
