import type { LabelSelector, LabelSelectorRequirement, Labels } from '../core/kubernetes/label-selector';
import { isPlainObject } from '../core/validation/problems';

/** JSON pointer of steps: `toJsonPointer('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function toJsonPointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${escaped(step)}`).join('');
}

/** Steps of a JSON pointer. */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function escaped(step: string | number): string {
  if (typeof step === 'number') {
    return String(step);
  }
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

/**
 * A place in an object, and what is there. It reads whatever type there is, and never throws: a text that is a number
 * is no text, an item of something that is no list is absent.
 */
export class Field {
  /** The object itself. */
  public static of(object: ManifestObject): Field {
    return new Field(object.value, '');
  }

  /** Any value, as if it was at a place of an object. */
  public static ofValue(value: unknown, pointer = ''): Field {
    return new Field(value, pointer);
  }

  private constructor(
    /** What is there; undefined where nothing is. */
    public readonly value: unknown,
    /** JSON pointer (RFC 6901) of the place in the object. */
    public readonly pointer: string,
    /** Of a map that was put over another one: both. */
    private readonly layers?: readonly [upper: Field, lower: Field],
  ) {}

  /**
   * This place with another one below it, as maps are merged: what only the other has is there as well, with the pointer that
   * it has there. Lists and other values are taken whole, and `null` takes away what is below it.
   */
  public over(other: Field): Field {
    if (this.value === undefined) {
      return other;
    }
    return isPlainObject(this.value) && (isPlainObject(other.value) || !other.exists)
      ? new Field(merged(this.value, other.record), this.pointer, [this, other])
      : this;
  }

  /** The place below, by keys and positions, whether anything is there or not. */
  public get(...steps: readonly (string | number)[]): Field {
    if (steps.length === 0) {
      return this;
    }
    if (this.layers) {
      const [upper, lower] = this.layers.map((layer) => layer.get(steps[0]!)) as [Field, Field];
      return upper.over(lower).get(...steps.slice(1));
    }
    let { value, pointer }: { value: unknown; pointer: string } = this;
    for (const step of steps) {
      value = stepInto(value, step);
      pointer += toJsonPointer(step);
    }
    return new Field(value, pointer);
  }

  /** The steps of the pointer. */
  public get steps(): readonly string[] {
    return parseJsonPointer(this.pointer);
  }

  /** Whether something is there. `null` is nothing, as for Kubernetes. */
  public get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** The value, if it is a text. */
  public get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  /** The value, if it is a finite number. */
  public get number(): number | undefined {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : undefined;
  }

  /** The value, if it is `true` or `false`. */
  public get boolean(): boolean | undefined {
    return typeof this.value === 'boolean' ? this.value : undefined;
  }

  /** Items of a list; none of anything else. */
  public get items(): readonly Field[] {
    const list: readonly unknown[] = Array.isArray(this.value) ? this.value : [];
    return list.map((value, position) => new Field(value, `${this.pointer}/${position}`));
  }

  /** Entries of a map; none of anything else. */
  public get entries(): readonly (readonly [key: string, value: Field])[] {
    return isPlainObject(this.value) ? Object.keys(this.value).map((key) => [key, this.get(key)]) : [];
  }

  /** A map; an empty one of anything else. */
  public get record(): Readonly<Record<string, unknown>> {
    return isPlainObject(this.value) ? this.value : {};
  }

  /** Keys of a map; none of anything else. */
  public get keys(): readonly string[] {
    return isPlainObject(this.value) ? Object.keys(this.value) : [];
  }

  /** The texts among the items of a list. */
  public get texts(): readonly string[] {
    return Array.isArray(this.value)
      ? this.value.filter((each): each is string => typeof each === 'string')
      : [];
  }

  /** Labels, annotations or other texts by name; what is no text is left out. */
  public get labels(): Labels {
    return Object.fromEntries(
      this.entries.flatMap(([key, { text }]) => (text === undefined ? [] : [[key, text]])),
    );
  }

  /**
   * A label selector; undefined where there is none. What that means depends on the place: none in a webhook selects
   * everything, none in a Service or a PodDisruptionBudget nothing. Requirements that Kubernetes would refuse are left out.
   */
  public get selector(): LabelSelector | undefined {
    if (!isPlainObject(this.value)) {
      return undefined;
    }
    const matchExpressions = this.get('matchExpressions').items.flatMap((each) => {
      const [key, operator] = [each.get('key').text, each.get('operator').text];
      return key !== undefined && isOperator(operator)
        ? [{ key, operator, values: each.get('values').texts }]
        : [];
    });
    return { matchLabels: this.get('matchLabels').labels, matchExpressions };
  }
}

function merged(
  over: Readonly<Record<string, unknown>>,
  under: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const both = Object.entries(over).map(([key, value]) => {
    const other = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isPlainObject(value) && isPlainObject(other) ? merged(value, other) : value] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

function stepInto(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return /^\d+$/.test(String(step)) ? list[Number(step)] : undefined;
  }
  return isPlainObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function isOperator(text: string | undefined): text is LabelSelectorRequirement['operator'] {
  return text === 'In' || text === 'NotIn' || text === 'Exists' || text === 'DoesNotExist';
}

/** A value of a document that may be an object. */
export interface ListItem {
  readonly value: unknown;
  /** JSON pointer in the document. */
  readonly pointer: string;
}

/** Lists nest nowhere; one that does is made to break readers. */
const deepest = 10;

/**
 * What a document holds: itself, or the items of a List, in which other Lists may be. Items of a typed list
 * (`kind: PodList`) get its version and kind where they leave them out, as an API server does.
 */
export function listItems(value: unknown, pointer = '', depth = 0): ListItem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest) {
    return [{ value, pointer }];
  }
  const { kind, apiVersion, items } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) {
    return [{ value, pointer }];
  }
  const typed = kind === 'List' ? undefined : { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.flatMap((item: unknown, position) => {
    const whole = typed && typeof item === 'object' && item !== null ? { ...typed, ...item } : item;
    return listItems(whole, pointer + toJsonPointer('items', position), depth + 1);
  });
}

/** An object that is checked. Its fields are what a user wrote: nothing in it has to be of the right type. */
export interface ManifestObject extends ObjectName {
  /** All of it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Where it comes from. @default - from a program */
  readonly source?: ObjectSource;
}

/** Where an object stands. */
export interface ObjectSource {
  /** Path of the file, as it was given. */
  readonly file: string;
  /** Line of the object's first line, from 1. */
  readonly line: number;
  /** Position of its document in the file, from 0. */
  readonly document: number;
  /** JSON pointer of the object in its document: `''`, or `/items/3` in a List. */
  readonly pointer: string;
  /** Keys that are in a map where they were before. @default - none */
  readonly repeatedKeys?: readonly RepeatedKey[];
  /** Line of what a JSON pointer names, or of the nearest field that exists; it may have to read the file again. */
  lineOf(pointer: string): number;
}

/** A key that a map has already. */
export interface RepeatedKey {
  /** The key. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

/** API group of an `apiVersion`: `apps` for `apps/v1`, `''` for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/**
 * An object as rules read it.
 *
 * @param value what a manifest says
 * @returns nothing where it is no Kubernetes object: without `apiVersion` and `kind` as texts
 */
export function manifestObject(value: unknown, source?: ObjectSource): ManifestObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  const { apiVersion, kind, metadata } = value as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === '' || kind === '') {
    return undefined;
  }
  const { name, namespace, generateName }: Readonly<Record<string, unknown>> =
    typeof metadata === 'object' && metadata !== null ? { ...metadata } : {};
  const shown = [name, generateName].find((each): each is string => typeof each === 'string');
  return {
    apiVersion,
    kind,
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    name: shown ?? '',
    value: value as Record<string, unknown>,
    ...(source ? { source } : {}),
  };
}

/** The name of an object, without the rest. */
export function objectName({ apiVersion, kind, namespace, name }: ObjectName): ObjectName {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The objects among some values, items of Lists separately: what a cdk8s chart's `toJson()` gives, for example. */
export function manifestObjects(values: readonly unknown[]): ManifestObject[] {
  return values.flatMap((value) => listItems(value)).flatMap(({ value }) => manifestObject(value) ?? []);
}

/** Names an object. */
export interface ObjectName {
  /** API version, `apps/v1`. */
  readonly apiVersion: string;
  /** Kind, `Deployment`. */
  readonly kind: string;
  /** Namespace of the object. @default - the object belongs to the cluster, or names no namespace */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}
