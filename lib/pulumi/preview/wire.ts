import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { secretPlaceholder, unknownText } from './plan';

/**
 * Pulumi's wire format for values that plain JSON has no word for.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/rpc.ts
 */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

const signatureKey = '4dabf18193072939515e22adb298388d';

const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

const resourceSignature = '5cf8f73096256a8f31e491e813e4eb8e';

const outputSignature = 'd0e6a833031e9bbcd3f4e8bde6ca49a4';

const assetSignature = 'c44067f5952c0a294b673a41bacd8c17';

const archiveSignature = '0def7320c3a5731c473e5ecbe6d01bc7';

/** A secret on the wire. */
export function wireSecret(value: unknown): PlainObject {
  return { [signatureKey]: secretSignature, value };
}

/** Whether a wire value is marked secret. */
export function isWireSecret(value: unknown): value is { value: unknown } {
  return isPlainObject(value) && value[signatureKey] === secretSignature;
}

/** A reference to a resource whose id is not known yet. */
export function wireResource(urn: string): PlainObject {
  return { [signatureKey]: resourceSignature, urn, id: '' };
}

/**
 * A wire value as a plan shows it: secrets and unknown values replaced, resources as URNs, files as names. The
 * values of a Kubernetes Secret are never shown, whether or not the program marked them as secret; its keys are.
 */
export function readable(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.includes(unknownValue) ? value.replaceAll(unknownValue, unknownText) : value;
  }
  if (Array.isArray(value)) {
    return value.map(readable);
  }
  if (!isPlainObject(value)) {
    return value;
  }
  switch (value[signatureKey]) {
    case undefined:
      return isKubernetesSecret(value)
        ? mapValues(value, (below, key) => (secretFields.includes(key) ? redacted(below) : readable(below)))
        : mapValues(value, readable);
    case secretSignature:
      return secretPlaceholder;
    case resourceSignature:
      return value['urn'];
    case outputSignature:
      return value['secret'] === true
        ? secretPlaceholder
        : 'value' in value
          ? readable(value['value'])
          : unknownText;
    case assetSignature:
      return `[asset ${source(value)}]`;
    case archiveSignature:
      return isPlainObject(value['assets'])
        ? { archive: readable(value['assets']) }
        : `[archive ${source(value)}]`;
    default:
      return unknownText;
  }
}

const secretFields = ['data', 'stringData'];

function isKubernetesSecret(value: PlainObject): boolean {
  return value['kind'] === 'Secret' && value['apiVersion'] === 'v1';
}

function mapValues(
  map: PlainObject,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

function source(asset: PlainObject): string {
  const where = asset['path'] ?? asset['uri'];
  return typeof where === 'string' ? where : 'of text';
}

/** Only the keys of a map, or nothing of another value. */
function redacted(value: unknown): unknown {
  const inner = isWireSecret(value) ? value.value : value;
  return isPlainObject(inner) && inner[signatureKey] === undefined
    ? mapValues(inner, () => secretPlaceholder)
    : inner === unknownValue
      ? unknownText
      : secretPlaceholder;
}

/** URNs of the resources that a wire value refers to. */
export function* referencedUrns(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* referencedUrns(item);
    }
  } else if (isPlainObject(value)) {
    if (value[signatureKey] === resourceSignature && typeof value['urn'] === 'string') {
      yield value['urn'];
    } else {
      for (const below of Object.values(value)) {
        yield* referencedUrns(below);
      }
    }
  }
}

/** A wire value with resources replaced by their ids, as a provider sees and returns them. */
export function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutReferences);
  }
  if (!isPlainObject(value)) {
    return value;
  }
  if (value[signatureKey] === resourceSignature) {
    return value['id'] || unknownValue;
  }
  return mapValues(value, withoutReferences);
}

/** The type of the resource that every other one hangs below. */
export const stackType = 'pulumi:pulumi:Stack';

/** The parts of a URN that a plan needs. */
export interface UrnParts {
  /** Types of the parents and of the resource itself, joined by `$`. */
  readonly qualifiedType: string;
  readonly type: string;
  readonly name: string;
}

/** Takes a URN apart; a name may itself hold `::`. */
export function urnParts(urn: string): UrnParts {
  const [, , qualifiedType = '', ...name] = urn.split('::');
  return { qualifiedType, type: qualifiedType.split('$').pop() ?? '', name: name.join('::') };
}

/** The qualified type of a child; the stack's own type is no part of it. */
export function qualifiedType(parent: string | undefined, type: string): string {
  return parent === undefined || parent === '' || parent === stackType ? type : `${parent}$${type}`;
}

/** The URN that the engine gives a resource. */
export function makeUrn(project: string, stack: string, qualified: string, name: string): string {
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`;
}
