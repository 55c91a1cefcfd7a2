import { resolve, resolveCondition, NO_VALUE, type Scope } from './intrinsics.ts';
import { ACCOUNT, apiId, REGION, type Addresses, type Identity } from './identity.ts';
import { physicalName } from './physical-name.ts';
import { Properties } from './properties.ts';
import { checkProperties } from './property-rules.ts';
import type { Assembly, TemplateResource } from './read-assembly.ts';
import { RESOURCE_TYPES, type ResourceType } from './resource-types.ts';
import { TemplateError } from './template-error.ts';

/** A played resource of the template, its intrinsics resolved and its properties known to be understood. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  /** `Stack/Longhaul/Worker/Resource`: where it was constructed, for people. */
  readonly path: string;
  /** Physical name. */
  readonly name: string;
  readonly properties: Properties;
}

export interface Deployment {
  readonly stackName: string;
  readonly assets: ReadonlyMap<string, string>;
  readonly outputs: Readonly<Record<string, string>>;
  ofType(...types: readonly string[]): readonly Resource[];
}

/**
 * Turns the template into resources with real values, as CloudFormation would.
 * @throws TemplateError naming the resource, for whatever this cloud does not know.
 */
export function deploy(assembly: Assembly, addresses: Addresses): Deployment {
  return new Stack(assembly, addresses).deployment();
}

class Stack {
  readonly #assembly: Assembly;
  readonly #addresses: Addresses;
  readonly #naming = new Set<string>();

  constructor(assembly: Assembly, addresses: Addresses) {
    this.#assembly = assembly;
    this.#addresses = addresses;
  }

  deployment(): Deployment {
    const resources = Object.entries(this.#assembly.template.Resources)
      .filter(([logicalId, resource]) => this.#exists(logicalId, resource))
      .map(([logicalId, resource]) => this.#resource(logicalId, resource))
      .filter((resource) => resource !== undefined);
    return {
      stackName: this.#assembly.stackName,
      assets: this.#assembly.assets,
      outputs: this.#outputs(),
      ofType: (...types) => resources.filter((resource) => types.includes(resource.type)),
    };
  }

  #exists(where: string, { Condition }: { readonly Condition?: string }): boolean {
    return Condition === undefined || this.#scope(where).condition(Condition);
  }

  #resource(logicalId: string, resource: TemplateResource): Resource | undefined {
    const type = this.#typeOf(logicalId, resource);
    if (!type.properties) return undefined;
    const values = this.#atOwnAddress(
      resolve(resource.Properties ?? {}, this.#scope(logicalId)),
    ) as Record<string, unknown>;
    checkProperties(`${logicalId} (${resource.Type})`, values, type.properties);
    return {
      logicalId,
      type: resource.Type,
      path: resource.Metadata?.['aws:cdk:path'] ?? logicalId,
      name: this.#identity(logicalId).name,
      properties: new Properties(logicalId, values),
    };
  }

  #typeOf(logicalId: string, { Type }: TemplateResource): ResourceType {
    const type = RESOURCE_TYPES[Type];
    if (type) return type;
    throw new TemplateError(
      logicalId,
      `unknown resource type ${Type}; known: ${Object.keys(RESOURCE_TYPES).join(', ')}`,
    );
  }

  #outputs(): Record<string, string> {
    const outputs = Object.entries(this.#assembly.template.Outputs ?? {}).filter(([name, output]) =>
      this.#exists(name, output),
    );
    return Object.fromEntries(
      outputs.map(([name, { Value }]) => [
        name,
        String(this.#atOwnAddress(resolve(Value, this.#scope(`output ${name}`)))),
      ]),
    );
  }

  /** A template writes the address of its API as AWS would have it; here the gateway is at its own. */
  #atOwnAddress(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#atOwnAddress(item));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.#atOwnAddress(item)]),
      );
    }
    if (typeof value !== 'string' || !value.includes('.execute-api.')) return value;
    return value.replaceAll(/https:\/\/([a-z0-9]+)\.execute-api\.[a-z0-9.-]+/g, (address, id) =>
      this.#apiIds().includes(id as string) ? this.#addresses.gateway : address,
    );
  }

  #apiIds(): string[] {
    return Object.entries(this.#assembly.template.Resources)
      .filter(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi')
      .map(([logicalId]) => apiId(logicalId));
  }

  #identity(logicalId: string): Identity {
    const resource = this.#assembly.template.Resources[logicalId];
    if (!resource) throw new TemplateError(logicalId, 'referred to, but not in the template');
    if (this.#naming.has(logicalId)) throw new TemplateError(logicalId, 'refers to itself');
    this.#naming.add(logicalId);
    const { nameProperty } = this.#typeOf(logicalId, resource);
    const named = nameProperty === undefined ? undefined : resource.Properties?.[nameProperty];
    const explicit = named === undefined ? NO_VALUE : resolve(named, this.#scope(logicalId));
    this.#naming.delete(logicalId);
    return {
      logicalId,
      name:
        explicit === NO_VALUE
          ? physicalName(this.#assembly.stackName, logicalId, resource.Type)
          : String(explicit),
      addresses: this.#addresses,
    };
  }

  #scope(where: string): Scope {
    return {
      where,
      ref: (name) => this.#ref(where, name),
      attribute: (logicalId, name) => this.#attribute(where, logicalId, name),
      condition: (name) => this.#condition(where, name),
      mapping: (map, top, second) => {
        const value = this.#assembly.template.Mappings?.[map]?.[top]?.[second];
        if (value !== undefined) return value;
        throw new TemplateError(where, `no mapping ${map}.${top}.${second}`);
      },
    };
  }

  #ref(where: string, name: string): unknown {
    const pseudo = this.#pseudoParameter(name);
    if (pseudo !== undefined) return pseudo;
    if (name.startsWith('AWS::')) throw new TemplateError(where, `unknown parameter ${name}`);
    const parameter = this.#assembly.template.Parameters?.[name];
    if (parameter) {
      if (parameter.Default !== undefined) return parameter.Default;
      throw new TemplateError(where, `parameter ${name} has no default`);
    }
    const identity = this.#identity(name);
    return this.#typeOfId(name).ref?.(identity) ?? identity.name;
  }

  #attribute(where: string, logicalId: string, name: string): string {
    const identity = this.#identity(logicalId);
    const attribute = this.#typeOfId(logicalId).attributes[name];
    if (attribute) return attribute(identity);
    throw new TemplateError(where, `unknown attribute ${name} of ${logicalId}`);
  }

  #typeOfId(logicalId: string): ResourceType {
    const resource = this.#assembly.template.Resources[logicalId];
    if (!resource) throw new TemplateError(logicalId, 'referred to, but not in the template');
    return this.#typeOf(logicalId, resource);
  }

  #condition(where: string, name: string): boolean {
    const condition = this.#assembly.template.Conditions?.[name];
    if (condition === undefined) throw new TemplateError(where, `unknown condition ${name}`);
    return resolveCondition(condition, this.#scope(`condition ${name}`));
  }

  #pseudoParameter(name: string): unknown {
    const values: Record<string, unknown> = {
      'AWS::AccountId': ACCOUNT,
      'AWS::NoValue': NO_VALUE,
      'AWS::NotificationARNs': [],
      'AWS::Partition': 'aws',
      'AWS::Region': REGION,
      'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${this.#assembly.stackName}/local`,
      'AWS::StackName': this.#assembly.stackName,
      'AWS::URLSuffix': 'amazonaws.com',
    };
    return values[name];
  }
}
