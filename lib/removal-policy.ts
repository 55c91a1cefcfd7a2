import { RemovalPolicy } from 'aws-cdk-lib';
import type { LonghaulConfig } from './config.ts';

/** What becomes of data when the stack is deleted. */
export function removalPolicyOf(config: Pick<LonghaulConfig, 'environment'>): RemovalPolicy {
  return config.environment === 'production' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}
