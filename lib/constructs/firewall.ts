import { Stack, Validations } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';

export interface FirewallProps {
  readonly config: LonghaulConfig;
  readonly stage: Stage;
}

/** Rules kept by AWS, and of these the ones that only count. */
const MANAGED_RULES: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  // Bodies are what agents work on, up to 2 MiB of any text: a ticket that quotes an attack is none. Programs may name no agent.
  AWSManagedRulesCommonRuleSet: [
    'NoUserAgent_HEADER',
    'SizeRestrictions_BODY',
    'EC2MetaDataSSRF_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'CrossSiteScripting_BODY',
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_BODY',
    'Log4JRCE_BODY',
    'ReactJSRCE_BODY',
  ],
};

/** A web ACL before the API, where the configuration wants one: made here, or one that is there. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { config, stage }: FirewallProps) {
    super(scope, id);
    const webAclArn = this.#webAclArn(config);
    if (webAclArn === undefined) {
      acknowledgeNone(stage);
      return;
    }
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stage.stageArn, webAclArn });
  }

  #webAclArn({ api }: LonghaulConfig): string | undefined {
    if (api.wafWebAclArn !== '') return api.wafWebAclArn;
    if (!api.waf) return undefined;
    return new CfnWebACL(this, 'WebAcl', {
      description: `Longhaul: before the API of ${Stack.of(this).stackName}`,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibleAs('LonghaulWebAcl'),
      rules: [rateRule(api.wafRequestsPerFiveMinutes), ...managedRules()],
    }).attrArn;
  }
}

function rateRule(limit: number): CfnWebACL.RuleProperty {
  return {
    name: 'RequestsOfOneAddress',
    priority: 0,
    action: { block: {} },
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit, evaluationWindowSec: 300 } },
    visibilityConfig: visibleAs('RequestsOfOneAddress'),
  };
}

function managedRules(): CfnWebACL.RuleProperty[] {
  return Object.entries(MANAGED_RULES).map(([name, counted], index) => ({
    name,
    priority: index + 1,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    visibilityConfig: visibleAs(name),
  }));
}

/** Samples hold headers, and those the callers' keys. */
function visibleAs(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}

function acknowledgeNone(stage: Stage): void {
  Validations.of(stage).acknowledge({
    id: 'AwsSolutions-APIG3',
    reason:
      'api.waf is off: a web ACL costs by the month, and authorizer, throttling and checks of each request hold without one',
  });
}
