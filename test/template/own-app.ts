import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Longhaul } from '../../lib/index.ts';

/** The construct in an app of somebody else, as the documents show it. */
export class OwnStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    // #region construct
    new Longhaul(this, 'Jobs', {
      agentsEntry: 'agents/index.ts',
      config: { environment: 'development', worker: { batchSize: 20, batchingWindowSeconds: 1 } },
    });
    // #endregion
  }
}
