import { EndpointType, type RestApiProps } from 'aws-cdk-lib/aws-apigateway';
import { type IVpcEndpoint, InterfaceVpcEndpoint } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import type { ApiConfig } from '../config.ts';

/** The interface endpoints through which a private API is reached; none when it is on the internet. */
export function vpcEndpointsOf(scope: Construct, { vpcEndpoints }: ApiConfig): IVpcEndpoint[] {
  const ids = vpcEndpoints.split(' ').filter((id) => id !== '');
  return ids.map((vpcEndpointId) =>
    InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(scope, vpcEndpointId, {
      vpcEndpointId,
      port: 443,
    }),
  );
}

/** On the internet, or nowhere but behind these endpoints. */
export function endpointOf(
  vpcEndpoints: readonly IVpcEndpoint[],
): Pick<RestApiProps, 'endpointConfiguration'> {
  return {
    endpointConfiguration:
      vpcEndpoints.length === 0
        ? { types: [EndpointType.REGIONAL] }
        : { types: [EndpointType.PRIVATE], vpcEndpoints: [...vpcEndpoints] },
  };
}
